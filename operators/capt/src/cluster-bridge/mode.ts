// Whether Cluster API's own controllers are there (8.1): then Clusters are theirs, and we write nothing to them.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { Lease } from "@telltale/kinds/builtin";
import { isLeaseActive, type Log, type ServerReader } from "@telltale/runtime";
import { finalizers, leases } from "../names.ts";

/** Who looks after Clusters. */
export type Mode =
  | "standalone" // we do
  | "external" // Cluster API does
  | "unsure"; // nobody could say: nothing is written, and nothing is given up either

export type ModeSetting = "auto" | "external" | "standalone";

/** How long an answer holds. */
export const modeInterval: Ms = 60_000;

export interface Asker {
  readonly now: Instant;
  readonly log: Log;
  readonly server: Pick<ServerReader, "list">;
}

/** Finds the mode and remembers it for a while, for all Clusters together. */
export class ModeFinder {
  readonly setting: ModeSetting;
  readonly #onFlip: (to: Mode) => void;
  #known: { readonly mode: Mode; readonly at: Instant } | undefined;
  #asking: Promise<Mode> | undefined;

  constructor(setting: ModeSetting, onFlip: (to: Mode) => void = () => {}) {
    this.setting = setting;
    this.#onFlip = onFlip;
  }

  /** Undefined before it was first asked for. */
  get last(): Mode | undefined {
    return this.#known?.mode;
  }

  /** Whether it may change by itself, so that it has to be asked for again. */
  get isFound(): boolean {
    return this.setting === "auto";
  }

  async find(asker: Asker): Promise<Mode> {
    const known = this.#known;
    const isDue = known === undefined || asker.now < known.at || asker.now >= plus(known.at, modeInterval);
    if (!isDue || (known !== undefined && this.setting !== "auto")) return known.mode;
    this.#asking ??= this.#ask(asker).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask({ now, log, server }: Asker): Promise<Mode> {
    const found = this.setting === "external" ? "unknown" : await corePresence(server, now);
    const mode = this.setting === "auto" ? foundMode[found] : this.setting;
    if (this.setting === "standalone" && found === "present") {
      log.warn(
        "Cluster API's controllers run here, and we were told to do their work too; use --cluster-api-mode=auto",
      );
    }
    const before = this.#known?.mode;
    this.#known = { mode, at: now };
    if (before !== mode) {
      log.info("who looks after Clusters", { mode, before });
      this.#onFlip(mode);
    }
    return mode;
  }
}

type Presence = "present" | "absent" | "unknown";
const foundMode: Readonly<Record<Presence, Mode>> = { present: "external", absent: "standalone", unknown: "unsure" };

/** The lease that Cluster API's controllers renew all the time. */
async function corePresence(server: Asker["server"], now: Instant): Promise<Presence> {
  try {
    const { items } = await server.list(Lease, { fieldSelector: `metadata.name=${leases.clusterApi}` });
    return items.some((lease) => isLeaseActive(lease, now)) ? "present" : "absent";
  } catch {
    return "unknown"; // forbidden, or the server does not answer: both are no reason to write
  }
}

/** The mode for one Cluster: Cluster API's finalizer says that it is theirs, whatever the lease says at the moment. */
export function modeFor(
  cluster: { readonly metadata?: { readonly finalizers?: readonly string[] } },
  mode: Mode,
  setting: ModeSetting,
): Mode {
  const isTheirs = cluster.metadata?.finalizers?.includes(finalizers.cluster) === true;
  return setting === "auto" && isTheirs ? "external" : mode;
}
