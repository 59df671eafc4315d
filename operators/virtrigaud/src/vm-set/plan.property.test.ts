// Sets of all shapes, with machines that come up late, are killed, and templates that change in between. Without a server: a world,
// what is planned for it, and the world after that.
import { formatTime, type Instant, instant, plus } from "@telltale/kinds";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { VirtualMachine, VMSet } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { memberOf } from "./members.ts";
import { machineOf, type Template } from "./objects.ts";
import { plan } from "./plan.ts";
import { mayBeMissing } from "./rolling.ts";
import { rulesOf } from "./rules.ts";
import { standing } from "./standing.ts";
import { progress } from "./update.ts";
import { nothingMade, type Revision, type Told, type World } from "./world.ts";

type Strategy = "RollingUpdate" | "OnDelete" | "Recreate";
type Event =
  | { readonly is: "template"; readonly image: number; readonly size: number }
  | { readonly is: "scale"; readonly replicas: number }
  | { readonly is: "kill"; readonly ordinal: number }
  | { readonly is: "rest"; readonly passes: number };

const shape = fc.record({
  replicas: fc.integer({ min: 0, max: 6 }),
  maxUnavailable: fc.integer({ min: 0, max: 3 }),
  maxSurge: fc.integer({ min: 0, max: 2 }),
  partition: fc.integer({ min: 0, max: 4 }),
  isOrdered: fc.boolean(),
  strategy: fc.constantFrom<Strategy>("RollingUpdate", "Recreate"),
  start: fc.integer({ min: 0, max: 2 }),
});

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    is: fc.constant("template" as const),
    image: fc.integer({ min: 0, max: 2 }),
    size: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ is: fc.constant("scale" as const), replicas: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ is: fc.constant("kill" as const), ordinal: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ is: fc.constant("rest" as const), passes: fc.integer({ min: 1, max: 8 }) }),
);

/** A set and its machines, without a server. */
class Play {
  readonly #delays: readonly number[];
  #now: Instant = instant(1_000_000);
  #set: VMSet;
  #vms = new Map<string, VirtualMachine>();
  #told: Told;
  #made = 0;

