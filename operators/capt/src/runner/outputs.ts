// The outputs of a run: what goes into the connection Secret (all of them), and what may be shown in the status. Pure.
import { canonicalJson, sha256Hex } from "@telltale/kinds";

export interface Output {
  readonly value: unknown;
  readonly isSensitive: boolean;
}

export type Outputs = Readonly<Record<string, Output>>;

/** What `output -json` prints. Fields that we do not know are left alone; an output without a value is none. */
export function parseOutputs(text: string): Outputs | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const outputs: Record<string, Output> = {};
  for (const [name, entry] of sorted(Object.entries(parsed as Record<string, unknown>))) {
    if (typeof entry !== "object" || entry === null) continue;
    const { value, sensitive } = entry as { value?: unknown; sensitive?: unknown };
    if (value === undefined || value === null) continue;
    outputs[name] = { value, isSensitive: sensitive === true };
  }
  return outputs;
}

/** The `data` of the connection Secret: strings as they are, everything else as compact JSON with sorted keys. */
export function connectionData(outputs: Outputs): Readonly<Record<string, string>> {
  const data: Record<string, string> = {};
  for (const [name, { value }] of sorted(Object.entries(outputs))) {
    data[name] = Buffer.from(typeof value === "string" ? value : canonicalJson(value)).toString("base64");
  }
  return data;
}

/** Names whose values are kept out of sight even where nobody marked them as sensitive. */
const telling = /password|passwd|secret|token|credential|private|kubeconfig|certificate|(^|_)key($|_)/i;
const most = 64;
const longest = 4_096;

/** The outputs that may be seen by whoever may read the Workspace. What is too long is there as its hash. */
export function shownOutputs(outputs: Outputs): Readonly<Record<string, unknown>> {
  const shown = sorted(Object.entries(outputs)).filter(
    ([name, { isSensitive }]) => !isSensitive && !telling.test(name),
  );
  return Object.fromEntries(shown.slice(0, most).map(([name, { value }]) => [name, bounded(value)]));
}

function bounded(value: unknown): unknown {
  const text = typeof value === "string" ? value : canonicalJson(value);
  return text.length <= longest ? value : `sha256:${sha256Hex(text).slice(0, 16)}`;
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
