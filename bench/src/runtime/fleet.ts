// All widgets as the driver knows them: it is the only one that changes specs, so that it knows each generation in advance.
// And the watch that tells when a status has followed.
import type { Api, Following } from "./api.ts";
import { type WidgetObject, widgetsPath } from "./widgets.ts";

interface Member {
  readonly name: string;
  generation: number;
  size: number;
}

export class Fleet {
  readonly #api: Api;
  readonly #members: readonly Member[];
  #next = 0;

  private constructor(api: Api, members: readonly Member[]) {
    this.#api = api;
    this.#members = members;
  }

  static async read(api: Api): Promise<Fleet> {
    const all = await api.list<WidgetObject>(widgetsPath);
    return new Fleet(
      api,
      all.map(({ metadata, spec }) => ({ name: metadata.name, generation: metadata.generation, size: spec.size })),
    );
  }

  get size(): number {
    return this.#members.length;
  }

  /** Which change comes next: each widget once before any comes again. The same sequence for every operator. */
  next(): { readonly name: string; readonly generation: number; send(): Promise<void> } {
    const member = this.#members[this.#next++ % this.#members.length];
    if (member === undefined) throw new Error("there are no widgets");
    member.generation += 1;
    member.size += 1;
    const { name, generation, size } = member;
    return {
      name,
      generation,
      send: async () => {
        await this.#api.merge(`${widgetsPath}/${name}`, { spec: { size } });
      },
    };
  }
}

/** Waits for statuses to follow their specs, seen by a watch of the driver's own, on the driver's clock alone. */
export class Convergence {
  /** Milliseconds from the moment that a change was due to the moment that its status was seen. */
  readonly latencies: number[] = [];
  /** How long the server took for the driver's own writes: what of a delay is the machine's, and nobody's fault. */
  readonly own: number[] = [];
  /** When the last status was seen. */
  last = 0;
  readonly #waiting = new Map<string, { readonly generation: number; readonly since: number }[]>();
  #open = 0;
  #following: Following | undefined;

  static async start(api: Api): Promise<Convergence> {
    const made = new Convergence();
    made.#following = await api.follow<WidgetObject>(widgetsPath, (object, at) => made.#seen(object, at));
    return made;
  }

  expect(name: string, generation: number, since: number): void {
    const list = this.#waiting.get(name) ?? [];
    list.push({ generation, since });
    this.#waiting.set(name, list);
    this.#open += 1;
  }

  async timed(write: () => Promise<void>): Promise<void> {
    const begin = performance.now();
    await write();
    this.own.push(performance.now() - begin);
  }

  get open(): number {
    this.#following?.check();
    return this.#open;
  }

  stop(): void {
    this.#following?.stop();
  }

  #seen({ metadata, status }: WidgetObject, at: number): void {
    const list = this.#waiting.get(metadata.name);
    const observed = status?.observedGeneration ?? 0;
    if (list === undefined) return;
    while (list[0] !== undefined && list[0].generation <= observed) {
      this.latencies.push(at - list[0].since);
      this.last = at;
      this.#open -= 1;
      list.shift();
    }
    if (list.length === 0) this.#waiting.delete(metadata.name);
  }
}