  constructor(given: Shape, delays: readonly number[]) {
    this.#delays = delays;
    const selector: VMSet["spec"]["selector"] = { matchLabels: { app: "web" } };
    const podManagementPolicy = given.isOrdered ? ("OrderedReady" as const) : ("Parallel" as const);
    const rollingUpdate = {
      maxUnavailable: given.maxUnavailable,
      maxSurge: given.maxSurge,
      partition: given.partition,
      podManagementPolicy,
    };
    this.#set = {
      metadata: { name: "web", namespace: "demo", uid: "set" },
      spec: {
        replicas: given.replicas,
        ordinals: { start: given.start },
        selector,
        template: template(0, 0),
        updateStrategy: { type: given.strategy, rollingUpdate },
      },
    } as VMSet;
    this.#told = {
      collisions: undefined,
      currentRevision: undefined,
      updateRevision: undefined,
      update: {},
    };
  }

  happens(it: Event): void {
    const { spec } = this.#set;
    if (it.is === "template") this.#set = { ...this.#set, spec: { ...spec, template: template(it.image, it.size) } };
    else if (it.is === "scale") this.#set = { ...this.#set, spec: { ...spec, replicas: it.replicas } };
    else if (it.is === "kill") this.#vms.delete(`web-${it.ordinal}`);
    else for (let i = 0; i < it.passes; i += 1) this.pass();
  }

  /** One pass, with what has to hold in each, and a second. */
  pass(): void {
    const update = revisionOf(this.#set.spec.template);
    const world = this.world();
    const stand = standing(world, update);
    const actions = plan(world, update);
    this.#check(world, update, actions);
    for (const action of actions) {
      if (action.do === "create") this.#create(action.ordinal, action.of);
      if (action.do === "remove") this.#vms.delete(action.member.name);
      if (action.do === "change") this.#change(action.member.vm, action.to);
    }
    const taken = actions.filter((it) => it.do === "change" || (it.do === "remove" && it.why === "update")).length;
    const after = { ...this.world(), made: { ...nothingMade, taken } };
    const done = progress(after, standing(after, update));
    this.#told = {
      ...this.#told,
      updateRevision: update.name,
      currentRevision: done.currentRevision,
      update: done.status ?? this.#told.update,
    };
    expect(stand.wanted).toHaveLength(world.rules.replicas);
    this.#now = plus(this.#now, 1_000);
    this.#wakeUp();
  }

  /** No machine that works is taken where that leaves too few. */
  #check(world: World, update: Revision, actions: ReturnType<typeof plan>): void {
    const { rules } = world;
    const stand = standing(world, update);
    const { wanted, at, surge, isAvailable } = stand;
    if (rules.strategy !== "RollingUpdate") return;
    const available = wanted.flatMap((ordinal) => at.get(ordinal) ?? []).filter(isAvailable);
    const touched = actions.flatMap((it) => (it.do === "change" || it.do === "remove" ? [it.member] : []));
    const lost = touched.filter((member) => available.includes(member));
    if (lost.length === 0) return;
    const helping = surge.filter(isAvailable).length;
    const left = available.length - lost.length + helping;
    expect(left).toBeGreaterThanOrEqual(rules.replicas - mayBeMissing(world, stand));
    for (const { ordinal } of lost) expect(ordinal).toBeGreaterThanOrEqual(rules.partition);
  }

  world(): World {
    const members = [...this.#vms.values()].map(memberOf).sort((a, b) => a.ordinal - b.ordinal);
    const { currentRevision } = this.#told;
    return {
      set: this.#set,
      now: this.#now,
      rules: rulesOf(this.#set),
      problem: undefined,
      members,
      orphans: [],
      strays: [],
      taken: new Set(),
      revisions: [],
      claims: [],
      told: this.#told,
      update: undefined,
      current: currentRevision === undefined ? undefined : revisions.get(currentRevision),
      made: nothingMade,
    };
  }

  #create(ordinal: number, of: Revision): void {
    expect(this.#vms.has(`web-${ordinal}`)).toBe(false);
    const made = machineOf(this.#set, { ordinal, hash: of.hash }, of.template) as VirtualMachine;
    const creationTimestamp = formatTime(this.#now);
    const delay = this.#delays[this.#made % this.#delays.length] ?? 0;
    this.#made += 1;
    const annotations = { ...made.metadata.annotations, up: String(this.#now + delay * 1_000) };
    const metadata = { ...made.metadata, annotations, creationTimestamp, generation: 1 };
    this.#vms.set(`web-${ordinal}`, { ...made, metadata });
  }

  #change(vm: VirtualMachine, to: Revision): void {
    const { generation = 1, name = "" } = vm.metadata;
    const metadata = {
      ...vm.metadata,
      labels: { ...vm.metadata.labels, [labels.revision]: to.hash },
      annotations: { ...vm.metadata.annotations, [annotations.lastUpdateTime]: formatTime(this.#now) },
      generation: generation + 1,
    };
    this.#vms.set(name, { ...vm, metadata, spec: to.template.spec });
  }

  /** Machines come up when it is their time. */
  #wakeUp(): void {
    for (const [name, vm] of this.#vms) {
      const { generation = 1, annotations } = vm.metadata;
      if (Number(annotations?.["up"]) > this.#now || vm.status?.observedGeneration === generation) continue;
      const lastTransitionTime = formatTime(this.#now);
      const ready = {
        type: "Ready",
        status: "True",
        reason: "ReconcileSucceeded",
        message: "",
        lastTransitionTime,
      } as const;
      this.#vms.set(name, { ...vm, status: { phase: "Running", observedGeneration: generation, conditions: [ready] } });
    }
  }

  get told(): Told {
    return this.#told;
  }
}

interface Shape {
  readonly replicas: number;
  readonly maxUnavailable: number;
  readonly maxSurge: number;
  readonly partition: number;
  readonly isOrdered: boolean;
  readonly strategy: Strategy;
  readonly start: number;
}

const template = (image: number, size: number): Template => ({
  spec: { providerRef: { name: "p" }, classRef: { name: `size-${size}` }, imageRef: { name: `image-${image}` } },
});

const revisions = new Map<string, Revision>();
function revisionOf(it: Template): Revision {
  const hash = `${it.spec.imageRef?.name}-${it.spec.classRef.name}`;
  const revision = { name: `web-${hash}`, hash, template: it };
  revisions.set(revision.name, revision);
  return revision;
}

test("whatever happens, machines go only as far as they may, and in the end all are there as they should be", () => {
  const delays = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(shape, delays, fc.array(event, { maxLength: 12 }), (given, late, events) => {
      const play = new Play(given, late);
      for (const it of events) play.happens(it);
      play.happens({ is: "rest", passes: 80 });
      const world = play.world();
      const update = revisionOf(world.set.spec.template);
      const { isFinished, missing, extra, surge } = standing(world, update);
      expect({ isFinished, missing, extra, surge }).toEqual({ isFinished: true, missing: [], extra: [], surge: [] });
      expect(world.members).toHaveLength(world.rules.replicas);
      expect([undefined, "Completed"]).toContain(play.told.update.phase);
      if (world.rules.partition <= world.rules.start) expect(play.told.currentRevision).toBe(update.name);
      expect(plan(world, update)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
