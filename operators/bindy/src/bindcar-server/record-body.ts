// Bodies about records and RRsets, checked field by field (12.2).
import { maxChanges, type RecordType, recordTypes } from "../bindcar/contract.ts";
import { absoluteOf, isWithin, ownerOf } from "../bindcar/dns-name.ts";
import { mayOwn, recordValueOf, withPriority } from "../bindcar/record-value.ts";
import { bad } from "./refused.ts";
import { fields, list, maybe, text, whole } from "./shape.ts";

/** Its name absolute, its value as BIND prints it. */
export interface CheckedRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly value: string;
  readonly ttl: number;
}

export const recordShape = fields({ name: text, type: text, value: text, ttl: maybe(whole), priority: maybe(whole) });

export function recordOf(given: ReturnType<typeof recordShape>, zone: string, standardTtl = 3600): CheckedRecord {
  const type = typeOf(given.type);
  return {
    name: ownerIn(given.name, zone, type),
    type,
    value: valueIn(type, given.value, given.priority, "value"),
    ttl: ttlOf(given.ttl ?? standardTtl, "ttl"),
  };
}

export const addedOf = (body: unknown, zone: string): CheckedRecord => recordOf(recordShape(body, ""), zone);

export interface Removal {
  readonly name: string;
  readonly type: RecordType;
  readonly value?: string;
}

const removeShape = fields({ name: text, type: text, value: maybe(text) });

export function removalOf(body: unknown, zone: string): Removal {
  const given = removeShape(body, "");
  const type = typeOf(given.type);
  const name = ownerIn(given.name, zone, type);
  return given.value === undefined
    ? { name, type }
    : { name, type, value: valueIn(type, given.value, undefined, "value") };
}

export interface Replacement extends CheckedRecord {
  readonly current: string;
}

const updateShape = fields({
  name: text,
  type: text,
  currentValue: text,
  newValue: text,
  ttl: maybe(whole),
  priority: maybe(whole),
});

export function replacementOf(body: unknown, zone: string): Replacement {
  const given = updateShape(body, "");
  const type = typeOf(given.type);
  const { priority } = given;
  return {
    name: ownerIn(given.name, zone, type),
    type,
    current: valueIn(
      type,
      given.currentValue,
      hasPriority(type, given.currentValue) ? undefined : priority,
      "currentValue",
    ),
    value: valueIn(type, given.newValue, priority, "newValue"),
    ttl: ttlOf(given.ttl ?? 3600, "ttl"),
  };
}

/** The old value may have had another priority: then it comes with it. */
const hasPriority = (type: RecordType, value: string): boolean =>
  (type === "MX" && value.includes(" ")) || (type === "SRV" && value.split(" ").length === 4);

export interface CheckedChange {
  readonly name: string;
  readonly type: RecordType | "SOA";
  readonly ttl: number;
  readonly values: readonly string[];
}

const putShape = fields({
  serial: whole,
  changes: list(fields({ name: text, type: text, ttl: maybe(whole), values: list(text) })),
});

export function changesOf(
  body: unknown,
  zone: string,
): { readonly serial: number; readonly changes: readonly CheckedChange[] } {
  const { serial, changes } = putShape(body, "");
  if (serial < 0 || serial > 2 ** 32 - 1) throw bad("serial has to be a number of 32 bits");
  if (changes.length > maxChanges) throw bad(`changes has more than ${maxChanges} entries`);
  const seen = new Set<string>();
  return { serial, changes: changes.map((change) => changeOf(change, zone, seen)) };
}

function changeOf(
  given: {
    readonly name: string;
    readonly type: string;
    readonly ttl: number | undefined;
    readonly values: readonly string[];
  },
  zone: string,
  seen: Set<string>,
): CheckedChange {
  const type = given.type === "SOA" ? "SOA" : typeOf(given.type);
  const name = absoluteOf(given.name);
  if (name === undefined || !isWithin(name, zone)) throw bad("changes.name has to be an absolute name of the zone");
  if (!mayOwn(type, name)) throw bad("changes.name has to be the name of a host for this type");
  if (type === "SOA" && (name !== `${zone}.` || given.values.length !== 1))
    throw bad("changes: a zone has one SOA, at its apex");
  if (type === "CNAME" && given.values.length > 1) throw bad("changes: a name has one CNAME at most");
  if (seen.has(`${name} ${type}`)) throw bad("changes names an RRset twice");
  seen.add(`${name} ${type}`);
  const values = given.values.map((value) => valueIn(type, value, undefined, "changes.values"));
  return { name, type, ttl: ttlOf(given.ttl ?? 3600, "changes.ttl"), values: [...new Set(values)] };
}

export function ttlOf(ttl: number, at: string): number {
  if (ttl < 0 || ttl > 2 ** 31 - 1) throw bad(`${at} has to be from 0 to 2147483647`);
  return ttl;
}

function typeOf(given: string): RecordType {
  const type = recordTypes.find((it) => it === given);
  if (type === undefined) throw bad(`type has to be one of ${recordTypes.join(", ")}`);
  return type;
}

function ownerIn(given: string, zone: string, type: RecordType): string {
  const name = ownerOf(given, zone);
  if (name === undefined) throw bad("name has to be @, or a name without the zone");
  if (!mayOwn(type, name)) throw bad("name has to be the name of a host for this type");
  return name;
}

function valueIn(type: RecordType | "SOA", given: string, priority: number | undefined, at: string): string {
  if (priority !== undefined && (priority < 0 || priority > 65_535)) throw bad("priority has to be from 0 to 65535");
  const value = recordValueOf(type, type === "SOA" ? given : withPriority(type, given, priority));
  if (value === undefined) throw bad(`${at} is no data of type ${type}`);
  return value;
}
