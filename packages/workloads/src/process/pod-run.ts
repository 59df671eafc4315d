// One pod on this machine: its folder, addresses and volumes, and its containers in their order. A step at a time, one after
// the other; in between, containers go on by themselves and ask for the next step.
import { mkdir, rm } from "node:fs/promises";
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { PodEvent, PodReport, References } from "../kubelet/pod-runtime.ts";
import { next, policyOf } from "./container.ts";
import type { Instance } from "./instance.ts";
import { launchContainer, type PodSurroundings } from "./launch.ts";
import { type PodFolder, podFolder } from "./layout.ts";
import { hostAddress, type Network, networkJson, networkOf } from "./network.ts";
import { podReport } from "./pod-report.ts";
import { readRecord, writeRecord } from "./record.ts";
import { MountFailure, refusalOf } from "./refusal.ts";
import { type Course, isOver, moves, type Part } from "./sequence.ts";
import { Slot } from "./slot.ts";
import { graceOf, membersOf, podText } from "./spec.ts";
import { VolumeMounter } from "./volume-mounter.ts";

/** What every container of a pod needs. */
interface Ground {
  readonly folder: PodFolder;
  readonly slots: ReadonlyMap<string, Slot>;
  readonly network: Network;
  readonly mounter: VolumeMounter;
}

/** What was not there may be there now, although nobody says so. */
const retry: Ms = 10_000;
/** Of those that came up between two steps: nobody may have asked for hours. */
const mostEvents = 100;
const deadlineMessage = "Pod was active on the node longer than the specified deadline";

export class PodRun {
  readonly #around: PodSurroundings;
  #pod: Pod;
  #ground: Ground | undefined;
  readonly #events: PodEvent[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #firstSeen: Instant;
  #mount: "never" | "done" = "never";
  #mountProblem: string | undefined;
  /** When it has to have ended, in uptime of the clock. */
  #stopBy = Number.POSITIVE_INFINITY;
  #isPastDeadline = false;

  constructor(pod: Pod, now: Instant, around: PodSurroundings) {
    this.#pod = pod;
    this.#firstSeen = now;
    this.#around = around;
  }

  get pod(): Pod {
    return this.#pod;
  }

  slot(name: string): Slot | undefined {
    return this.#ground?.slots.get(name);
  }

  /** Whether a container that has ended will run again. */
  isWaiting(slot: Slot): boolean {
    const policy = policyOf(slot.member, this.#pod.spec?.restartPolicy);
    const isGoing = this.#pod.metadata?.deletionTimestamp === undefined && !this.#isPastDeadline;
    return isGoing && slot.standing.stage.at === "ended" && next(slot.standing, policy, this.#firstSeen).do !== "stay";
  }

  get network(): Network | undefined {
    return this.#ground?.network;
  }

  /** Knows again what is on disk of it, and does nothing else. */
  recall(now: Instant): Promise<void> {
    return this.#inTurn(async () => {
      this.#ground ??= await this.#prepare(this.#pod, now);
    });
  }

  sync(pod: Pod, now: Instant, refers: References): Promise<PodReport> {
    return this.#inTurn(() => this.#step(pod, now, refers));
  }

  /** Asks all that runs to end. Resolves when it has. */
  async terminate(): Promise<void> {
    const all = this.#instances();
    for (const instance of all) instance.terminate();
    await Promise.all(all.map(({ gone }) => gone));
  }

