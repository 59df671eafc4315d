// Runs the containers of pods as local processes: what belongs to all pods, and the pods by uid.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uuid } from "@telltale/clock";
import type { Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { PodRuntime, RuntimeSurroundings } from "../kubelet/pod-runtime.ts";
import { podAccess } from "./access.ts";
import { Census } from "./census.ts";
import { type Children, children } from "./children.ts";
import { Deadline } from "./deadline.ts";
import { podFolder } from "./layout.ts";
import { endLeftovers, lockFolder, type Written } from "./leftovers.ts";
import { Networks } from "./network.ts";
import { type ProcessRuntimeOptions, settingsOf } from "./options.ts";
import { PodRun } from "./pod-run.ts";
import { type Reaper, startReaper } from "./reaper.ts";
import { readRecord } from "./record.ts";
import { isStanding } from "./slot.ts";
import { Watchdog } from "./watchdog.ts";

export function processRuntime(options: ProcessRuntimeOptions = {}): PodRuntime {
  const settings = settingsOf(options);
  const { clock, random, maxProcesses } = settings;
  const runs = new Map<string, PodRun>();
  const leaving = new Map<string, Promise<void>>();
  const networks = new Networks(settings.addresses);
  let open: Open | undefined;

  const newRun = (at: Open, pod: Pod, now: Instant, uid: string): PodRun => {
    const { root, runtime, watchdog, around, children } = at;
    const { namespace = "", name = "" } = pod.metadata ?? {};
    // A pod that was dropped is nobody's business any more: what ends with it is not written down, and wakes nobody.
    const isLeft = () => at.isStopping || runs.get(uid) !== run;
    const wake = () => {
      if (!isLeft()) around.wake({ namespace, name });
    };
    const run = new PodRun(pod, now, { root, runtime, settings, networks, children, watchdog, wake, isLeft });
    runs.set(uid, run);
    return run;
  };

  return {
    async start(around) {
      if (open !== undefined) throw new Error("the process runtime was started before; make another one");
      const root = folderFor(options, settings.translatePaths);
      const unlock = lockFolder(root);
      try {
        await endLeftovers(root, writtenIn(root));
        // With the pid, as a seed may give the same again to the server that comes after a crash.
        const runtime = `${process.pid}-${uuid(random)}`;
        const census = new Census(runtime);
        const reaper = await startReaper({ runtime, clock, onWarning: settings.onWarning });
        const watchdog = new Watchdog(census, clock, maxProcesses);
        const start = children({ census, reaper, path: settings.path, maxProcesses });
        open = { root, unlock, runtime, reaper, watchdog, children: start, around, isStopping: false };
      } catch (error) {
        unlock();
        throw error;
      }
    },

    async sync(pod, now, refers) {
      if (open === undefined || open.isStopping) throw new Error("the process runtime does not run; start it first");
      const { uid = "" } = pod.metadata ?? {};
      await leaving.get(uid);
      const run = runs.get(uid) ?? newRun(open, pod, now, uid);
      return run.sync(pod, now, refers);
    },

    async drop(uid) {
      const run = runs.get(uid);
      runs.delete(uid);
      const gone = run?.remove() ?? removeFolder(open?.root, uid);
      leaving.set(uid, gone);
      try {
        await gone;
      } finally {
        leaving.delete(uid);
      }
    },

    kept() {
      const known = open === undefined ? [] : namesIn(join(open.root, "pods"));
      return [...new Set([...runs.keys(), ...known])];
    },

    async stop() {
      if (open === undefined || open.isStopping) return;
      open.isStopping = true;
      const all = [...runs.values()];
      if (settings.shutdownGrace > 0) {
        const grace = new Deadline(clock, settings.shutdownGrace);
        await Promise.race([Promise.all(all.map((run) => run.terminate())), grace.passed]);
        grace.cancel();
      }
      await Promise.all(all.map((run) => run.kill()));
      await Promise.all(leaving.values());
      await open.reaper.stop();
      open.unlock();
      if (options.root === undefined) await rm(open.root, { recursive: true, force: true });
    },

    access: podAccess({
      get: (pod) => runs.get(pod.metadata?.uid ?? ""),
      async recall(pod) {
        const { uid = "" } = pod.metadata ?? {};
        const there = runs.get(uid);
        if (there?.network !== undefined || open === undefined || open.isStopping) return there;
        const isOnDisk = !leaving.has(uid) && namesIn(join(open.root, "pods")).includes(uid);
        const run = there ?? (isOnDisk ? newRun(open, pod, clock.now(), uid) : undefined);
        await run?.recall(clock.now()).catch(() => {}); // what cannot be recalled has no containers
        return run;
      },
    }),
  };
}

interface Open {
  readonly root: string;
  readonly unlock: () => void;
  readonly runtime: string;
  readonly reaper: Reaper;
  readonly watchdog: Watchdog;
  readonly children: Children;
  readonly around: RuntimeSurroundings;
  isStopping: boolean;
}

function folderFor({ root }: ProcessRuntimeOptions, translatePaths: boolean): string {
  if (root !== undefined) mkdirSync(root, { recursive: true, mode: 0o700 });
  const path = realpathSync(root ?? mkdtempSync(join(tmpdir(), "telltale-pods-")));
  // Paths are put into the scripts of pods as they are.
  if (translatePaths && /[^\w./@%+=:,~-]/.test(path))
    throw new Error(
      `the folder of pods ${path} has characters that a shell would take for something else; use another folder`,
    );
  return path;
}

/** The processes that an earlier server wrote down. */
function writtenIn(root: string): readonly Written[] {
  return namesIn(join(root, "pods")).flatMap((uid) => {
    const path = join(podFolder(root, uid).path, "containers");
    return namesIn(path).flatMap((name) => {
      const stage = readRecord(join(path, name, "record.json"), isStanding)?.stage;
      return stage?.at === "running" && stage.process !== undefined ? [{ uid, process: stage.process }] : [];
    });
  });
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).filter((name) => /^[A-Za-z0-9]/.test(name) && !name.includes(".."));
  } catch {
    return [];
  }
}

async function removeFolder(root: string | undefined, uid: string): Promise<void> {
  if (root === undefined || !namesIn(join(root, "pods")).includes(uid)) return;
  await rm(podFolder(root, uid).path, { recursive: true, force: true });
}
