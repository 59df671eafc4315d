// A whole cluster in one process and one seed: server, network, operator, people and what is outside. `run` lets it live
// until it is quiet.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { type Random, seededRandom, tick, VirtualClock } from "@telltale/clock";
import { type Instant, instant, type Kind, type KindRef, type KubeObject, type Ms, toCrd } from "@telltale/kinds";
import { StatusViolation } from "@telltale/status";
import type { Dump } from "./dump.ts";
import type { Plan } from "./fault.ts";
import { type Change, History, isNoise } from "./history.ts";
import { insist } from "./insist.ts";
import type { Invariant, Watcher } from "./invariant.ts";
import { Network } from "./network.ts";
import type { Expectation } from "./perturbation.ts";
import { perturbationOf } from "./perturbations/index.ts";
import { Process, type ProcessEvents, terms } from "./process.ts";
import type { Reference } from "./reference.ts";
import { invariantOf } from "./rules.ts";
import type { Backend, Scenario } from "./scenario.ts";
import { Trace } from "./trace.ts";
import type { Violation } from "./violation.ts";
import { Watchers } from "./watchers.ts";
import { Wishes } from "./wishes.ts";
import { changeText, knownTo, passedText, passText } from "./words.ts";

export interface WorldOptions {
  readonly scenario: Scenario;
  readonly plan: Plan;
  readonly invariants: readonly Invariant[];
}

const newYear = instant(Date.UTC(2026, 0, 1));
/** From a crash to the next start. */
const restart: Ms = 1000;
/** Between what people do one after the other. */
const pause: Ms = 60_000;
/** So long a process may take to end in good order. */
const patienceWithEnds: Ms = 60_000;
/** So long a new process has to show that it has nothing to do. */
const trial: Ms = 30_000;
/** So many timers go off in no plan that gets anywhere. Who sets one without a delay again and again would never end. */
const mostMoments = 300_000;

type StoreSnapshot = ReturnType<ApiServer["snapshot"]>;

/** What is on the server before anything starts: made once for all plans of a scenario. */
const beginnings = new WeakMap<object, StoreSnapshot>();

export class World {
  readonly scenario: Scenario;
  readonly plan: Plan;
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  readonly history: History;
  readonly network: Network;
  readonly trace: Trace;
  readonly random: Random;
  readonly backend: (Backend & object) | undefined;
  /** A person's: nothing goes wrong on its way. */
  readonly person: Client;
  /** Of those who do what the scenario says. */
  readonly wishes = new Wishes();
  readonly processes: Process[] = [];
  readonly violations: Violation[] = [];
  /** What becomes of a manifest before it is applied for the first time. */
  readonly edits: ((object: KubeObject) => KubeObject)[] = [];
  /** What people did so far, and how much was written when they had done it. */
  readonly deeds: {
    readonly what: string;
    readonly act: () => unknown;
    readonly who: string;
    readonly until: number;
  }[] = [];
  readonly #watchers: Watchers;
  readonly #unclaimed: Change[] = [];
  /** The end of the last thing that was planned. */
  #busyUntil: Instant;
  /** The end of what went wrong last, as far as it is planned. */
  #troubledUntil: Instant = instant(0);
  readonly #people: Client;
  /** The end of what people have done so far. */
  #done: Promise<void> = Promise.resolve();
  readonly #afterwards: (() => void)[] = [];
  #counter = 0;
  #cluster: Process | undefined;
  /** Deeds that are not done yet. */
  #trying = 0;
  /** How often something was waited for. */
  #moments = 0;
  #isEnding = false;

