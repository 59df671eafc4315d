// One object as the store keeps it: its JSON, and the little that lists need without reading it.
import { type ApiObject, at, isDeeper, isObject, type Json, member, stringify } from "../json.ts";
import { badRequest } from "../status.ts";

/** An object at one revision. Never changes; what `object()` gives must not be changed either. */
export class StoredRecord {
  readonly key: string;
  readonly revision: number;
  /** The revision at which the object was created. */
  readonly created: number;
  /** The object's JSON, `metadata.resourceVersion` included. */
  readonly json: string;
  readonly #parsed: ParsedObjects;
  // Read on demand, so that a restart does not parse every object.
  #meta: Meta | undefined;

  constructor(at: { key: string; revision: number; created: number }, json: string, parsed: ParsedObjects) {
    this.key = at.key;
    this.revision = at.revision;
    this.created = at.created;
    this.json = json;
    this.#parsed = parsed;
  }

  /** A record of an object that is at hand: it gets the revision, and need not be parsed. */
  static of(
    at: { key: string; revision: number; created: number },
    object: ApiObject,
    parsed: ParsedObjects,
  ): StoredRecord {
    const stored = withRevision(object, at.revision);
    const record = new StoredRecord(at, write(stored), parsed);
    record.#meta = metaOf(stored);
    parsed.add(record, stored);
    return record;
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    this.#meta ??= metaOf(this.object());
    return this.#meta.labels;
  }

  get uid(): string {
    this.#meta ??= metaOf(this.object());
    return this.#meta.uid;
  }

  /** The same state under a later revision: what a watcher sees when an object leaves its selection. */
  moved(revision: number): StoredRecord {
    return StoredRecord.of({ key: this.key, revision, created: this.created }, this.object(), this.#parsed);
  }

  object(): ApiObject {
    const known = this.#parsed.get(this);
    if (known !== undefined) return known;
    const object = read(this.json);
    this.#parsed.add(this, object);
    return object;
  }
}

interface Meta {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

const generationRecords = 512;
const generationLength = 8 * 2 ** 20;

/**
 * The objects that were parsed last: two generations, of which the older is dropped when the younger is full.
 * Not weak references: those keep their objects until the turn ends, and a list of everything is one turn.
 */
export class ParsedObjects {
  #young = new Map<StoredRecord, ApiObject>();
  #old = new Map<StoredRecord, ApiObject>();
  #length = 0;

  get(record: StoredRecord): ApiObject | undefined {
    const young = this.#young.get(record);
    if (young !== undefined) return young;
    const old = this.#old.get(record);
    if (old !== undefined) this.add(record, old);
    return old;
  }

  add(record: StoredRecord, object: ApiObject): void {
    this.#young.set(record, object);
    this.#length += record.json.length;
    if (this.#young.size < generationRecords && this.#length < generationLength) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#length = 0;
  }
}

function withRevision(object: ApiObject, revision: number): ApiObject {
  const metadata = member(object, "metadata");
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), resourceVersion: String(revision) } };
}

function metaOf(object: ApiObject): Meta {
  const uid = at(object, "metadata", "uid");
  const labels = at(object, "metadata", "labels");
  return { uid: typeof uid === "string" ? uid : "", labels: isLabels(labels) ? labels : undefined };
}

function isLabels(value: Json | undefined): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((label) => typeof label === "string");
}

// Deeper than any object of sense; what is stored must be readable from anywhere on the stack.
const mostLevels = 1_000;

function write(object: ApiObject): string {
  try {
    const json = stringify(object);
    // A level takes two characters at least.
    if (json.length <= 2 * mostLevels || !isDeeper(object, mostLevels)) return json;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw badRequest(`the object cannot be stored: it has more than ${mostLevels} levels`);
}

const longNumber = /\d{16}/;
const integer = /^-?\d+$/;

function read(json: string): ApiObject {
  return (
    longNumber.test(json) ? JSON.parse(json, exactly as (name: string, value: Json) => Json) : JSON.parse(json)
  ) as ApiObject;
}

/** Keeps an integer that a number cannot hold as a bigint. */
function exactly(_: string, value: Json, context: { readonly source?: string }): Json {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return context.source !== undefined && integer.test(context.source) ? BigInt(context.source) : value;
}
