// What the passes of zones came to, for whoever speaks of records and pods. It is lost with the process: until the first pass of
// a zone is over nothing is known of it, and nobody says anything new.
import type { Name, Source } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import type { RecordKind } from "../kinds/index.ts";
import type { UnansweredReason } from "../reasons.ts";
import type { Rejection } from "./compile.ts";

export interface ZoneReport {
  readonly publication: Publication;
  /** By uid: the pods that have the zone. `nobody waits`: no pod has to have it before it serves. */
  readonly loaded: ReadonlySet<string> | "nobody waits";
}

/** What became of the records of a zone. */
export type Publication =
  | { readonly is: "nowhere"; readonly why: SafeText } // the zone is on no instance
  | { readonly is: "mirrored" } // no primary of it is ours
  | { readonly is: "refused"; readonly why: SafeText } // nothing was published; what was before still is
  | {
      readonly is: "published";
      readonly records: ReadonlyMap<string, RecordResult>;
      /** Every primary that can be reached has it, and nothing else. */
      readonly isWhole: boolean;
    };

export type RecordResult =
  | { readonly is: "served"; readonly hash: string; readonly name: string }
  | { readonly is: "rejected"; readonly rejection: Rejection }
  | { readonly is: "failed"; readonly why: SafeText }
  | { readonly is: "unknown"; readonly reason: UnansweredReason; readonly why: SafeText }; // no primary said what it has

/** A record by the name of its kind. */
export interface RecordName extends Required<Name> {
  readonly kind: string;
}

export class Ledger {
  readonly #reports = new Map<string, ZoneReport>();
  readonly #wakes = new Map<string, (name: Name) => void>();
  #wakePod: (() => void) | undefined;

  /** By the zone's uid. */
  of(zone: string): ZoneReport | undefined {
    return this.#reports.get(zone);
  }

  /** `about`: the records that this is about, now or before. */
  tell(zone: string, report: ZoneReport, about: ReadonlyMap<string, RecordName>): void {
    const before = this.#reports.get(zone);
    this.#reports.set(zone, report);
    for (const [uid, { kind, namespace, name }] of about) {
      if (!isSame(before, report, uid)) this.#wakes.get(kind)?.({ namespace, name });
    }
    if (!isLoadedAlike(before?.loaded, report.loaded)) this.#wakePod?.();
  }

  forget(zone: string): void {
    this.#reports.delete(zone);
    this.#wakePod?.();
  }

  clear(): void {
    this.#reports.clear();
  }

  /** For the controller of a kind of record. */
  readonly records = (kind: RecordKind): Source => {
    return (wake) => {
      this.#wakes.set(kind.kind, wake);
      return () => this.#wakes.delete(kind.kind);
    };
  };

  /** For who opens the gates of pods: told that one may be open, not which. */
  onLoaded(wake: (() => void) | undefined): void {
    this.#wakePod = wake;
  }
}

function isSame(before: ZoneReport | undefined, after: ZoneReport, uid: string): boolean {
  if (before === undefined) return false;
  return JSON.stringify(resultOf(before, uid)) === JSON.stringify(resultOf(after, uid));
}

const resultOf = ({ publication }: ZoneReport, uid: string): unknown =>
  publication.is === "published" ? [publication.records.get(uid), publication.isWhole] : publication;

function isLoadedAlike(a: ZoneReport["loaded"] | undefined, b: ZoneReport["loaded"]): boolean {
  if (a === undefined || typeof a === "string" || typeof b === "string") return a === b;
  return a.size === b.size && [...a].every((it) => b.has(it));
}
