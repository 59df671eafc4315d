// Work that goes on after its answer. Every task is a row of steps, each repeatable; where it stands is on disk before a step begins,
// so that a provider that starts again goes on from there.
import { readdir, readFile } from "node:fs/promises";
import { sleep } from "@telltale/clock";
import { RpcError } from "../contract/rpc-error.ts";
import type { Host } from "./host.ts";
import { isTaskId, newTaskId } from "./ids.ts";
import type { Layout } from "./layout.ts";
import { isAlive, type ProcessRef, withArguments } from "./processes.ts";
import { failureOf, progressIn } from "./qemu-img.ts";
import { marker, readRc, recorded } from "./recorded.ts";
import { Slots } from "./slots.ts";
import { type Found, mostAttempts, onRestart, outdated, type TaskRecord } from "./task-record.ts";
import { type Doing, type NewTask, rpcError, type Step, type Work } from "./work.ts";

const look = 200;

export class Tasks {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #works: ReadonlyMap<string, Work>;
  readonly #records = new Map<string, TaskRecord>();
  readonly #ends = new Map<string, Promise<TaskRecord>>();
  readonly #stops = new Map<string, AbortController>();
  readonly #slots: Slots;

  constructor(host: Host, layout: Layout, maxJobs: number, works: Readonly<Record<string, Work>>) {
    this.#host = host;
    this.#layout = layout;
    this.#slots = new Slots(maxJobs);
    this.#works = new Map(Object.entries(works));
  }

  get(id: string): TaskRecord | undefined {
    return this.#records.get(id);
  }

  all(): Iterable<TaskRecord> {
    return this.#records.values();
  }

