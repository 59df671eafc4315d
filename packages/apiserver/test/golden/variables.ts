// Variables of a case in paths, headers and bodies: `{ns}`, `{rv+1}`.
import { isObject, type Json, type JsonObject } from "../../src/json.ts";
import type { Step } from "./case.ts";

export type Variables = Record<string, string>;

export function expand(text: string, variables: Readonly<Variables>): string {
  return text.replace(/\{([A-Za-z][\w-]*?)(?:([+-])(\d+))?\}/g, (all, name: string, sign?: string, number?: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) return all;
    if (sign === undefined || number === undefined) return value;
    return String(sign === "+" ? BigInt(value) + BigInt(number) : BigInt(value) - BigInt(number));
  });
}

/** A body with its variables. `{"$repeat": ["a", 300]}` is a long string, `{"$list": [x, n]}` n copies with `{i}` counting. */
export function expandBody(value: Json, variables: Readonly<Variables>): Json {
  if (typeof value === "string") return expand(value, variables);
  if (Array.isArray(value)) return value.map((item) => expandBody(item, variables));
  if (!isObject(value)) return value;
  const { $repeat: repeat, $list: list } = value;
  if (Array.isArray(repeat)) return String(repeat[0]).repeat(Number(repeat[1]));
  if (Array.isArray(list)) {
    const item = list[0] ?? null;
    return Array.from({ length: Number(list[1]) }, (_, i) => expandBody(item, { ...variables, i: String(i) }));
  }
  const members = Object.entries(value).map(([key, inner]) => [expand(key, variables), expandBody(inner, variables)]);
  return Object.fromEntries(members) as JsonObject;
}

/** The bytes that a step sends. */
export function payload(step: Step, variables: Readonly<Variables>): Buffer | undefined {
  const { raw, body } = step;
  if (typeof raw === "string") return Buffer.from(expand(raw, variables));
  if (raw?.base64 !== undefined) return Buffer.from(raw.base64, "base64");
  if (raw !== undefined) {
    const middle = (raw.repeat ?? "").repeat(raw.times ?? 0);
    return Buffer.from(expand(raw.head ?? "", variables) + middle + expand(raw.tail ?? "", variables));
  }
  return body === undefined ? undefined : Buffer.from(JSON.stringify(expandBody(body, variables)));
}

export function headers(step: Step, token: string, variables: Readonly<Variables>, sent: Buffer | undefined) {
  const result: Record<string, string | readonly string[]> = { "user-agent": "golden/1.0", accept: "application/json" };
  const auth = step.auth === undefined ? token : step.auth === "none" ? "" : expand(step.auth, variables);
  if (auth !== "") result["authorization"] = `Bearer ${auth}`;
  if (sent !== undefined) {
    result["content-type"] = "application/json";
    result["content-length"] = String(sent.length);
  }
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    if (value === null) delete result[name.toLowerCase()];
    else result[name.toLowerCase()] = typeof value === "string" ? expand(value, variables) : value;
  }
  return result;
}
