// What is known of zones on servers without asking again. Losing it costs one more question each; nothing is decided by it alone.
import type { Instant, Ms } from "@telltale/kinds";
import type { Lag } from "../aggregate/pod-view.ts";
import type { RRset } from "../bindcar/contract.ts";

/** One zone on one server. */
export interface Known {
  /** Who may transfer it and is told of news, or where it comes from, as last seen there. */
  peers?: string;
  /** Its Bindcar cannot change RRsets, nor tell them: the zone is changed at the DNS port. */
  isMute?: boolean;
  /** What was left there, and under which serial: only its TTLs are believed, and only under this serial. */
  left?: Left;
  /** Names and types that were written there, also where it is not known what came of it. By both together. */
  written?: ReadonlyMap<string, Pick<RRset, "name" | "type">>;
  /** What a secondary was last seen to have. */
  followed?: number;
  /** The policy that it was made with or is taken to be signed by; none: it is not. */
  policy?: string;
  /** Since when it has been behind. */
  behindSince?: Instant;
  lag?: Lag;
}

export interface Left {
  readonly serial: number;
  readonly rrsets: readonly RRset[];
}

/** So long a secondary may take to get what is new. */
export const patience: Ms = 120_000;

export class Memory {
  /** By the zone's uid, then by the pod's. */
  readonly #zones = new Map<string, Map<string, Known>>();

  of(zone: string, pod: string): Known {
    const pods = this.#zones.get(zone) ?? new Map<string, Known>();
    this.#zones.set(zone, pods);
    const known = pods.get(pod) ?? {};
    pods.set(pod, known);
    return known;
  }

  /** Of other pods nothing is kept: those of which something was. */
  keep(zone: string, pods: ReadonlySet<string>): readonly string[] {
    const all = this.#zones.get(zone);
    const dropped = [...(all?.keys() ?? [])].filter((pod) => !pods.has(pod));
    for (const pod of dropped) all?.delete(pod);
    return dropped;
  }

  clear(): void {
    this.#zones.clear();
  }

  forget(zone: string): readonly string[] {
    const dropped = this.keep(zone, new Set());
    this.#zones.delete(zone);
    return dropped;
  }

  /** Whether any pod waits for what is new of a zone. */
  isBehind(zone: string): boolean {
    return [...(this.#zones.get(zone)?.values() ?? [])].some(({ behindSince }) => behindSince !== undefined);
  }

  /** What keeps a pod from being up to date: of several zones the first by name. */
  lagOf(pod: string): Lag | undefined {
    const lags = [...this.#zones.values()].flatMap((pods) => pods.get(pod)?.lag ?? []);
    return lags.sort((a, b) => (a.zone < b.zone ? -1 : 1))[0];
  }
}