  /** The unfinished task that holds a machine. */
  holding(vmId: string): TaskRecord | undefined {
    return [...this.#records.values()].find((record) => isOpen(record) && record.holds.includes(vmId));
  }

  byKey(key: string): TaskRecord | undefined {
    return [...this.#records.values()].find((record) => isOpen(record) && record.key === key);
  }

  /** The last one that ended well. */
  doneByKey(key: string): TaskRecord | undefined {
    return [...this.#records.values()].findLast((record) => record.state === "done" && record.key === key);
  }

  /** Begins work, or gives the same work that is going on already. */
  async start({ id, secrets, bytesTotal = 0, ...task }: NewTask): Promise<TaskRecord> {
    const same = this.byKey(task.key);
    if (same !== undefined) return same;
    const record: TaskRecord = {
      ...task,
      id: id ?? newTaskId(this.#host.random),
      state: "queued",
      stage: "",
      percent: -1,
      bytesDone: 0,
      bytesTotal,
      result: {},
      startedAt: this.#now(),
      attempt: 0,
      kind: "steps",
      steps: [],
      current: 0,
    };
    this.#records.set(record.id, record);
    try {
      await this.#save({ ...record, steps: this.#stepsOf(record).map(({ name }) => name) });
    } catch (error) {
      // Never started: it must neither hold its machine nor count as the same work when the request is repeated.
      await this.#discard(record.id);
      throw rpcError(error);
    }
    this.#go(record.id, secrets, true);
    return this.#record(record.id);
  }

  /** How it ended. */
  async ended(id: string): Promise<TaskRecord> {
    return this.#ends.get(id) ?? this.#record(id);
  }

  /** Ends a task from outside, and waits until it has. */
  async cancel(id: string): Promise<void> {
    this.#stops.get(id)?.abort();
    await this.#ends.get(id);
  }

  /** Reads what is on disk and goes on with what is not finished. */
  async resume(): Promise<void> {
    for (const name of await readdir(this.#layout.tasks)) {
      const id = name.replace(/\.json$/, "");
      if (!name.endsWith(".json") || !isTaskId(id)) continue;
      const record: TaskRecord = JSON.parse(await readFile(this.#layout.task(id).record, "utf8"));
      this.#records.set(id, record);
    }
    for (const record of [...this.#records.values()]) if (isOpen(record)) this.#go(record.id, undefined, false);
    await this.#forget();
  }

  /** Nothing goes on in this process any more; what runs outside of it stays. */
  stop(): void {
    for (const stop of this.#stops.values()) stop.abort(new Stopped());
  }

  #go(id: string, secrets: Doing["secrets"], isNew: boolean): void {
    const stop = new AbortController();
    this.#stops.set(id, stop);
    const end = this.#perform(id, secrets, isNew, stop.signal).finally(() => {
      this.#stops.delete(id);
      this.#ends.delete(id);
    });
    end.catch(() => {});
    this.#ends.set(id, end);
  }

  async #perform(id: string, secrets: Doing["secrets"], isNew: boolean, signal: AbortSignal): Promise<TaskRecord> {
    const work = this.#works.get(this.#record(id).op);
    let hasSlot = false;
    try {
      if (work === undefined) throw new RpcError("INTERNAL", `nothing here does ${this.#record(id).op}`);
      if (work.isCopy) {
        await this.#slots.take(signal);
        hasSlot = true;
      }
      const steps = work.steps(this.#record(id));
      let isResumed = !isNew;
      for (let at = this.#record(id).current; at < steps.length; at++) {
        const step = steps[at];
        if (step === undefined) break;
        signal.throwIfAborted();
        await this.#step(id, at, step, isResumed, signal, secrets);
        isResumed = false;
      }
      await this.#saveFinished({ ...this.#record(id), state: "done", percent: 100, finishedAt: this.#now() });
    } catch (error) {
      if (signal.reason instanceof Stopped) throw error;
      const said = signal.aborted ? new RpcError("CANCELLED", "ended by a later request") : rpcError(error);
      await work?.undo?.(this.#record(id)).catch(() => {});
      await this.#saveFinished({
        ...this.#record(id),
        state: "failed",
        error: { code: said.code, message: said.message },
        finishedAt: this.#now(),
      });
    } finally {
      if (hasSlot) this.#slots.give();
    }
    await this.#forget();
    return this.#record(id);
  }

  async #step(
    id: string,
    at: number,
    step: Step,
    isResumed: boolean,
    signal: AbortSignal,
    secrets: Doing["secrets"],
  ): Promise<void> {
    const doing = this.#doing(id, signal, secrets);
    const paths = this.#layout.task(id);
    const before = this.#record(id);
    const orphan = isResumed && step.kind === "proc" ? await this.#processOf(before) : undefined;
    const next = isResumed ? onRestart(before, await this.#found(before, step, orphan)) : { do: "repeat" as const };
    switch (next.do) {
      case "fail":
        throw new RpcError("INTERNAL", next.message);
      case "look":
        if (step.kind === "qmp" && (await step.isDone())) return;
        // It never began, or left nothing: as good as a program that is gone.
        if (before.attempt >= mostAttempts) throw new RpcError("INTERNAL", "interrupted by provider restart");
        break;
      case "watch":
        if (step.kind === "qmp") return step.watch(id, doing);
        if (step.kind === "proc" && orphan !== undefined) return this.#watch(id, step, orphan, doing);
        return;
      case "collect":
        return this.#collect(id, step, next.rc);
      case "repeat":
        break;
    }
    const { pid: _, pidStart: __, ...rest } = before;
    const attempt = isResumed && before.state === "running" ? before.attempt + 1 : 1;
    const begun = { ...rest, state: "running", stage: step.stage, kind: step.kind, current: at, attempt } as const;
    // Before the record says `proc`, no exit code of an earlier step may be left that would count for this one.
    await this.#host.remove(paths.rc);
    await this.#host.remove(paths.log);
    await this.#save({ ...begun, percent: -1 });
    if (step.kind === "steps") return step.run(doing);
    if (step.kind === "qmp") {
      await step.start(id);
      return step.watch(id, doing);
    }
    const argv = await step.argv(doing);
    if (argv === undefined) return;
    const ref = await this.#host.launch(recorded(argv, paths.rc), paths.log);
    if (ref === undefined) throw new RpcError("UNAVAILABLE", "a program cannot be started on this host");
    await this.#save({ ...this.#record(id), pid: ref.pid, pidStart: ref.start });
    return this.#watch(id, step, ref, doing);
  }

  async #watch(id: string, step: Step, ref: ProcessRef, { signal, progress }: Doing): Promise<void> {
    const paths = this.#layout.task(id);
    for (;;) {
      const isRunning = await isAlive(ref);
      const rc = await readRc(paths.rc);
      if (rc !== undefined) return this.#collect(id, step, rc);
      if (!isRunning) throw new RpcError("INTERNAL", "a program of the task was ended from outside");
      const log = await readFile(paths.log, "utf8").catch(() => "");
      const percent = progressIn(log);
      if (percent !== undefined) progress({ percent: Math.floor(percent) });
      try {
        await sleep(this.#host.clock, look, signal);
      } catch (error) {
        if (!(signal.reason instanceof Stopped)) await this.#host.kill(ref);
        throw error;
      }
    }
  }

  async #collect(id: string, step: Step, rc: number): Promise<void> {
    if (rc === 0) return;
    const log = await readFile(this.#layout.task(id).log, "utf8").catch(() => "");
    throw failureOf(step.name, log.replaceAll("\r", "\n"));
  }

  async #found(record: TaskRecord, step: Step, orphan: ProcessRef | undefined): Promise<Found> {
    if (record.state === "queued") return {};
    if (step.kind === "qmp") return { job: await step.find(record.id) };
    if (step.kind !== "proc") return {};
    const rc = await readRc(this.#layout.task(record.id).rc);
    return { ...(rc === undefined ? {} : { rc }), isAlive: orphan !== undefined };
  }

  /** The program of a step that was interrupted: the recorded one, or one that was launched and not yet recorded. */
  async #processOf(record: TaskRecord): Promise<ProcessRef | undefined> {
    if (record.pid !== undefined && record.pidStart !== undefined) {
      const ref = { pid: record.pid, start: record.pidStart };
      return (await isAlive(ref)) ? ref : undefined;
    }
    const [found] = await withArguments([marker, this.#layout.task(record.id).rc]);
    return found;
  }

  #doing(id: string, signal: AbortSignal, secrets: Doing["secrets"]): Doing {
    const change = (part: Partial<TaskRecord>) => this.#records.set(id, { ...this.#record(id), ...part });
    const record = () => this.#record(id);
    return {
      get record() {
        return record();
      },
      signal,
      secrets,
      progress: (part) => void change(part),
      result: (part) => void change({ result: { ...this.#record(id).result, ...part } }),
    };
  }

  #stepsOf(record: TaskRecord): readonly Step[] {
    return this.#works.get(record.op)?.steps(record) ?? [];
  }

  #record(id: string): TaskRecord {
    const record = this.#records.get(id);
    if (record === undefined) throw new RpcError("NOT_FOUND", `task ${id} not found`);
    return record;
  }

  async #save(record: TaskRecord): Promise<void> {
    await this.#host.write(this.#layout.task(record.id).record, `${JSON.stringify(record, undefined, 2)}\n`);
    this.#records.set(record.id, record);
  }

  /** An outcome that cannot be stored, as on a full disk, still frees the machine, and a restart does not repeat finished work. */
  async #saveFinished(record: TaskRecord): Promise<void> {
    this.#records.set(record.id, record);
    try {
      await this.#save(record);
    } catch {
      await this.#host.remove(this.#layout.task(record.id).record).catch(() => {});
    }
  }

  async #forget(): Promise<void> {
    for (const id of outdated([...this.#records.values()], this.#host.clock.now())) await this.#discard(id);
  }

  async #discard(id: string): Promise<void> {
    this.#records.delete(id);
    for (const path of Object.values(this.#layout.task(id))) await this.#host.remove(path).catch(() => {});
  }

  #now(): string {
    return new Date(this.#host.clock.now()).toISOString();
  }
}

class Stopped extends Error {}

function isOpen({ state }: TaskRecord): boolean {
  return state === "queued" || state === "running";
}