  /** Ends all that runs, at once. */
  async kill(): Promise<void> {
    await this.#inTurn(async () => {
      await Promise.all(this.#instances().map((instance) => instance.kill()));
    });
  }

  /** Ends it, and removes what it had. */
  async remove(): Promise<void> {
    await this.kill();
    await this.#inTurn(async () => {
      if (this.#ground !== undefined) await rm(this.#ground.folder.path, { recursive: true, force: true });
      this.#around.networks.release(this.#pod.metadata?.uid ?? "");
      this.#ground = undefined;
    });
  }

  #instances(): readonly Instance[] {
    return [...(this.#ground?.slots.values() ?? [])].flatMap(({ instance }) =>
      instance === undefined ? [] : [instance],
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #step(pod: Pod, now: Instant, refers: References): Promise<PodReport> {
    this.#pod = pod;
    try {
      this.#ground ??= await this.#prepare(pod, now);
    } catch (error) {
      return podReport({ pod, refusal: refusalOf(error), events: this.#drain(), wakeAt: plus(now, retry) });
    }
    const ground = this.#ground;
    const deadline = this.#deadline(ground, now);
    const isDeleted = pod.metadata?.deletionTimestamp !== undefined;
    const course: Course = isDeleted || this.#isPastDeadline ? "stopping" : "going";
    const renewAt = course === "going" ? await this.#mountVolumes(ground, now, refers) : undefined;
    if (course === "stopping") this.#hasten(pod);
    if (course === "stopping" || this.#mount === "done") await this.#move(ground, course, now, refers);
    const parts = this.#parts(ground, course, now);
    this.#announceBackOff(ground, parts);
    const waits = parts.flatMap((part) => (part.next.do === "wait" ? [part.next.until] : []));
    const isLacking = this.#mountProblem !== undefined || [...ground.slots.values()].some((slot) => slot.refusal);
    const wakeAt = earliest([
      ...waits,
      deadline,
      renewAt,
      isLacking && course === "going" ? plus(now, retry) : undefined,
    ]);
    // Not before: a pod that has ended is one whose containers have.
    const isPast = this.#isPastDeadline;
    const isRunning = parts.some(({ stage }) => stage.at === "running");
    return podReport({
      pod,
      ground,
      parts,
      events: this.#drain(),
      ...(isPast && !isRunning ? { ended: { reason: "DeadlineExceeded", message: deadlineMessage } } : {}),
      ...(wakeAt === undefined ? {} : { wakeAt }),
    });
  }

  async #prepare(pod: Pod, now: Instant): Promise<Ground> {
    const { root, networks } = this.#around;
    const folder = podFolder(root, pod.metadata?.uid ?? "");
    const slots = membersOf(pod).map((it) => new Slot(it, folder.container(it.container.name), pod, now));
    for (const { name } of pod.spec?.volumes ?? []) folder.volume(name);
    await mkdir(folder.path, { recursive: true, mode: 0o700 });
    const before = networkOf(readRecord(folder.network, (value): value is object => value instanceof Object));
    const network = await networks.of(pod, before);
    writeRecord(folder.network, networkJson(network));
    const byName = new Map(slots.map((slot) => [slot.name, slot]));
    return { folder, slots: byName, network, mounter: new VolumeMounter(root, folder) };
  }

  /** When the pod must end by itself; undefined when it need not, or is past it. */
  #deadline(ground: Ground, now: Instant): Instant | undefined {
    const seconds = this.#pod.spec?.activeDeadlineSeconds;
    if (seconds === undefined || this.#isPastDeadline) return undefined;
    const deadline = plus(parseTime(this.#pod.status?.startTime) ?? this.#firstSeen, seconds * 1_000);
    if (isOver(this.#parts(ground, "going", now))) return undefined;
    if (now < deadline) return deadline;
    this.#isPastDeadline = true;
    this.#say({ type: "Normal", reason: "DeadlineExceeded", message: deadlineMessage });
    return undefined;
  }

  #hasten(pod: Pod): void {
    const uptime = this.#around.settings.clock.uptime();
    this.#stopBy = Math.min(this.#stopBy, uptime + graceOf(pod));
    for (const instance of this.#instances()) instance.onlyReadiness();
  }

  async #mountVolumes(ground: Ground, now: Instant, refers: References): Promise<Instant | undefined> {
    try {
      const renewAt = await ground.mounter.mount(this.#pod, refers, this.#place(ground), now);
      this.#mount = "done";
      this.#mountProblem = undefined;
      return renewAt;
    } catch (error) {
      if (!(error instanceof MountFailure)) throw error;
      if (this.#mountProblem !== error.message)
        this.#say({ type: "Warning", reason: "FailedMount", message: error.message });
      this.#mountProblem = error.message;
      return undefined;
    }
  }

  #place({ network }: Ground) {
    return { podIP: network.ip, hostIP: hostAddress, ...this.#around.settings.machine };
  }

  #parts({ slots }: Ground, course: Course, now: Instant): readonly Part[] {
    const parts: readonly Part[] = [...slots.values()].map(({ name, member, standing, instance }) => ({
      name,
      role: member.role,
      stage: standing.stage,
      next: next(standing, policyOf(member, this.#pod.spec?.restartPolicy), now),
      isStarted: instance?.isStarted === true,
    }));
    // Nothing begins any more, not even a sidecar, which otherwise always does.
    return course === "going" && !isOver(parts) ? parts : parts.map((part) => ({ ...part, next: { do: "stay" } }));
  }

  /** Starts and stops until nothing more is to be done now: what starts may let another one start. */
  async #move(ground: Ground, course: Course, now: Instant, refers: References): Promise<void> {
    const tried = new Set<string>();
    for (;;) {
      const { start, stop } = moves(this.#parts(ground, course, now), course);
      const uptime = this.#around.settings.clock.uptime();
      const grace = course === "stopping" ? Math.max(0, this.#stopBy - uptime) : graceOf(this.#pod);
      for (const { name, signal } of stop) ground.slots.get(name)?.instance?.stop({ grace, signal });
      const untried = start.filter((name) => !tried.has(name));
      if (untried.length === 0) return;
      for (const name of untried) {
        tried.add(name);
        const slot = ground.slots.get(name);
        if (slot !== undefined) await this.#start(ground, slot, now, refers);
      }
    }
  }

  async #start(ground: Ground, slot: Slot, now: Instant, refers: References): Promise<void> {
    const before = { standing: slot.standing, problem: slot.refusal?.message };
    try {
      slot.begin(now);
      slot.instance = await launchContainer({
        pod: () => this.#pod,
        slot,
        folder: ground.folder,
        network: ground.network,
        place: this.#place(ground),
        refers,
        now,
        around: this.#around,
        event: (event) => this.#say(event),
      });
      slot.runs(slot.instance.process);
      this.#say({ type: "Normal", reason: "Created", message: "Container created" });
      this.#say({ type: "Normal", reason: "Started", message: "Container started" });
    } catch (error) {
      const refusal = refusalOf(error);
      slot.refuse(before.standing, refusal);
      if (refusal.message !== before.problem)
        this.#say({ type: "Warning", reason: "Failed", message: `Error: ${refusal.message}` });
    }
  }

  #announceBackOff({ slots }: Ground, parts: readonly Part[]): void {
    for (const { name, next: what, stage } of parts) {
      const slot = slots.get(name);
      if (slot === undefined || what.do !== "wait" || stage.at !== "ended") continue;
      if (slot.announced === stage.how.finishedAt) continue;
      slot.announced = stage.how.finishedAt;
      const message = `Back-off restarting failed container ${name} in pod ${podText(this.#pod)}`;
      this.#say({ type: "Warning", reason: "BackOff", message });
    }
  }

  #say(event: PodEvent): void {
    this.#events.push(event);
    if (this.#events.length > mostEvents) this.#events.shift();
  }

  #drain(): readonly PodEvent[] {
    return this.#events.splice(0);
  }
}

function earliest(moments: readonly (Instant | undefined)[]): Instant | undefined {
  const known = moments.filter((it) => it !== undefined);
  return known.sort((a, b) => a - b)[0];
}
