// What a container asks to be done right after it began or right before it ends. Rejects when it could not be done.
import { type Clock, sleep } from "@telltale/clock";
import { getOnce, type Target } from "./probe.ts";
import type { Hook } from "./spec.ts";

export async function runHook(hook: Hook, target: Target, clock: Clock, life: AbortSignal): Promise<void> {
  if (hook.exec !== undefined) {
    const { exitCode, output } = await target.run(hook.exec.command ?? [], life);
    if (exitCode !== 0) throw new Error(`the command of the hook ended with ${exitCode}: ${output}`);
  } else if (hook.httpGet !== undefined) {
    await getOnce(hook.httpGet, target, life); // any answer will do, as with a kubelet
  } else if (hook.sleep !== undefined) {
    await sleep(clock, hook.sleep.seconds * 1_000, life);
  } else throw new Error("the hook has no handler; give it exec, httpGet or sleep");
}
