// Everything in a status has a limit, and what is over it is cut the same way each time (rules 7, 11, 12, 70).
import { type Condition, declarationOf, type Kind, type Structural } from "@telltale/kinds";
import { isRecord, type Loose } from "./path.ts";
import { cut } from "./text.ts";

type Broken = (rule: number, at: string, problem: string) => void;

const defaultMaxLength = 32_768;

/** The members of a status cut to what the kind's schema allows. Members that are `same` as stored are taken as they are. */
export function limit(kind: Kind, next: Loose, stored: Loose, broken: Broken): Loose {
  const schema = kind.schema.status;
  if (schema?.properties === undefined) return next;
  let out = next;
  for (const name in next) {
    const member = schema.properties[name];
    if (member === undefined || name === "conditions" || next[name] === stored[name]) continue;
    const fitted = fit(member, next[name], name, broken);
    if (fitted !== next[name]) out = { ...out, [name]: fitted === undefined ? stored[name] : fitted };
  }
  return out;
}

/** The value as the schema allows it. Undefined where it cannot be made to fit: the server would refuse the whole status. */
function fit(schema: Structural, value: unknown, at: string, broken: Broken): unknown {
  if (typeof value === "string") {
    if (schema.enum === undefined || schema.enum.includes(value))
      return cut(value, schema.maxLength ?? defaultMaxLength);
    broken(12, at, `"${value}" is not one of ${schema.enum.join(", ")}`);
    return undefined;
  }
  if (typeof value === "number") return fitNumber(schema, value, at, broken);
  if (Array.isArray(value)) {
    const items = schema.items;
    const kept = value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY) ? value.slice(0, schema.maxItems) : value;
    if (items === undefined) return kept;
    const fitted = kept.map((item, i) => fit(items, item, `${at}[${i}]`, broken)).filter((item) => item !== undefined);
    return fitted.every((item, i) => item === value[i]) && fitted.length === value.length ? value : fitted;
  }
  return isRecord(value) ? fitRecord(schema, value, at, broken) : value;
}

function fitNumber(schema: Structural, value: number, at: string, broken: Broken): number | undefined {
  const whole = schema.type === "integer";
  const most = schema.format === "int32" ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  if (whole ? Number.isInteger(value) && Math.abs(value) <= most : Number.isFinite(value)) return value;
  broken(11, at, `${value} is not a number that JSON and Kubernetes can hold`);
  return whole && !Number.isNaN(value) ? Math.max(-most, Math.min(most, Math.trunc(value))) : undefined;
}

function fitRecord(schema: Structural, value: Loose, at: string, broken: Broken): Loose {
  let out = value;
  const max = schema.maxProperties;
  const names = Object.keys(value);
  if (schema.additionalProperties !== undefined && max !== undefined && names.length > max) {
    out = Object.fromEntries(
      names
        .sort()
        .slice(0, max)
        .map((name) => [name, value[name]]),
    );
  }
  for (const [name, member] of Object.entries(out)) {
    const child = schema.properties?.[name] ?? schema.additionalProperties;
    if (child === undefined) continue;
    const fitted = fit(child, member, `${at}.${name}`, broken);
    if (fitted !== member) out = { ...out, [name]: fitted };
  }
  return out;
}

/**
 * The status within the kind's bytes. Messages are shortened first, then the longest lists are halved; both are done the
 * same way for the same status. That it was needed is a broken rule, because something grew that should not.
 */
export function within(kind: Kind, status: Loose, broken: Broken): Loose {
  const size = (s: Loose) => Buffer.byteLength(JSON.stringify(s));
  let bytes = size(status);
  if (bytes <= kind.maxStatusBytes) return status;
  broken(70, "status", `has ${bytes} bytes, ${kind.maxStatusBytes} is the most`);
  let out = status;
  for (const max of [1024, 256, 64]) {
    out = shortened(kind, out, max);
    bytes = size(out);
    if (bytes <= kind.maxStatusBytes) return out;
  }
  while (bytes > kind.maxStatusBytes) {
    const halved = halveLongest(out);
    if (halved === undefined) return out; // nothing is left to cut
    out = halved;
    bytes = size(out);
  }
  return out;
}

/** Only our own messages: those of others stay as they are (rule 60). */
function shortened(kind: Kind, status: Loose, max: number): Loose {
  const list = status["conditions"];
  if (!Array.isArray(list)) return status;
  const short = (c: Condition): Condition =>
    c.message?.length > max && declarationOf(kind.conditions, c.type) !== undefined
      ? { ...c, message: cut(c.message, max) }
      : c;
  return { ...status, conditions: list.map(short) };
}

function halveLongest(status: Loose): Loose | undefined {
  let longest: string | undefined;
  for (const [name, value] of Object.entries(status)) {
    if (name === "conditions" || !Array.isArray(value) || value.length < 2) continue;
    const best = longest === undefined ? 0 : JSON.stringify(status[longest]).length;
    if (JSON.stringify(value).length > best) longest = name;
  }
  if (longest === undefined) return undefined;
  const list = status[longest];
  return Array.isArray(list) ? { ...status, [longest]: list.slice(0, Math.ceil(list.length / 2)) } : undefined;
}
