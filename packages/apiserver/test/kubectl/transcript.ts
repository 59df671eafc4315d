// The recorded transcripts of kubectl against a real cluster, and whether an output is as recorded.
import { readFileSync } from "node:fs";

export interface Transcript {
  readonly id: number;
  readonly group: string;
  readonly command: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly setup?: readonly PodSetup[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
  readonly boundedSeconds?: number;
  readonly unordered?: boolean;
  readonly shapeOnly?: boolean;
}

export interface PodSetup {
  readonly name: string;
  readonly spec: object;
  readonly status?: object;
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
}

const file = new URL("../fixtures/golden/kubectl/transcripts.jsonl", import.meta.url);

export function readTranscripts(): Transcript[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Transcript);
}

/** The output with every line that is as recorded written as it was recorded: what is left differs. */
export function asRecorded(recorded: string, output: string, how: Pick<Transcript, "unordered" | "shapeOnly">): string {
  if (recorded.includes("<description>")) return describes(recorded, output) ? recordedForm(recorded, how) : output;
  const expected = lines(recorded);
  const found = lines(how.shapeOnly ? shape(output) : temporary(output));
  if (!how.unordered) {
    return found.map((line, i) => (matches(expected[i], line) ? expected[i] : line)).join("\n");
  }
  const left = [...expected];
  const written = found.map((line) => {
    const i = left.findIndex((one) => matches(one, line));
    return i < 0 ? line : (left.splice(i, 1)[0] ?? line);
  });
  return [...new Set(written)].sort().join("\n");
}

/** Without what a client logs of its own timeout, which depends on what it was doing when the time was up. */
export function withoutOwnTimeout(stderr: string): string {
  return stderr.replace(/^E\d{4} .* reflector\.go.*\bcontext deadline exceeded".*\n?/gm, "");
}

/** The recorded side in the same form. */
export function recordedForm(recorded: string, how: Pick<Transcript, "unordered">): string {
  return how.unordered ? [...new Set(lines(recorded))].sort().join("\n") : lines(recorded).join("\n");
}

/** Files that kubectl writes for editors and for diff, by their recorded names. */
function temporary(text: string): string {
  return text
    .replace(/[^\s"]+\/kubectl-edit-\d+\.yaml/g, "<tmp>/kubectl-edit.yaml")
    .replace(/\S+\/(LIVE|MERGED)-\d+\//g, "<tmp>/$1/");
}

function lines(text: string): string[] {
  const all = text.split("\n").map((line) => line.replace(/[ \t]+/g, " ").trimEnd());
  while (all.at(-1) === "") all.pop();
  return all;
}

/** A description may have any number of lines, and none. */
function describes(recorded: string, output: string): boolean {
  const parts = lines(recorded)
    .join("\n")
    .split(/\n *<description>/);
  return new RegExp(`^${parts.map(literal).join("(?:\\n[\\s\\S]*)?")}$`).test(lines(output).join("\n"));
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const symbols: Readonly<Record<string, string>> = {
  "<age>": "(?:\\d+(?:\\.\\d+)?(?:ms|[smhdy]))+",
  "<uid>": "[0-9a-f-]{36}",
  "<rv>": "\\d+",
  "<n>": "\\d+",
  "<time>": '[^"]+',
  "<description>": ".*",
  "<user>": ".+",
};
const kept = /^<(?:none|unset|nil|unknown|pending|default|string|integer|boolean|Object|[A-Z]\w*)>$/;

function matches(expected: string | undefined, line: string): boolean {
  if (expected === undefined) return false;
  if (expected === line) return true;
  if (!expected.includes("<")) return false;
  const pattern = expected.split(/(<[a-z-]+>)/).map((part) => {
    if (/^<[a-z-]+>$/.test(part) && !kept.test(part)) return symbols[part] ?? "[^\\s,]+";
    return literal(part);
  });
  return new RegExp(`^${pattern.join("")}$`).test(line);
}

/** What is recorded of `explain` of a built-in kind: the head, and the names and types of the fields. */
function shape(text: string): string {
  const isHead = /^(GROUP|KIND|VERSION|FIELD):/;
  const isField = /^\s+\w+\t<.+>/;
  return text
    .split("\n")
    .filter((line) => isHead.test(line) || isField.test(line))
    .join("\n");
}
