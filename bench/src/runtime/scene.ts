// What a workload gets to work with, and what each of them costs: the operator, the server and etcd.
import { setTimeout as sleep } from "node:timers/promises";
import { tally } from "./audit.ts";
import type { Fleet } from "./fleet.ts";
import { type Launch, Operator } from "./operator.ts";
import type { Options } from "./options.ts";
import type { Peer } from "./peers.ts";
import { type Cores, resetPeak, type Usage, usage } from "./proc.ts";
import type { Stage } from "./stage.ts";

/** What was measured, by name. */
export type Figures = Readonly<Record<string, number>>;

/** A moment from which costs are counted. */
interface Mark {
  readonly at: number;
  readonly operator: Usage;
  readonly apiserver: Usage;
  readonly etcd: Usage;
}

const nothing: Usage = { cpu: 0, read: 0, rss: 0, peak: 0 };

export class Scene {
  readonly peer: Peer;
  readonly stage: Stage;
  readonly fleet: Fleet;
  readonly options: Options;
  readonly cores: Cores | undefined;
  readonly say: (line: string) => void;

  constructor(parts: Pick<Scene, "peer" | "stage" | "fleet" | "options" | "cores" | "say">) {
    this.peer = parts.peer;
    this.stage = parts.stage;
    this.fleet = parts.fleet;
    this.options = parts.options;
    this.cores = parts.cores;
    this.say = parts.say;
  }

  launch(how: Launch = {}): Operator {
    return new Operator(this.peer, this.stage, this.cores, how);
  }

  /** Begins to count; without an operator, from its start on. */
  mark(operator?: Operator): Mark {
    const { etcd, apiserver } = this.stage.plane.pids();
    this.stage.audit.news(); // what was before does not count
    if (operator !== undefined) resetPeak(operator.pid);
    const own = operator?.usage() ?? nothing;
    return { at: performance.now(), operator: own, apiserver: usage(apiserver), etcd: usage(etcd) };
  }

  /** What it cost since then. */
  async cost(operator: Operator, since: Mark): Promise<Figures> {
    const { etcd, apiserver } = this.stage.plane.pids();
    const now = { at: performance.now(), operator: operator.usage(), apiserver: usage(apiserver), etcd: usage(etcd) };
    await sleep(1_000); // a write too many comes late, and so does the audit log
    return {
      wall: now.at - since.at,
      cpu: now.operator.cpu - since.operator.cpu,
      received: (now.operator.read - since.operator.read) / 1e6,
      rss: now.operator.rss,
      peak: now.operator.peak,
      apiserverCpu: now.apiserver.cpu - since.apiserver.cpu,
      etcdCpu: now.etcd.cpu - since.etcd.cpu,
      ...tally(this.stage.audit.news()),
    };
  }

  async charge(operator: Operator, work: () => Promise<unknown>): Promise<Figures> {
    const since = this.mark(operator);
    await work();
    return this.cost(operator, since);
  }
}
