// What the programs print, as far as it is used: the words of the first error, and how far an apply is. Values never: what the
// program quotes of a module may hold them. Pure, and forgiving of what it does not know.

import type { Operation, Progress } from "../engine.ts";
import type { Printed, Step } from "../error-class.ts";

/** The errors of a step that ended badly. */
export function errorsOf(step: Step, stdout: string, stderr: string): Printed {
  if (step === "validate") return ofDiagnostics(diagnosticsOfValidate(stdout), stderr);
  if (step === "apply" || step === "destroy") return ofDiagnostics(diagnosticsOfLines(stdout), stderr);
  return ofWords(`${stderr}\n${stdout}`);
}

interface Diagnostic {
  readonly severity?: unknown;
  readonly summary?: unknown;
  readonly detail?: unknown;
}

function ofDiagnostics(found: readonly Diagnostic[], stderr: string): Printed {
  const errors = found.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return ofWords(stderr);
  const text = errors.map(({ summary, detail }) => `${summary}\n${detail ?? ""}`).join("\n");
  return { summary: String(first.summary ?? ""), text };
}

/** `Error: ...` begins an error, in a box or without one. */
function ofWords(text: string): Printed {
  const errors = [...text.matchAll(/^[^\w\n]*Error: ([^\n]+)/gm)].map(([, words = ""]) => words);
  // The program first says that it will say what is wrong.
  const found = errors.find((words) => !/encountered problems during initiali[sz]ation/.test(words)) ?? errors[0];
  const first = text.split("\n").find((line) => line.trim() !== "");
  return { summary: (found ?? first ?? "it said nothing").trim(), text };
}

/** Whether `validate -json` found the module valid. */
export function isValid(stdout: string): boolean {
  const parsed = jsonOf(stdout);
  return parsed !== undefined && parsed["valid"] === true;
}

function diagnosticsOfValidate(stdout: string): readonly Diagnostic[] {
  const list = jsonOf(stdout)?.["diagnostics"];
  return Array.isArray(list) ? list.filter((it): it is Diagnostic => typeof it === "object" && it !== null) : [];
}

const diagnosticsOfLines = (stdout: string): readonly Diagnostic[] =>
  linesOf(stdout).flatMap((line) => {
    const { type, diagnostic } = line;
    return type === "diagnostic" && typeof diagnostic === "object" && diagnostic !== null ? [diagnostic] : [];
  });

/** How many changes a plan has announced in words. */
export function changesIn(stdout: string): number {
  const found = /^Plan: ([^\n]*)/m.exec(stdout)?.[1] ?? "";
  return [...found.matchAll(/(\d+) to \w+/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** How far an operation is by all that it has printed. `expected` counts where it announces nothing itself. */
export function progressIn(operation: Operation, stdout: string, expected: number): Progress {
  let [planned, done] = [0, 0];
  const open = new Set<string>();
  for (const { type, hook } of linesOf(stdout)) {
    const address = addressOf(hook);
    if (type === "planned_change") planned += 1;
    else if (type === "apply_start" && address !== undefined) open.add(address);
    else if ((type === "apply_complete" || type === "apply_errored") && address !== undefined) {
      open.delete(address);
      if (type === "apply_complete") done += 1;
    }
  }
  const [current] = [...open].sort();
  const total = Math.max(planned, expected, done);
  return { operation, total, done, ...(current === undefined ? {} : { current: current.slice(0, 1024) }) };
}

function addressOf(hook: unknown): string | undefined {
  const { resource } = (typeof hook === "object" && hook !== null ? hook : {}) as { resource?: { addr?: unknown } };
  return typeof resource?.addr === "string" ? resource.addr : undefined;
}

type Line = Readonly<Record<string, unknown>>;

const linesOf = (text: string): readonly Line[] =>
  text.split("\n").flatMap((line): readonly Line[] => {
    const found = jsonOf(line);
    return found === undefined ? [] : [found];
  });

function jsonOf(text: string): Line | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined; // half a line, or words
  }
}
