// One pod on this machine: its folder, addresses and volumes, and its containers in their order. A step at a time, one after
// the other; in between, containers go on by themselves and ask for the next step.
import { mkdir, rm } from "node:fs/promises";
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { type PodEvent, type PodReport, type References, standardGrace } from "../kubelet/pod-runtime.ts";
import { containerMark, runtimeMark } from "./census.ts";
import type { Children } from "./children.ts";
import { next, policyOf } from "./container.ts";
import { Instance } from "./instance.ts";
import { type PodFolder, podFolder } from "./layout.ts";
import { LogFile } from "./log-file.ts";
import { placeMounts } from "./mounts.ts";
import { hostAddress, type Network, type Networks, networkJson, networkOf } from "./network.ts";
import type { Settings } from "./options.ts";
import { planLaunch } from "./plan.ts";
import { podReport } from "./pod-report.ts";
import { readRecord, writeRecord } from "./record.ts";
import { MountFailure, Refusal, textOf } from "./refusal.ts";
import { type Course, moves, type Part } from "./sequence.ts";
import { Slot } from "./slot.ts";
import { type Container, membersOf, type Probe, podText } from "./spec.ts";
import { VolumeMounter } from "./volume-mounter.ts";
import type { Watchdog } from "./watchdog.ts";

export interface PodSurroundings {
  readonly root: string;
  /** The name of this server among all that there were. */
  readonly runtime: string;
  readonly settings: Settings;
  readonly networks: Networks;
  readonly children: Children;
  readonly watchdog: Watchdog;
  readonly wake: () => void;
  /** Everything ends. What ends now is not written down, so that the next server knows that it was cut off. */
  readonly isStopping: () => boolean;
}

/** What every container of a pod needs. */
interface Ground {
  readonly folder: PodFolder;
  readonly slots: ReadonlyMap<string, Slot>;
  readonly network: Network;
  readonly mounter: VolumeMounter;
}

/** What was not there may be there now, although nobody says so. */
const retry: Ms = 10_000;
const deadlineMessage = "Pod was active on the node longer than the specified deadline";

export class PodRun {
  readonly #around: PodSurroundings;
  #pod: Pod;
  #ground: Ground | undefined;
  #events: PodEvent[] = [];
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
    return podReport({
      pod,
      ground,
      parts,
      events: this.#drain(),
      ...(this.#isPastDeadline ? { ended: { reason: "DeadlineExceeded", message: deadlineMessage } } : {}),
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
    const mains = this.#parts(ground, "going", now).filter(({ role }) => role === "main");
    const isOver = mains.every((part) => part.stage.at === "ended" && part.next.do === "stay");
    if (now < deadline || isOver) return isOver ? undefined : deadline;
    this.#isPastDeadline = true;
    this.#events.push({ type: "Normal", reason: "DeadlineExceeded", message: deadlineMessage });
    return undefined;
  }

  #hasten(pod: Pod): void {
    const uptime = this.#around.settings.clock.uptime();
    this.#stopBy = Math.min(this.#stopBy, uptime + graceOf(pod));
    for (const instance of this.#instances()) instance.stopWatching();
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
        this.#events.push({ type: "Warning", reason: "FailedMount", message: error.message });
      this.#mountProblem = error.message;
      return undefined;
    }
  }

  #place({ network }: Ground) {
    return { podIP: network.ip, hostIP: hostAddress, ...this.#around.settings.machine };
  }

  #parts({ slots }: Ground, course: Course, now: Instant): readonly Part[] {
    return [...slots.values()].map(({ name, member, standing, instance }) => ({
      name,
      role: member.role,
      stage: standing.stage,
      next:
        course === "stopping" ? { do: "stay" } : next(standing, policyOf(member, this.#pod.spec?.restartPolicy), now),
      isStarted: instance?.isStarted === true,
    }));
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
      slot.instance = await this.#launch(ground, slot, now, refers);
      slot.runs(slot.instance.process);
      this.#events.push({ type: "Normal", reason: "Created", message: "Container created" });
      this.#events.push({ type: "Normal", reason: "Started", message: "Container started" });
    } catch (error) {
      const refusal = refusalOf(error);
      slot.refuse(before.standing, refusal);
      if (refusal.message !== before.problem)
        this.#events.push({ type: "Warning", reason: "Failed", message: `Error: ${refusal.message}` });
    }
  }

  async #launch(ground: Ground, slot: Slot, now: Instant, refers: References): Promise<Instance> {
    const { settings, children, watchdog, runtime, wake, isStopping } = this.#around;
    const { clock, inherited, images, translatePaths } = settings;
    const { member, folder, owner } = slot;
    const marks = { [runtimeMark]: runtime, [containerMark]: owner };
    const launch = planLaunch({
      pod: this.#pod,
      member,
      refers,
      folder: ground.folder,
      place: this.#place(ground),
      ports: ground.network.ports,
      inherited,
      marks,
      images,
      translatePaths,
    });
    for (const path of [folder.home, folder.rootfs]) await mkdir(path, { recursive: true });
    await placeMounts(launch.mounts, slot.name, ground.folder);
    await mkdir(launch.cwd, { recursive: true });
    await slot.forgetOldLogs();
    return Instance.begin({
      member,
      launch,
      owner,
      containerID: slot.containerID(slot.standing.restarts),
      startedAt: now,
      log: new LogFile(slot.logPath(slot.standing.restarts), clock, settings.log),
      address: (port) => addressOf(ground.network, member.container, port),
      grace: (probe) => graceOf(this.#pod, probe),
      children,
      watchdog,
      clock,
      event: (event) => void this.#events.push(event),
      changed: wake,
      ended: (how) => {
        if (isStopping()) return;
        slot.end(how);
        wake();
      },
    });
  }

  #announceBackOff({ slots }: Ground, parts: readonly Part[]): void {
    for (const { name, next: what, stage } of parts) {
      const slot = slots.get(name);
      if (slot === undefined || what.do !== "wait" || stage.at !== "ended") continue;
      if (slot.announced === stage.how.finishedAt) continue;
      slot.announced = stage.how.finishedAt;
      const message = `Back-off restarting failed container ${name} in pod ${podText(this.#pod)}`;
      this.#events.push({ type: "Warning", reason: "BackOff", message });
    }
  }

  #drain(): readonly PodEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** Where a port of a container is, by number or name. */
export function addressOf(
  { ip, ports }: Network,
  container: Container | undefined,
  port: number | string,
): { readonly host: string; readonly port: number } {
  const named = container?.ports?.find(({ name }) => name === port)?.containerPort;
  const number = typeof port === "number" ? port : (named ?? Number(port));
  if (!Number.isInteger(number)) throw new Error(`container ${container?.name} has no port named "${port}"`);
  return { host: ip, port: ports.get(number) ?? number };
}

function graceOf({ metadata, spec }: Pod, probe?: Probe): Ms {
  const own = probe?.terminationGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds;
  const seconds = metadata?.deletionGracePeriodSeconds ?? own;
  return seconds === undefined ? standardGrace : Math.max(0, seconds * 1_000);
}

function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal("CreateContainerError", textOf(error));
}

function earliest(moments: readonly (Instant | undefined)[]): Instant | undefined {
  const known = moments.filter((it) => it !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => (a < b ? a : b));
}
