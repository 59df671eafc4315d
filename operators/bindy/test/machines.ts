// Where the pods of a simulation live: each has an address, a named in memory and a Bindcar that goes wrong by order.
import { type Clock, type Random, seededRandom } from "@telltale/clock";
import type { Backend, BackendFault } from "@telltale/simulation";
import { type Bindcar, bindcarClient } from "../src/bindcar/client.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import type { Wire } from "../src/bindcar/wire.ts";
import { SimulatedBindcar } from "../src/bindcar-simulated/bindcar.ts";
import { type Fault, isPreset } from "../src/bindcar-simulated/faults.ts";
import { simulatedUpdates } from "../src/bindcar-simulated/updates.ts";
import type { Upstream } from "../src/bindcar-simulated/upstream.ts";
import { simulatedWire } from "../src/bindcar-simulated/wire.ts";
import type { Updates } from "../src/dns-update/client.ts";
import { Flapping } from "./flapping.ts";
import type { Machines } from "./quick-cluster.ts";

/** Beside the presets: what comes over the wire is not what was sent. */
const garbled = {
  slow: { action: { type: "slow" }, delayMs: 10_000 },
  garbage: { action: { type: "garbage" } },
  truncated: { action: { type: "truncate" } },
  "wrong-json": { action: { type: "wrongJson" } },
} as const satisfies Readonly<Record<string, Fault>>;

export const garbledNames = Object.keys(garbled);

/** What becomes of updates at the DNS port: done, and nobody hears of it; or not done. */
const updateFaults = {
  "update-lost": { match: { method: "UPDATE" }, action: { type: "truncate" } },
  "update-reset": { match: { method: "UPDATE" }, action: { type: "reset" } },
} as const satisfies Readonly<Record<string, Fault>>;

interface Machine {
  readonly address: string;
  readonly bindcar: SimulatedBindcar;
  /** The fault that was ordered. */
  ordered?: { readonly name: string; readonly id: number };
}

export class SimulatedMachines implements Machines, Backend {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #upstream: Upstream | undefined;
  /** By the pod's uid, those that have begun. */
  readonly #machines = new Map<string, Machine>();
  readonly flapping: Flapping;
  #last = 0;
  #changed = () => {};
  #fault: BackendFault | undefined;

  constructor(clock: Clock, random: Random, upstream?: Upstream) {
    this.#clock = clock;
    this.#random = random;
    this.#upstream = upstream;
    this.flapping = new Flapping(clock);
  }

  /** The operator's way to them. */
  bindcar(clock: Clock, random: Random): Bindcar {
    const find = (endpoint: string) => this.#at(endpoint)?.bindcar;
    const pods = simulatedWire({ find, clock });
    // Whatever was asked for may have been done.
    const told: Wire = { send: (request, signal) => pods.send(request, signal).finally(() => this.#changed()) };
    const wire = this.flapping.over(told);
    return bindcarClient({ wire, token: fixedToken("t"), clock, random });
  }

  /** The operator's way to their DNS ports. */
  updates(clock: Clock): Updates {
    return simulatedUpdates({ find: (endpoint) => this.#at(endpoint)?.bindcar, clock });
  }

  begin(pod: string): string {
    const known = this.#machines.get(pod);
    if (known !== undefined) return known.address;
    this.#last += 1;
    const address = `10.1.${Math.floor(this.#last / 250)}.${(this.#last % 250) + 1}`;
    const serverAt = (endpoint: string) =>
      this.#fault === "lagging" ? undefined : this.#at(endpoint)?.bindcar.nameserver;
    const random = seededRandom(Math.floor(this.#random.next() * 2 ** 32));
    const upstream = this.#upstream === undefined ? {} : { upstream: this.#upstream };
    const bindcar = new SimulatedBindcar({ clock: this.#clock, random, address, serverAt, ...upstream });
    this.#machines.set(pod, { address, bindcar });
    this.#disturb(bindcar);
    this.#changed();
    return address;
  }

  crash(pod: string): void {
    this.#machines.get(pod)?.bindcar.stop();
    this.#changed();
  }

  restart(pod: string): void {
    const { bindcar } = this.#machines.get(pod) ?? {};
    bindcar?.nameserver.restart();
    bindcar?.start();
    this.#changed();
  }

  end(pod: string): void {
    this.#machines.get(pod)?.bindcar.stop();
    this.#machines.delete(pod);
    this.#changed();
  }

  order(pod: string, name: string | undefined): void {
    const machine = this.#machines.get(pod);
    if (machine === undefined || machine.ordered?.name === name) return;
    if (machine.ordered !== undefined) machine.bindcar.faults.clear(machine.ordered.id);
    delete machine.ordered;
    if (name === undefined) return;
    const others = Object.entries({ ...garbled, ...updateFaults });
    const fault = isPreset(name) ? name : others.find(([it]) => it === name)?.[1];
    if (fault === undefined) throw new TypeError(`there is no fault ${name}`);
    machine.ordered = { name, id: machine.bindcar.faults.add(fault) };
  }

  /** Whether its Bindcar says of everything that it is not there. */
  denies(pod: string): boolean {
    return this.#machines.get(pod)?.ordered?.name === "http-404";
  }

  /** What each server that lives answers, in the order of their beginning. `of`: of these pods alone. */
  answers(name: string, type: string, of?: ReadonlySet<string | undefined>): readonly string[] {
    const asked = [...this.#machines].filter(([uid]) => of?.has(uid) ?? true);
    return asked.map(([, { bindcar }]) => {
      const found = bindcar.nameserver.answer(name, type);
      return typeof found === "string" ? found : found.flatMap(({ values }) => values).join(" ");
    });
  }

  listen(changed: () => void): void {
    this.#changed = changed;
  }

  fail(how: BackendFault): void {
    this.#fault = how;
    if (how === "restarting") for (const { bindcar } of this.#machines.values()) bindcar.nameserver.restart();
    for (const { bindcar } of this.#machines.values()) this.#disturb(bindcar);
  }

  heal(): void {
    this.#fault = undefined;
    for (const machine of this.#machines.values()) {
      const { name } = machine.ordered ?? {};
      machine.bindcar.faults.clear();
      if (name === undefined) continue;
      delete machine.ordered;
      for (const [uid, it] of this.#machines) if (it === machine) this.order(uid, name);
    }
  }

  #disturb({ faults }: SimulatedBindcar): void {
    if (this.#fault === "slow") faults.add(garbled.slow);
    if (this.#fault === "failing") faults.add("http-503");
    if (this.#fault === "partial" || this.#fault === "losing") faults.add(garbled.truncated);
    if (this.#fault === "losing") faults.add(updateFaults["update-lost"]);
    if (this.#fault === "unreachable") faults.add({ action: { type: "refuse" } });
  }

  #at(endpoint: string): Machine | undefined {
    const [address] = endpoint.split(":");
    return [...this.#machines.values()].find((it) => it.address === address);
  }
}
