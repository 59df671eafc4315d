// What a simulated container has written: the lines that it was told to, all at the moment at which it began.
import { formatMicroTime, type Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { LogOptions } from "../kubelet/pod-runtime.ts";
import { storedContainers } from "../kubelet/stored.ts";

/** What is read of a log. Empty: nothing was written, or not for so long. */
export function logOf(text: string, pod: Pod, options: Omit<LogOptions, "signal" | "follow">): Uint8Array {
  const began = beganAt(pod, options);
  if (began === undefined || (options.since !== undefined && began < options.since)) return new Uint8Array();
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const { tailLines = lines.length, timestamps, limitBytes } = options;
  const shown = tailLines <= 0 ? [] : lines.slice(-tailLines);
  const stamp = timestamps ? `${formatMicroTime(began)} ` : "";
  const bytes = new TextEncoder().encode(shown.map((line) => `${stamp}${line}\n`).join(""));
  return limitBytes === undefined ? bytes : bytes.subarray(0, Math.max(0, limitBytes));
}

/** When the run began whose log is asked for. Undefined: there was none. */
function beganAt(pod: Pod, { container, previous }: Pick<LogOptions, "container" | "previous">): Instant | undefined {
  const stands = storedContainers(pod).get(container);
  if (stands === undefined) return undefined;
  const { state, last } = stands;
  if (previous) return last?.startedAt;
  return state.is === "waiting" ? last?.startedAt : state.startedAt;
}