  private constructor(options: WorldOptions, server: ApiServer, clock: VirtualClock) {
    const { scenario, plan } = options;
    this.scenario = scenario;
    this.plan = plan;
    this.clock = clock;
    this.server = server;
    this.#busyUntil = clock.now();
    this.trace = new Trace();
    this.random = seededRandom(plan.seed + 1);
    this.history = new History(server, clock);
    const latency = seededRandom(plan.seed + 2);
    this.network = new Network({
      server: inProcessTransport(server.client),
      clock,
      history: this.history,
      trace: this.trace,
      // Half of all messages take no time: others overtake those that do.
      latency: plan.latency === "random" ? () => Math.max(0, Math.floor((latency.next() - 0.5) * 100)) : () => 0,
      witness: {
        sent: (sent) => {
          for (const watcher of this.#watchers.of("sent")) watcher.sent(sent);
        },
        applied: (sent, changes, status, answer) => {
          for (const watcher of this.#watchers.of("applied")) watcher.applied(sent, changes, status, answer);
        },
        heard: (sent, heard) => {
          for (const watcher of this.#watchers.of("heard")) watcher.heard(sent, heard);
        },
      },
    });
    const transport = inProcessTransport(server.client);
    const person = { clock, random: seededRandom(plan.seed + 3), fieldManager: "person" };
    this.person = createClient({ ...person, transport });
    this.#people = createClient({ ...person, transport: this.wishes.over(transport) });
    this.backend = scenario.backend?.({ clock, random: seededRandom(plan.seed + 4) });
    this.#watchers = new Watchers(
      options.invariants.map(({ id, watch }) => watch(this, (what) => this.violate(id, what))),
    );
    this.history.listen((change) => {
      this.#unclaimed.push(change);
      if (!isNoise(change.key)) this.trace.note(change.at, "server", () => changeText(change));
    });
  }

  static async begin(options: WorldOptions): Promise<World> {
    const { scenario, plan } = options;
    const objects = () => [...scenario.kinds.map((kind: Kind) => toCrd(kind)), ...(scenario.given ?? [])];
    const open = (clock: VirtualClock, seed: number, from?: StoreSnapshot) =>
      startApiServer({
        listen: false,
        clock,
        random: seededRandom(seed),
        authorization: "always-allow",
        // A beginning holds them already.
        objects: from === undefined ? objects() : [],
        storage: { kind: "memory", ...(from === undefined ? {} : { from }) },
      });
    let first = beginnings.get(scenario);
    if (first === undefined) {
      const server = await open(new VirtualClock(scenario.start ?? newYear), 0);
      first = server.snapshot();
      beginnings.set(scenario, first);
      await server.stop();
    }
    const clock = new VirtualClock(scenario.start ?? newYear);
    return new World(options, await open(clock, plan.seed, first), clock);
  }

  /** Everything that the scenario says, and then quiet. */
  async run(): Promise<void> {
    const { apply, people = [] } = this.scenario;
    for (let i = 0; i < this.#replicas; i += 1) this.startProcess();
    this.#startOthers();
    for (const [i, object] of apply.entries()) {
      this.#deed(1000 + i * 10, `applies ${object.kind} ${object.metadata?.name}`, () => this.#bring(object));
    }
    for (const { at, what, act } of people) this.#deed(at, what, () => act(this.#people));
    await this.untilQuiet();
  }

  /** At a time after the start somebody does something. What goes wrong with it is part of the trace. */
  at(delay: Ms, what: string, act: () => unknown, who = "person"): void {
    this.#when(delay, () => this.do(what, act, who));
  }

  /** People come one after the other: whoever is still trying holds up the next. */
  #deed(delay: Ms, what: string, act: () => unknown): void {
    this.#when(delay, () => {
      this.#done = this.#done.then(() => this.#try(what, act, "person"));
    });
  }

