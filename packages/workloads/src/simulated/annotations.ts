// What the annotations of a pod say of how it is to behave. What cannot be read is left out, and said.
import { type Ms, parseGoDuration } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { PodEvent } from "../kubelet/pod-runtime.ts";
import type { Behaviour, Trouble } from "./behaviour.ts";

export const prefix = "sim.telltale.dev/";

export interface Read {
  readonly behaviour: Behaviour;
  readonly complaints: readonly PodEvent[];
}

const nothing: Read = { behaviour: {}, complaints: [] };

export function behaviourIn({ metadata }: Pod): Read {
  const annotations = metadata?.annotations;
  if (annotations === undefined) return nothing;
  const complaints: PodEvent[] = [];
  let behaviour: Behaviour = {};
  for (const name of Object.keys(annotations).sort(bySeniority)) {
    const word = wordOf(name);
    if (word === undefined) continue;
    const value = annotations[name] ?? "";
    const read = word.read(value.trim());
    if (read !== undefined) behaviour = { ...behaviour, ...read };
    else complaints.push(complaint(name, value, word.form));
  }
  return { behaviour, complaints };
}

function complaint(name: string, value: string, form: string): PodEvent {
  const message = `annotation ${name} is ${JSON.stringify(value)} and is ignored; write ${form}`;
  return { type: "Warning", reason: "InvalidAnnotation", message };
}

interface Word {
  /** What it makes of a value. Undefined: it cannot be read. */
  readonly read: (value: string) => Behaviour | undefined;
  /** How a value is written. */
  readonly form: string;
}

function word<V>(form: string, value: (text: string) => V | undefined, make: (value: V) => Behaviour): Word {
  return {
    form,
    read: (text) => {
      const found = value(text);
      return found === undefined ? undefined : make(found);
    },
  };
}

const duration = (make: (value: Ms) => Behaviour): Word =>
  word("a duration such as 5s, 300ms or 1m30s", durationIn, make);
const trouble = (make: (value: Trouble) => Behaviour): Word =>
  word('"true", or a duration such as 30s after which it is over', troubleIn, make);
const code = (make: (value: number) => Behaviour): Word => word("an exit code from 0 to 255", codeIn, make);

/** By what follows the prefix. `docs/simulated-pods.md` has the same table. */
const words: Readonly<Record<string, Word>> = {
  container: word(
    "the name of a container",
    (text) => (text === "" ? undefined : text),
    (container) => ({ container }),
  ),
  "pull-after": duration((pull) => ({ pull })),
  "create-after": duration((create) => ({ create })),
  "start-after": duration((start) => ({ start })),
  "ready-after": duration((ready) => ({ ready })),
  "stop-after": duration((stop) => ({ stop })),
  "stop-code": code((stopCode) => ({ stopCode })),
  "pull-error": trouble((pullError) => ({ pullError })),
  "config-error": trouble((configError) => ({ configError })),
  "mount-error": trouble((mountError) => ({ mountError })),
  "sandbox-error": trouble((sandboxError) => ({ sandboxError })),
  "never-ready": word('"true" or "false"', flagIn, (neverReady) => ({ neverReady })),
  flap: word("a duration such as 10s, more than 0", periodIn, (flap) => ({ flap })),
  "exit-code": code((exitCode) => ({ exitCode })),
  "exit-after": duration((exitAfter) => ({ exitAfter })),
  crash: word('"true", or how many runs crash', countIn, (crash) => ({ crash })),
  "kill-after": duration((kill) => ({ kill })),
  "oom-after": duration((oom) => ({ oom })),
  "evict-after": duration((evict) => ({ evict })),
  "lost-after": duration((lost) => ({ lost })),
  log: word(
    "text",
    (text) => text,
    (log) => ({ log }),
  ),
};

/** All of them, without the prefix. */
export const annotationWords: readonly string[] = Object.keys(words);

const unknown: Word = { form: `one of ${prefix}{${annotationWords.join(",")}}`, read: () => undefined };

/** Older names for some of the same. */
const others: Readonly<Record<string, Word>> = {
  "embedded/fail": code((exitCode) => ({ exitCode })),
  "embedded/complete-after": duration((exitAfter) => ({ exitAfter })),
  "stage.embedded/pod-ready-delay": duration((start) => ({ start })),
  "stage.embedded/pod-complete-delay": duration((exitAfter) => ({ exitAfter })),
  "stage.embedded/pod-fail-delay": duration((exitAfter) => ({ exitAfter })),
  "stage.embedded/pod-delete-delay": duration((stop) => ({ stop })),
  "stage.embedded/pull-delay": duration((pull) => ({ pull })),
  "stage.embedded/create-delay": duration((create) => ({ create })),
  "stage.embedded/start-delay": duration((start) => ({ start })),
  "stage.embedded/ready-delay": duration((ready) => ({ ready })),
  "stage.embedded/exit-delay": duration((exitAfter) => ({ exitAfter })),
  "stage.embedded/stop-delay": duration((stop) => ({ stop })),
};

function wordOf(annotation: string): Word | undefined {
  if (!annotation.startsWith(prefix)) return Object.hasOwn(others, annotation) ? others[annotation] : undefined;
  const name = annotation.slice(prefix.length);
  return Object.hasOwn(words, name) ? words[name] : unknown;
}

/** Where two say the same thing, the one with our prefix has the last word. */
function bySeniority(a: string, b: string): number {
  const [x, y] = [a.startsWith(prefix), b.startsWith(prefix)];
  if (x !== y) return x ? 1 : -1;
  return a < b ? -1 : 1;
}

function durationIn(text: string): Ms | undefined {
  const found = parseGoDuration(text);
  return found === undefined || found < 0 ? undefined : found;
}

function periodIn(text: string): Ms | undefined {
  const found = durationIn(text);
  return found === undefined || found < 1 ? undefined : found;
}

function troubleIn(text: string): Trouble | undefined {
  if (text === "true") return {};
  const found = durationIn(text);
  return found === undefined ? undefined : { for: found };
}

function flagIn(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

function codeIn(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}

function countIn(text: string): number | undefined {
  if (text === "true") return Number.POSITIVE_INFINITY;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
