// What one pass knows of an image. Values only.
import type { Instant, Ms } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { ImageFormat, ImageImportProgress, Provider, ProviderImageStatus, VMImage } from "../kinds/index.ts";
import type { Finding } from "./learn.ts";
import type { Source } from "./source.ts";

export interface World {
  readonly image: VMImage;
  readonly now: Instant;
  /** What is wrong with the spec. */
  readonly problem: SafeText | undefined;
  readonly source: Source;
  readonly rules: Rules;
  /** The providers that matter to the image, in the order of their keys. */
  readonly pairs: readonly Pair[];
  readonly memory: Memory;
  /** What this pass has found out; `memory` has taken it in. */
  readonly finding: Finding;
  /** The server did not let the preparation be noted, so it was not begun. */
  readonly trouble?: unknown;
}

/** `spec.prepare`, with its defaults. */
export interface Rules {
  readonly onMissing: "Import" | "Fail" | "Wait";
  readonly retries: number;
  readonly timeout: Ms;
  readonly isForced: boolean;
  readonly validatesChecksum: boolean;
}

/** The image on one provider. */
export interface Pair {
  readonly key: string;
  /** A machine that does not exist yet is to be made from it there; or a person wants it there. */
  readonly isWanted: boolean;
  readonly provider: Provider | undefined;
}

/** What is stored in the status and read again. */
export interface Memory {
  readonly entries: Readonly<Record<string, ProviderImageStatus>>;
  readonly flight: Flight | undefined;
  /** When the last attempt began. */
  readonly since: Instant | undefined;
  readonly progress: ImageImportProgress | undefined;
  /** What the providers said of the image itself. */
  readonly facts: Facts;
}

/** The one preparation that is under way. */
export interface Flight {
  readonly key: string;
  /** Empty: the provider has not answered yet. */
  readonly task: string;
  readonly stage: Stage;
}

export const stages = ["Downloading", "Importing", "Converting", "Optimizing"] as const;
export type Stage = (typeof stages)[number];

export interface Facts {
  readonly size?: string;
  readonly checksum?: string;
  readonly format?: ImageFormat;
}
