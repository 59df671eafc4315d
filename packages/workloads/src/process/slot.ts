// A container of a pod over all its runs: how it stands, written down at each step, and the run that is going on.
import { rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Instant, instant, parseTime } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { Terminated } from "../kubelet/pod-runtime.ts";
import { begin, end, fresh, lost, type ProcessRef, running, type Standing } from "./container.ts";
import type { Instance } from "./instance.ts";
import type { ContainerFolder } from "./layout.ts";
import { readRecord, writeRecord } from "./record.ts";
import type { Refusal } from "./refusal.ts";
import type { Member } from "./spec.ts";

export class Slot {
  readonly member: Member;
  readonly folder: ContainerFolder;
  readonly uid: string;
  standing: Standing;
  instance: Instance | undefined;
  /** Why it was not started the last time that was tried. */
  refusal: Refusal | undefined;
  /** The end that its back-off was last announced for. */
  announced: Instant | undefined;

  constructor(member: Member, folder: ContainerFolder, pod: Pod, now: Instant) {
    this.member = member;
    this.folder = folder;
    this.uid = pod.metadata?.uid ?? "";
    const known = readRecord(folder.record, isStanding) ?? fromStatus(pod, member.container.name) ?? fresh;
    this.standing = lost(known, now, this.containerID(known.restarts));
    if (this.standing !== known) this.#note();
  }

  get name(): string {
    return this.member.container.name;
  }

  /** The mark of the processes of a run. */
  get owner(): string {
    return `${this.uid}/${this.name}/${this.standing.restarts}`;
  }

  containerID(restarts: number): string {
    return `process://${this.uid}/${this.name}/${restarts}`;
  }

  logPath(restarts: number): string {
    return join(this.folder.logs, `${restarts}.log`);
  }

  /** Written before there is a process: a crash in between counts as a run whose end is not known. */
  begin(now: Instant): void {
    this.standing = begin(this.standing, now);
    this.refusal = undefined;
    writeRecord(this.folder.record, this.standing);
  }

  runs(process: ProcessRef): void {
    this.standing = running(this.standing, process);
    this.#note();
  }

  /** No process came of it: everything is as it was before. */
  refuse(before: Standing, refusal: Refusal): void {
    this.standing = before;
    this.refusal = refusal;
    if (before.stage.at === "fresh") rmSync(this.folder.record, { force: true });
    else this.#note();
  }

  end(how: Terminated): void {
    this.standing = end(this.standing, how);
    this.instance = undefined;
    this.#note();
  }

  /** The logs of this run and the one before stay. */
  async forgetOldLogs(): Promise<void> {
    for (const name of await readdir(this.folder.logs).catch(() => [])) {
      const run = Number.parseInt(name, 10);
      if (run < this.standing.restarts - 1) await rm(join(this.folder.logs, name), { force: true });
    }
  }

  /** What cannot be written, on a full disk say, is only missed by a server that comes after a crash. */
  #note(): void {
    try {
      writeRecord(this.folder.record, this.standing);
    } catch {}
  }
}

export function isStanding(value: unknown): value is Standing {
  const { stage, restarts } = (value ?? {}) as {
    stage?: { at?: unknown; startedAt?: unknown; how?: unknown };
    restarts?: unknown;
  };
  if (typeof restarts !== "number") return false;
  if (stage?.at === "fresh") return true;
  return (stage?.at === "running" && typeof stage.startedAt === "number") || (stage?.at === "ended" && !!stage.how);
}

/** What the pod itself says where no record is left: the folder is gone, but the container has run. */
function fromStatus({ status }: Pod, name: string): Standing | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const found = all.find((it) => it.name === name);
  const { state, lastState, restartCount = 0 } = found ?? {};
  const ended = state?.terminated ?? (state?.waiting === undefined ? undefined : lastState?.terminated);
  if (ended !== undefined) {
    const { exitCode, reason = "Error", message, signal } = ended;
    const how: Terminated = {
      exitCode,
      reason,
      ...(message === undefined ? {} : { message }),
      ...(signal === undefined ? {} : { signal }),
      ...(ended.containerID === undefined ? {} : { containerID: ended.containerID }),
      startedAt: parseTime(ended.startedAt) ?? instant(0),
      finishedAt: parseTime(ended.finishedAt) ?? instant(0),
    };
    return { stage: { at: "ended", how }, restarts: restartCount };
  }
  const startedAt = parseTime(state?.running?.startedAt);
  return startedAt === undefined ? undefined : { stage: { at: "running", startedAt }, restarts: restartCount };
}
