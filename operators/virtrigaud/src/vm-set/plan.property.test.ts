// Sets of all shapes, with machines that come up late, crash or are deleted, providers that cannot be reached for a while, and templates
// that change in between. Without a server: a world, what is planned for it, and the world after that. What runs is kept apart from what
// machines report.
import { formatTime, type Instant, instant, plus } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type VirtualMachine, VMSet } from "../kinds/index.ts";
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
  | { readonly is: "crash"; readonly ordinal: number }
  | { readonly is: "edit" }
  | {
      readonly is: "outage";
      readonly passes: number;
      readonly seen: readonly number[];
      readonly as: "Unknown" | "False";
    }
  | { readonly is: "rest"; readonly passes: number };

const shape = fc.record({
  replicas: fc.integer({ min: 0, max: 6 }),
  maxUnavailable: fc.integer({ min: 0, max: 3 }),
  maxSurge: fc.integer({ min: 0, max: 2 }),
  partition: fc.integer({ min: 0, max: 4 }),
  isOrdered: fc.boolean(),
  strategy: fc.constantFrom<Strategy>("RollingUpdate", "Recreate"),
  start: fc.integer({ min: 0, max: 2 }),
  minReadySeconds: fc.constantFrom(0, 2),
  deadline: fc.constantFrom(600, 600, 5),
});

