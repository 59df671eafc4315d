// What a person asks of a pod that runs: its log, a command in it, its output, its ports.
import { PassThrough, type Readable } from "node:stream";
import type { Pod } from "@telltale/kinds/builtin";
import type { ExecOptions, ExecSession, LogOptions, PodAccess } from "../kubelet/pod-runtime.ts";
import type { Child } from "./children.ts";
import type { Instance } from "./instance.ts";
import { readLog } from "./log-read.ts";
import { addressOf } from "./network.ts";
import type { PodRun } from "./pod-run.ts";
import type { Slot } from "./slot.ts";

export interface Runs {
  get(pod: Pod): PodRun | undefined;
  /** Also one that ended under an earlier server, of which nobody has spoken since. */
  recall(pod: Pod): Promise<PodRun | undefined>;
}

export function podAccess(runs: Runs): PodAccess {
  const find = async (pod: Pod, container: string): Promise<{ readonly run: PodRun; readonly slot: Slot }> => {
    const run = await runs.recall(pod);
    const slot = run?.slot(container);
    if (run !== undefined && slot !== undefined) return { run, slot };
    throw new Error(`container "${container}" in pod "${pod.metadata?.name}" is not available`);
  };
  return {
    async logs(pod, options) {
      const { run, slot } = await find(pod, options.container);
      return logOf(slot, run, options);
    },
    async exec(pod, options) {
      const { instance } = (await find(pod, options.container)).slot;
      if (instance === undefined) throw new Error(`container not found ("${options.container}"): it does not run`);
      const { command } = options;
      if (command === undefined) return attach(instance, options);
      return session(await instance.exec(instance.translated(command), options.stdin ? "pipe" : "none"), options);
    },
    address(pod, port) {
      const network = runs.get(pod)?.network;
      if (network === undefined || !(network.isOwn || network.ports.has(port))) return undefined;
      return addressOf(network, undefined, port);
    },
  };
}

/** Of the run that is going on, or the last one; or of the one before that. */
function logOf(slot: Slot, run: PodRun, options: LogOptions): AsyncIterable<Uint8Array> {
  const { stage, restarts } = slot.standing;
  const where = `container "${slot.name}" in pod "${run.pod.metadata?.name}"`;
  if (options.previous) {
    // While it waits to be restarted, the run that ended last is the one before.
    const previous = run.isWaiting(slot) ? restarts : restarts - 1;
    if (previous < 0 || stage.at === "fresh") throw new Error(`previous terminated ${where} not found`);
    return readLog({ path: slot.logPath(previous) }, options);
  }
  if (stage.at === "fresh")
    throw new Error(`${where} is waiting to start: ${slot.refusal?.reason ?? "ContainerCreating"}`);
  return readLog(slot.instance?.log ?? { path: slot.logPath(restarts) }, options);
}

/** A terminal's two streams are one. There is none here, but a client that asked for one reads only the first. */
function session(child: Child, { stdout, stderr, tty, signal }: ExecOptions): ExecSession {
  const kill = () => child.signal("SIGKILL");
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  const out = new PassThrough();
  const err = new PassThrough();
  const lead = (from: Readable, to: PassThrough, isWanted: boolean) => {
    from.on("error", () => {});
    if (isWanted) from.pipe(to, { end: false });
    else from.resume();
    return new Promise<void>((resolve) => from.once("close", resolve));
  };
  const ends = [lead(child.stdout, out, stdout), lead(child.stderr, tty ? out : err, tty ? stdout : stderr)];
  void Promise.all(ends).then(() => {
    for (const stream of [out, err]) stream.end();
  });
  const ended = child.exited.then(({ exitCode }) => {
    signal.removeEventListener("abort", kill);
    if (!child.isAlive()) child.release();
    return { exitCode };
  });
  return {
    stdout: out,
    stderr: err,
    write: (chunk) => void (chunk === undefined ? child.stdin?.end() : child.stdin?.write(chunk)),
    ended,
  };
}

/** A watcher that does not keep up misses something, rather than stopping the container. */
const mostBehind = 1 << 20;

function attach(instance: Instance, { stdout, stderr, tty, signal }: ExecOptions): ExecSession {
  const out = new PassThrough();
  const err = new PassThrough();
  const stop = instance.log.listen((stream, bytes) => {
    const to = stream === "stdout" || tty ? out : err;
    const isWanted = stream === "stdout" || tty ? stdout : stderr;
    if (isWanted && to.writableLength + to.readableLength < mostBehind) to.write(bytes);
  });
  const end = () => {
    stop();
    for (const stream of [out, err]) stream.end();
  };
  signal.addEventListener("abort", end, { once: true });
  const ended = instance.gone.then(() => {
    signal.removeEventListener("abort", end);
    end();
    return { exitCode: instance.exitCode ?? 0 };
  });
  return {
    stdout: out,
    stderr: err,
    write: (chunk) => void (chunk === undefined ? instance.closeInput() : instance.stdin?.write(chunk)),
    ended,
  };
}