  #when(delay: Ms, call: () => void): void {
    const due = instant((this.scenario.start ?? newYear) + delay);
    this.#busyUntil = instant(Math.max(this.#busyUntil, due));
    this.clock.after(due - this.clock.now(), call);
  }

  /** Somebody does something now, and tries again where it is refused for no fault of theirs. */
  do(what: string, act: () => unknown, who = "person"): void {
    void Promise.resolve().then(() => this.#try(what, act, who));
  }

  #try(what: string, act: () => unknown, who: string): Promise<void> {
    this.trace.note(this.clock.now(), who, what);
    const deed = { what, act, who, until: Number.POSITIVE_INFINITY };
    this.deeds.push(deed);
    const failed = (error: unknown) =>
      this.trace.note(this.clock.now(), who, `${what}: ${error instanceof Error ? error.message : String(error)}`);
    this.#trying += 1;
    return insist({ clock: this.clock, failed, waits: (ms) => this.busyFor(ms) }, act).finally(() => {
      deed.until = this.history.length;
      this.#trying -= 1;
    });
  }

  /** Once everything is quiet somebody does something, before it may become quiet again. One at a time, in their order. */
  whenQuiet(what: string, act: () => unknown, who = "person"): void {
    this.#afterwards.push(() => this.do(what, act, who));
  }

  /** Somebody who watches beside the invariants: a fault that waits for something. */
  watch(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  /** Tells everybody that the server was put back to an earlier state. */
  restored(): void {
    this.#hand();
    this.history.isRewound = true;
    for (const watcher of this.#watchers.of("restored")) watcher.restored();
  }

  /** As long as this the world is not quiet. */
  busyFor(ms: Ms): void {
    this.#troubledUntil = instant(Math.max(this.#troubledUntil, this.clock.now() + ms));
    this.#busyUntil = instant(Math.max(this.#busyUntil, this.#troubledUntil));
  }

  /** Whether a fault lasts that keeps the world from being quiet. */
  get isTroubled(): boolean {
    return this.#troubledUntil > this.clock.now();
  }

  apply(object: KubeObject): Promise<unknown> {
    const path = pathOf(this.scenario.kinds, object);
    return this.person.request({
      method: "PATCH",
      path,
      query: { fieldManager: "person", force: "true" },
      headers: { "content-type": "application/apply-patch+yaml" },
      body: JSON.stringify(object),
    });
  }

  /** Who edited a manifest so that the server refuses it puts it right at once. */
  async #bring(object: KubeObject): Promise<unknown> {
    const edited = this.edits.reduce((it, edit) => edit(it), object);
    if (edited === object) return this.apply(object);
    try {
      return await this.apply(edited);
    } catch (error) {
      this.trace.note(this.clock.now(), "person", error instanceof Error ? error.message : String(error));
      return this.apply(object);
    }
  }

  startProcess(): Process {
    this.#counter += 1;
    const name = `operator-${this.#counter}`;
    const { scenario, plan } = this;
    const process = new Process({
      name,
      operator: scenario.name,
      seed: plan.seed + 100 * this.#counter,
      clock: this.clock,
      replicas: this.#replicas,
      transport: (clock) => this.network.transport(name, clock, true),
      controllers: (around) => scenario.operator({ ...around, backend: this.backend }),
      on: this.#events(),
    });
    this.processes.push(process);
    this.trace.note(this.clock.now(), name, "starts");
    for (const watcher of this.#watchers.of("started")) watcher.started(process);
    return process;
  }

  /** The process ends where it is; another one starts a moment later. */
  crash(process: Process, after: Ms = restart): void {
    if (!process.isAlive) return;
    process.crash();
    this.trace.note(this.clock.now(), process.name, "crashes");
    if (this.#isEnding) return;
    this.busyFor(after);
    this.clock.after(after, () => this.startProcess());
  }

  /** The process is asked to end; once it has, another one starts. */
  stop(process: Process, after: Ms = restart): void {
    if (process.state !== "runs") return;
    this.trace.note(this.clock.now(), process.name, "is asked to stop");
    this.busyFor(patienceWithEnds + after);
    void process.stop().then(() => {
      this.trace.note(this.clock.now(), process.name, "has stopped");
      if (!this.#isEnding) this.clock.after(after, () => this.startProcess());
    });
  }

  /** What the end is compared with: the least that any fault of the plan expects. */
  get expects(): Expectation {
    const all = this.plan.faults.map((fault) => {
      if (this.scenario.differs?.(fault, this.plan.faults) === true) return "own";
      const { expects = "same" } = perturbationOf(fault);
      return typeof expects === "string" ? expects : expects(fault, this.scenario);
    });
    return all.includes("own") ? "own" : all.includes("gone") ? "gone" : "same";
  }

  /** What may end differently: what the scenario says, and what the faults of the plan bring with them. */
  get free(): readonly string[] {
    const faults = this.plan.faults.flatMap((fault) => perturbationOf(fault).free?.(fault, this.scenario) ?? []);
    return [...(this.scenario.free ?? []), ...faults];
  }

  get #replicas(): 1 | 2 {
    const asked = this.plan.faults.some((fault) => perturbationOf(fault).replicas === 2);
    return asked ? 2 : (this.scenario.replicas ?? 1);
  }

  process(name: string): Process | undefined {
    return this.processes.find((it) => it.name === name);
  }

  /** Whoever is at work: the newest process that is alive. */
  get working(): Process | undefined {
    return this.processes.findLast((it) => it.isAlive);
  }

  #startOthers(): void {
    const { others } = this.scenario;
    if (others === undefined) return;
    this.#cluster = new Process({
      name: "cluster",
      operator: "cluster",
      seed: this.plan.seed + 7,
      clock: this.clock,
      replicas: 1,
      transport: (clock) => this.network.transport("cluster", clock, false),
      controllers: (around) => others({ ...around, backend: this.backend }),
      on: { begins: this.#passOf, passed() {}, sample() {}, log() {}, broke() {} },
    });
    this.trace.note(this.clock.now(), this.#cluster.name, "starts");
  }

  readonly #passOf: ProcessEvents["begins"] = (process, controller, object) => {
    const { revision } = this.server.store;
    return { process, controller, object, at: process.clock.now(), revision, gate: "go" };
  };

  #events(): ProcessEvents {
    const { faults } = this.plan;
    return faults.length > 0 ? this.#told : { ...this.#told, reads: (kind) => this.#tellReads(kind) };
  }

  #tellReads(kind: KindRef): void {
    for (const watcher of this.#watchers.of("reads")) watcher.reads(kind);
  }

  readonly #told: ProcessEvents = {
    begins: (process, controller, object) => {
      const pass = this.#passOf(process, controller, object);
      if (!process.isAlive) return pass;
      const known = knownTo(pass);
      this.trace.note(this.clock.now(), process.name, () => passText(pass, known));
      for (const watcher of this.#watchers.of("pass")) watcher.pass(pass);
      return pass;
    },
    passed: (pass) => {
      this.trace.note(this.clock.now(), pass.process.name, () => passedText(pass));
      for (const watcher of this.#watchers.of("passed")) watcher.passed(pass);
    },
    sample: (process, sample) => {
      for (const watcher of this.#watchers.of("sample")) watcher.sample(process, sample);
    },
    log: (process, line) => this.trace.note(this.clock.now(), process.name, line),
    broke: (process, error) => {
      const text = error instanceof Error ? error.message : String(error);
      const rules = error instanceof StatusViolation ? error.violations : [];
      for (const id of new Set(rules.map(({ rule }) => invariantOf(rule))))
        this.violate(id, `${process.name}: ${text}`);
      if (rules.length === 0) this.violate("end", `${process.name} ended: ${text}`);
    },
  };

  /** Something that must hold does not. */
  violate(invariant: string, what: string): void {
    this.violations.push({ invariant, what });
    this.trace.note(this.clock.now(), "invariant", `${invariant}: ${what}`);
  }

  /** Lets time pass until nothing is written any more. */
  async untilQuiet(): Promise<void> {
    const { patience = 4 * 3_600_000 } = this.scenario;
    let since = this.clock.now();
    for (;;) {
      await this.#drain();
      for (const watcher of this.#watchers.of("moment")) watcher.moment();
      const calm = instant(Math.max(this.history.changedAt, this.#busyUntil) + this.#quiet);
      const next = this.clock.next();
      if (next === undefined || next > calm) {
        this.clock.advance(Math.max(0, calm - this.clock.now()));
        const deed = this.#afterwards.shift();
        if (deed === undefined) return;
        deed();
        this.busyFor(0);
        since = this.clock.now();
        continue;
      }
      this.#moments += 1;
      const limit = Math.max(since, this.#busyUntil) + patience; // what a fault itself puts off is not the operator's
      if (next > limit || this.#isRestless) {
        const within = next > limit ? `${patience / 60_000} minutes` : `${mostMoments} moments`;
        this.violate("I1", `it has not become quiet within ${within}: something is done again and again`);
        return;
      }
      this.clock.fire();
    }
  }

  get #isRestless(): boolean {
    return this.#moments > mostMoments;
  }

  /** How long nothing must be written. Less is enough before somebody goes on; who waits for a lease is not quiet. */
  get #quiet(): Ms {
    const { quiet = 300_000 } = this.scenario;
    const enough = this.#afterwards.length > 0 ? Math.min(quiet, pause) : quiet;
    return this.#replicas === 1 ? enough : Math.max(enough, terms.duration + 2 * terms.retry);
  }

  /**
   * Everything that needs no time happens: after one turn every promise has gone on. Somebody's deed, or a process that goes on
   * after a pause, may need more of them.
   */
  async #drain(): Promise<void> {
    for (let still = 0, seen = 0; still < 2; ) {
      await tick();
      this.#hand();
      const isResuming = this.processes.some(({ clock }) => clock.isResuming);
      if (!isResuming && this.#trying === 0) return;
      const now = this.server.store.revision + this.network.writes + this.trace.steps.length;
      still = now === seen && !isResuming ? still + 1 : 0;
      seen = now;
    }
  }

  /** Changes reach the watchers once it is known whose they are. */
  #hand(): void {
    for (const change of this.#unclaimed.splice(0))
      for (const watcher of this.#watchers.of("change")) watcher.change(change);
  }

  /** After quiet: the invariants' last word. */
  judge(reference: Reference | undefined, end: Dump): void {
    for (const watcher of this.#watchers.of("end")) watcher.end(reference, end);
  }

  /** All processes end in good order, and another one starts: it looks at everything, and must find nothing to do. */
  async rebirth(): Promise<void> {
    this.#isEnding = true;
    const from = this.history.length;
    for (const process of this.processes) if (process.isAlive) void process.stop();
    await this.#live(0);
    // Who does not end by itself has time to.
    if (this.processes.some(({ isAlive }) => isAlive)) await this.#live(patienceWithEnds);
    const { name } = this.startProcess();
    await this.#live(trial);
    const changes = this.history.changes.slice(from).filter(({ author }) => author === name);
    for (const watcher of this.#watchers.of("reborn")) watcher.reborn(changes);
  }

  /** Lets so much time pass. */
  async #live(ms: Ms): Promise<void> {
    const until = instant(this.clock.now() + ms);
    do await this.#drain();
    while (!this.#isRestless && this.clock.fire(until));
    if (!this.#isRestless) this.clock.advance(until - this.clock.now());
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    for (const process of [...this.processes, this.#cluster]) process?.crash();
    await this.server.stop();
  }
}

/** Where an object is applied. Kinds of the scenario by their names; others as Kubernetes names its own. */
function pathOf(kinds: readonly Kind[], object: KubeObject): string {
  const { apiVersion = "", kind = "", metadata } = object;
  const known = kinds.find((it) => it.kind === kind && it.apiVersion === apiVersion);
  const plural = known?.plural ?? `${kind.toLowerCase()}s`;
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const isNamespaced = known === undefined ? metadata?.namespace !== undefined : known.scope !== "Cluster";
  const place = isNamespaced ? `${base}/namespaces/${metadata?.namespace ?? "default"}` : base;
  return `${place}/${plural}/${metadata?.name}`;
}