const outage = fc.record({
  is: fc.constant("outage" as const),
  passes: fc.integer({ min: 1, max: 12 }),
  // How many passes after its beginning, and after its end, each machine is observed.
  seen: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }),
  as: fc.constantFrom("Unknown" as const, "False" as const),
});

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    is: fc.constant("template" as const),
    image: fc.integer({ min: 0, max: 2 }),
    size: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ is: fc.constant("scale" as const), replicas: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ is: fc.constant("kill" as const), ordinal: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ is: fc.constant("crash" as const), ordinal: fc.integer({ min: 0, max: 8 }) }),
  fc.record({ is: fc.constant("edit" as const) }),
  outage,
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
  /** The machines that run on the host, by name. */
  readonly #running = new Set<string>();
  /** Those that ran until the set replaced or changed them, and that do not run again yet. */
  readonly #taken = new Set<string>();
  #outage: (Event & { readonly is: "outage" }) | undefined;
  #outageAge = 0;
  #isScaled = false;

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
      apiVersion: VMSet.apiVersion,
      kind: VMSet.kind,
      metadata: {
        name: "web",
        namespace: "demo",
        uid: "set",
        annotations: { [annotations.progressDeadline]: `${given.deadline}s` },
      },
      spec: {
        replicas: given.replicas,
        ordinals: { start: given.start },
        minReadySeconds: given.minReadySeconds,
        selector,
        template: template(0, 0),
        updateStrategy: { type: given.strategy, rollingUpdate },
      },
    };
    this.#told = {
      collisions: undefined,
      currentRevision: undefined,
      updateRevision: undefined,
      update: {},
    };
  }

  happens(it: Event): void {
    const { spec } = this.#set;
    switch (it.is) {
      case "template":
        this.#set = { ...this.#set, spec: { ...spec, template: template(it.image, it.size) } };
        return;
      case "scale":
        this.#set = { ...this.#set, spec: { ...spec, replicas: it.replicas } };
        this.#isScaled = true;
        return;
      case "kill":
        this.#gone(`web-${it.ordinal}`);
        return;
      case "crash":
        this.#running.delete(`web-${it.ordinal}`);
        return;
      case "edit":
        for (const vm of this.#vms.values()) this.#put(vm, {});
        return;
      case "outage":
        this.#outage = it;
        this.#outageAge = 0;
        return;
      case "rest":
        for (let i = 0; i < it.passes; i += 1) this.pass();
    }
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
      if (action.do === "remove") this.#remove(action.member.vm);
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
    this.#observeMachines();
  }

  /** No machine that runs is taken where that leaves too few, whatever is known of the others. */
  #check(world: World, update: Revision, actions: ReturnType<typeof plan>): void {
    const { rules } = world;
    const stand = standing(world, update);
    // Whatever for: to scale, to update or to try again.
    const removed = actions.flatMap((it) => (it.do === "remove" ? [it.member] : []));
    expect(removed.filter(({ state }) => state === "unknown")).toEqual([]);
    if (rules.strategy !== "RollingUpdate") return;
    const wanted = new Set(stand.wanted.map((ordinal) => `web-${ordinal}`));
    const touched = actions.flatMap((it) => (it.do === "change" || it.do === "remove" ? [it.member] : []));
    // A machine that was never reported to run may be replaced: nothing depends on it yet.
    const lost = touched.filter(({ name, vm }) => wanted.has(name) && this.#running.has(name) && wasUp(vm));
    const gone = new Set(touched.map(({ name }) => name));
    // Where no user asks for fewer machines, those beyond the wanted ones stand in for others.
    const standIns = this.#isScaled ? [] : [...this.#running].filter((name) => !wanted.has(name) && gone.has(name));
    if (lost.length + standIns.length === 0) return;
    for (const { name } of lost) this.#taken.add(name);
    for (const { ordinal } of lost) expect(ordinal).toBeGreaterThanOrEqual(rules.partition);
    const helping = [...this.#running].filter((name) => !wanted.has(name) && !gone.has(name)).length;
    const missing = [...this.#taken].filter((name) => wanted.has(name)).length;
    expect(missing - helping).toBeLessThanOrEqual(mayBeMissing(world, stand));
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
    const metadata = {
      ...made.metadata,
      annotations: { ...made.metadata.annotations, up: this.#upAt() },
      creationTimestamp,
    };
    this.#vms.set(`web-${ordinal}`, { ...made, metadata: { ...metadata, generation: 1 } });
  }

  #upAt(): string {
    const delay = this.#delays[this.#made % this.#delays.length] ?? 0;
    this.#made += 1;
    return String(this.#now + delay * 1_000);
  }

  /** While its provider is away, the machine stays. */
  #remove({ metadata }: VirtualMachine): void {
    const { name = "" } = metadata;
    const vm = this.#vms.get(name);
    if (this.#outage === undefined || vm === undefined) this.#gone(name);
    else this.#vms.set(name, { ...vm, metadata: { ...vm.metadata, deletionTimestamp: formatTime(this.#now) } });
  }

  #gone(name: string): void {
    this.#vms.delete(name);
    this.#running.delete(name);
  }

  #change(vm: VirtualMachine, to: Revision): void {
    const revised = { ...vm.metadata.labels, [labels.revision]: to.hash };
    const marks = { [annotations.lastUpdateTime]: formatTime(this.#now), up: this.#upAt(), changing: "true" };
    this.#put(vm, marks, { labels: revised, spec: to.template.spec });
  }

  /** Another generation of the same object. */
  #put(
    vm: VirtualMachine,
    marks: Readonly<Record<string, string>>,
    to: Partial<Pick<VirtualMachine, "spec">> & { labels?: Readonly<Record<string, string>> } = {},
  ): void {
    const { generation = 1, name = "" } = vm.metadata;
    const { labels: next = vm.metadata.labels ?? {}, spec = vm.spec } = to;
    const metadata = {
      ...vm.metadata,
      labels: { ...next },
      annotations: { ...vm.metadata.annotations, ...marks },
      generation: generation + 1,
    };
    this.#vms.set(name, { ...vm, metadata, spec });
  }

  /** What the machines' own controller does and reports in this second. */
  #observeMachines(): void {
    this.#outageAge += 1;
    if (this.#outage !== undefined && this.#outageAge > this.#outage.passes) {
      this.#outage = undefined;
      this.#outageAge = 0;
    }
    for (const [name, vm] of this.#vms) {
      if (this.#outage === undefined) this.#reconcile(name, vm);
      else if (this.#outageAge > (this.#outage.seen[memberOf(vm).ordinal % this.#outage.seen.length] ?? 0)) {
        const { as } = this.#outage;
        this.#report(vm, as, as === "Unknown" ? "ProviderUnreachable" : "ProviderError", vm.status?.powerState);
      }
    }
  }

  #reconcile(name: string, vm: VirtualMachine): void {
    const { deletionTimestamp, annotations: on = {} } = vm.metadata;
    if (deletionTimestamp !== undefined) {
      this.#gone(name);
      return;
    }
    if (on["changing"] === "true") {
      this.#running.delete(name); // it restarts with its new size
      const { changing: _changing, ...rest } = on;
      this.#vms.set(name, { ...vm, metadata: { ...vm.metadata, annotations: rest } });
      return;
    }
    if (Number(on["up"]) > this.#now) return;
    if (this.#running.has(name)) {
      this.#report(vm, "True", "ReconcileSucceeded", "On");
      return;
    }
    // It is switched on, and the next second sees it run.
    if (vm.status?.id !== undefined) this.#report(vm, "False", "Updating", "Off");
    this.#running.add(name);
    this.#taken.delete(name);
  }

  #report(
    vm: VirtualMachine,
    status: "True" | "False" | "Unknown",
    reason: string,
    powerState: "On" | "Off" | undefined | string,
  ): void {
    const { generation = 1, name = "", uid = name } = vm.metadata;
    const before = findCondition(vm.status?.conditions, "Ready");
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : formatTime(this.#now);
    const ready = { type: "Ready", status, reason, message: "", lastTransitionTime } as const;
    const id = status === "True" ? uid : vm.status?.id;
    const next = {
      phase: "Running",
      observedGeneration: generation,
      conditions: [ready],
      powerState,
      ...(id === undefined ? {} : { id }),
    };
    this.#vms.set(name, { ...vm, status: next as NonNullable<VirtualMachine["status"]> });
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
  readonly minReadySeconds: number;
  readonly deadline: number;
}

const wasUp = ({ status }: VirtualMachine): boolean => status?.powerState === "On";

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

const delays = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 });

test("whatever happens, machines go only as far as they may, and in the end all are there as they should be", () => {
  fc.assert(
    fc.property(shape, delays, fc.array(event, { maxLength: 12 }), (given, late, events) => {
      const play = new Play(given, late);
      for (const it of events) play.happens(it);
      play.happens({ is: "rest", passes: 160 });
      const world = play.world();
      const update = revisionOf(world.set.spec.template);
      const hasFailed = play.told.update.phase === "Failed";
      if (hasFailed) return expect(given.deadline).toBe(5);
      const { isFinished, missing, extra, surge } = standing(world, update);
      expect({ isFinished, missing, extra, surge }).toEqual({ isFinished: true, missing: [], extra: [], surge: [] });
      expect(world.members).toHaveLength(world.rules.replicas);
      expect([undefined, "Completed"]).toContain(play.told.update.phase);
      if (world.rules.partition <= world.rules.start) expect(play.told.currentRevision).toBe(update.name);
      expect(plan(world, update)).toEqual([]);
    }),
    { numRuns: runs, seed: 1 },
  );
});

test("a provider that cannot be reached during a roll-out costs no machine more than the roll-out itself", () => {
  const shape = fc.record({
    maxUnavailable: fc.integer({ min: 0, max: 2 }),
    maxSurge: fc.integer({ min: 0, max: 2 }),
    isOrdered: fc.boolean(),
    minReadySeconds: fc.constantFrom(0, 2),
    deadline: fc.constantFrom(600, 5),
  });
  const change = fc.integer({ min: 1, max: 3 }).map((image) => ({ is: "template", image, size: 0 }) as const);
  const rest = fc.integer({ min: 1, max: 30 }).map((passes) => ({ is: "rest", passes }) as const);
  const scale = fc.integer({ min: 2, max: 6 }).map((replicas) => ({ is: "scale", replicas }) as const);
  const short = fc.integer({ min: 1, max: 6 }).map((passes) => ({ is: "rest", passes }) as const);
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(rest, fc.oneof({ weight: 3, arbitrary: outage }, change)) },
    { weight: 1, arbitrary: fc.tuple(outage, short, scale) },
  );
  const events = fc.array(step, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(shape, delays, events, (given, late, all) => {
      const play = new Play({ ...given, replicas: 6, start: 0, partition: 0, strategy: "RollingUpdate" }, late);
      play.happens({ is: "rest", passes: 40 });
      play.happens({ is: "template", image: 1, size: 0 });
      for (const it of all.flat()) play.happens(it);
      play.happens({ is: "rest", passes: 40 });
    }),
    { numRuns: 2 * runs, seed: 1 },
  );
});

const runs = 60;
