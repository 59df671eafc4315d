// Who is on which node, kept up as pods come and go: what is left on a node is known without counting its pods. A pod that is
// about to be bound counts at once.
import { type Instant, instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { isFinished, uidOf } from "../pods/facts.ts";
import { type Likely, type Load, type Requests, requestsOf } from "./resources.ts";

export interface Placed {
  readonly pod: Pod;
  readonly node: string;
  readonly requests: Requests;
  /** `bound`: the server says so. `asked`: it was asked to, and agreed. `unsure`: it was asked to, and nobody knows. */
  readonly as: "bound" | "asked" | "unsure";
  /** When it was asked for, of one that was. */
  readonly since: Instant;
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

export interface NodeLoad extends Load {
  readonly ports: readonly HostPort[];
}

const empty: NodeLoad = { used: new Map(), likely: { cpu: 0, memory: 0 }, pods: 0, ports: [] };

export class Ledger {
  readonly #placed = new Map<string, Placed>();
  readonly #loads = new Map<string, Running>();
  /** Those that keep others away: few, and asked for each pod. */
  readonly #guarded = new Set<string>();

  /** A pod has changed, come or gone. Says whether there may be more room, or company, than before. */
  saw(old: Pod | undefined, next: Pod | undefined): "room" | "company" | "nothing" {
    if (old !== undefined && uidOf(old) !== uidOf(next ?? {})) this.#remove(uidOf(old));
    if (next === undefined) return old !== undefined && isPlaced(old) ? "room" : "nothing";
    const uid = uidOf(next);
    const before = this.#placed.get(uid);
    if (isPlaced(next)) {
      const isSame = before?.as === "bound" && before.node === next.spec?.nodeName;
      // What a pod asks for may be changed while it runs.
      const isUnchanged = isSame && before.pod.metadata?.generation === next.metadata?.generation;
      if (isUnchanged) this.#placed.set(uid, { ...before, pod: next });
      else this.#place(next, next.spec?.nodeName ?? "", "bound", instant(0));
      return isSame ? "nothing" : "company";
    }
    // A pod that is not bound yet may be on its way.
    if (!isFinished(next)) return "nothing";
    this.#remove(uid);
    return before === undefined ? "nothing" : "room";
  }

  /** It is about to be bound. */
  assume(pod: Pod, node: string, as: "asked" | "unsure", now: Instant): void {
    // The server may have been faster with the news than with its answer.
    if (this.#placed.get(uidOf(pod))?.as !== "bound") this.#place(pod, node, as, now);
  }

  /** It will not be bound after all. */
  giveUp(pod: Pod): void {
    if (this.#placed.get(uidOf(pod))?.as !== "bound") this.#remove(uidOf(pod));
  }

  of(pod: Pod): Placed | undefined {
    return this.#placed.get(uidOf(pod));
  }

  loadOf(node: string): NodeLoad {
    return this.#loads.get(node) ?? empty;
  }

  placed(): Iterable<Placed> {
    return this.#placed.values();
  }

  /** Those with a required anti-affinity of their own. */
  *guarded(): Iterable<Placed> {
    for (const uid of this.#guarded) {
      const found = this.#placed.get(uid);
      if (found !== undefined) yield found;
    }
  }

  #place(pod: Pod, node: string, as: Placed["as"], since: Instant): void {
    const uid = uidOf(pod);
    this.#remove(uid);
    const placed = { pod, node, requests: requestsOf(pod), as, since };
    this.#placed.set(uid, placed);
    if (hasGuard(pod)) this.#guarded.add(uid);
    let load = this.#loads.get(node);
    if (load === undefined) {
      load = new Running();
      this.#loads.set(node, load);
    }
    load.add(uid, placed);
  }

  #remove(uid: string): void {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return;
    this.#placed.delete(uid);
    this.#guarded.delete(uid);
    const load = this.#loads.get(placed.node);
    load?.remove(uid, placed);
    if (load?.pods === 0) this.#loads.delete(placed.node);
  }
}

const isPlaced = (pod: Pod): boolean => (pod.spec?.nodeName ?? "") !== "" && !isFinished(pod);

const hasGuard = ({ spec }: Pod): boolean =>
  (spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;

/** The running sum of one node. */
class Running implements NodeLoad {
  readonly used = new Map<string, number>();
  readonly #ports = new Map<string, readonly HostPort[]>();
  likely: Likely = { cpu: 0, memory: 0 };
  pods = 0;

  get ports(): readonly HostPort[] {
    return [...this.#ports.values()].flat();
  }

  add(uid: string, { pod, requests }: Placed): void {
    this.#change(requests, 1);
    const ports = hostPorts(pod);
    if (ports.length > 0) this.#ports.set(uid, ports);
  }

  remove(uid: string, { requests }: Placed): void {
    this.#change(requests, -1);
    this.#ports.delete(uid);
  }

  #change({ amounts, likely }: Requests, by: 1 | -1): void {
    for (const [name, amount] of amounts) this.used.set(name, (this.used.get(name) ?? 0) + by * amount);
    const { cpu, memory } = this.likely;
    this.likely = { cpu: cpu + by * likely.cpu, memory: memory + by * likely.memory };
    this.pods += by;
  }
}

/** The ports of the node that a pod takes. */
export function hostPorts({ spec }: Pod): readonly HostPort[] {
  const containers = [
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
    ...(spec?.containers ?? []),
  ];
  return containers.flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }) =>
      hostPort > 0 ? [{ ip: hostIP === "" ? "0.0.0.0" : hostIP, protocol, port: hostPort }] : [],
    ),
  );
}
