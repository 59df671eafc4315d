// How volumes are kept, and the controllers that keep them so.
import type { PersistentVolume } from "@telltale/kinds/builtin";
import type { Controller } from "@telltale/runtime";
import { claims } from "./claims.ts";
import { ephemeralClaims } from "./ephemeral.ts";
import { standardClasses } from "./storage-class.ts";
import { volumes } from "./volumes.ts";

export interface VolumeOptions {
  /** Whether there is a class for claims that name none: `standard`, made at the start. Default: it is. */
  readonly defaultClass?: "standard" | "none";
  /**
   * The folder of generated volumes: each is a `hostPath` of its own name in it. Nobody makes the folders here; where pods are
   * simulated, nobody needs them. Default: `/var/lib/telltale/volumes`.
   */
  readonly folder?: string;
  /** Removes what is in a generated volume that nobody claims any more, before the volume itself goes. */
  readonly reclaim?: (volume: PersistentVolume) => Promise<void>;
}

export function volumeControllers(options: VolumeOptions = {}): readonly Controller[] {
  const { defaultClass = "standard", folder = "/var/lib/telltale/volumes", reclaim = async () => {} } = options;
  const classes = defaultClass === "standard" ? [standardClasses()] : [];
  return [claims(folder), ephemeralClaims(), volumes(reclaim), ...classes];
}
