// Every write goes through here: create, and the one loop that all updates, patches and applies are made of.
import { type Clock, type Random, uuid } from "@telltale/clock";
import { deepEqual, formatTime } from "@telltale/kinds";
import type { Admission, Attributes, Operation } from "../admit/admission.ts";
import type { Quotas } from "../admit/quota.ts";
import { revertTimestamps, trackUpdate } from "../apply/apply.ts";
import type { RbacWrite } from "../authorize/escalation.ts";
import { at, type JsonObject, text } from "../json.ts";
import { commonUpdateChecks } from "../meta/update-checks.ts";
import type { Call, User } from "../request.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  modified,
  notFound,
  raw,
  StatusError,
} from "../status.ts";
import { RevisionMismatch } from "../store/errors.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Commit, Store } from "../store/store.ts";
import { converting } from "./conversions.ts";
import { isFinalized, updatedMetadata, versionRequired } from "./lifecycle.ts";
import {
  duplicateOwnersWarning,
  generatedName,
  isTerminating,
  metadataOf,
  nameOf,
  uidOf,
  versionOf,
  wiped,
  withMetadata,
  withoutDuplicateOwners,
} from "./metadata.ts";
import type { WriteOptions } from "./options.ts";
import { type Part, type Resource, storageKey, type WriteContext } from "./resource.ts";

export interface Backing {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
  readonly quotas: Quotas;
  /** Refuses a create in a namespace that is not there or is being removed. */
  readonly checkNamespace: (resource: Resource, namespace: string, name: string) => void;
  /** Refuses a user who may change objects but not make them: an apply or a PUT of what is not there is asked twice. */
  readonly checkCreate: (user: User, resource: Resource, namespace: string, name: string) => void;
  /** Rejects a role or binding that would grant permissions that the user does not have. */
  readonly checkEscalation: (write: RbacWrite) => void;
}

/** One write: who asks, what for, how. */
export interface Target {
  readonly call: Call;
  readonly r: Resource;
  readonly namespace: string;
  /** Empty where the name is still in the object, or to be made. */
  readonly name: string;
  readonly part: Part;
  readonly options: WriteOptions;
  /** The request was one to change the object, and there is none yet. */
  readonly isUpsert?: boolean;
}

/** What a change made of the live object. */
export interface Change {
  readonly object: JsonObject;
  /** The object may be created if it is not there. */
  readonly create?: boolean;
  /** A PUT: the uid and the version in it say which state it is about. */
  readonly replaces?: boolean;
  /** managedFields are already right (apply, scale). */
  readonly tracked?: boolean;
}

/** What a write came to. */
export interface Written {
  readonly object: JsonObject;
  readonly created: boolean;
}

const maxNames = 8;

export class Writer {
  readonly #b: Backing;

  constructor(backing: Backing) {
    this.#b = backing;
  }

  /** A new object. `decoded` is in the request's version, defaulted. */
  async create(t: Target, decoded: JsonObject, tracked = false): Promise<JsonObject> {
    const now = this.#now();
    let object = this.#placed(t, wiped(decoded));
    this.#b.checkNamespace(t.r, t.namespace, nameOf(object));
    // What a client says about ownership counts for nothing on a create; what an apply worked out does.
    if (!tracked) object = await this.#tracked(t, undefined, withMetadata(object, { managedFields: undefined }), now);
    object = await this.#mutated(t, "CREATE", object, undefined);
    this.#checkEscalation(t, object, undefined);
    const uid = uuid(this.#b.random);
    object = withMetadata(object, { creationTimestamp: now, uid });
    const { user, warn } = t.call;
    const context = { now, uid, dryRun: t.options.dryRun, user, warn };
    const base = text(at(object, "metadata", "generateName"));
    if (nameOf(object) !== "" || base === "") return this.#insert(t, object, context);
    for (let attempt = 1; ; attempt += 1) {
      const name = generatedName(base, () => this.#b.random.next());
      try {
        return await this.#insert(t, withMetadata(object, { name }), context);
      } catch (error) {
        if (!(error instanceof StatusError && error.reason === "AlreadyExists")) throw error;
        if (attempt === maxNames) throw noUniqueName(error);
      }
    }
  }

  async #insert(t: Target, named: JsonObject, context: WriteContext): Promise<JsonObject> {
    const { r, options } = t;
    const prepared = r.prepareCreate(named, context);
    const object = r.tracksGeneration ? withMetadata(prepared, { generation: 1 }) : prepared;
    const target = { ...t, name: nameOf(object) };
    await this.#validate(target, object, undefined);
    return this.#holding(target, object, undefined, async (held) => {
      if (t.isUpsert === true) this.#b.checkCreate(t.call.user, r, t.namespace, target.name);
      const asked = attributes(target, "CREATE", held, undefined);
      await this.#b.admission.validate(asked);
      this.#b.quotas.check(asked);
      const version = versionOf(held);
      if (/^\d+$/.test(version) && BigInt(version) > 0n)
        throw raw("resourceVersion should not be set on objects to be created");
      const key = storageKey(r, t.namespace, target.name);
      const existing = this.#b.store.get(key);
      if (existing !== undefined) {
        throw alreadyExists(r, target.name, isTerminating(existing.object()) ? "object is being deleted: " : "");
      }
      return options.dryRun
        ? withMetadata(held, { resourceVersion: undefined })
        : this.#commit(r, key, "absent", held, asked);
    });
  }

  /**
   * An existing object (or, where allowed, a new one) changed by `change`, which is called again with the newer state when
   * somebody else was faster. `change` gets the live object in the request's version and answers with the next one.
   */
  async update(t: Target, change: (live: JsonObject | undefined) => Promise<Change> | Change): Promise<Written> {
    const { r, namespace, name } = t;
    const key = storageKey(r, namespace, name);
    for (;;) {
      const record = this.#b.store.get(key);
      const live = record === undefined ? undefined : await r.read(record);
      const next = await change(live);
      if (record === undefined || live === undefined) {
        if (next.create !== true) throw notFound(r, name);
        if (next.replaces === true && uidOf(next.object) !== "") throw otherUid(t, {}, next.object);
        if (r.refuseCreate !== undefined) throw forbidden(r, name, r.refuseCreate);
        // A version that it was made for counts only where there is one.
        const fresh = withMetadata(next.object, { resourceVersion: undefined });
        return { object: await this.create({ ...t, part: "", isUpsert: true }, fresh, next.tracked), created: true };
      }
      try {
        return { object: await this.#replace(t, record, live, next), created: false };
      } catch (error) {
        // Somebody was faster. A client that named the version it had seen is told; anybody else need not know.
        if (!(error instanceof RevisionMismatch)) throw error;
        const version = versionOf(next.object);
        if (next.replaces === true && version !== "" && version !== "0") throw modified(r, name);
      }
    }
  }

  async #replace(t: Target, record: StoredRecord, live: JsonObject, change: Change): Promise<JsonObject> {
    checkIdentity(t, live, change);
    const now = this.#now();
    let object = this.#placed(t, change.object);
    if (change.tracked !== true) object = await this.#tracked(t, live, object, now);
    object = await this.#mutated(t, "UPDATE", object, live);
    this.#checkEscalation(t, object, live);
    const context = { now, uid: uidOf(live), dryRun: t.options.dryRun, user: t.call.user };
    object = updatedMetadata(t.r, t.r.prepareUpdate(keptGeneration(object, live), live, t.part, context), live, t.part);
    await this.#validate(t, object, live);
    return this.#holding(t, revertTimestamps(live, object), live, (held) => this.#exchange(t, record, live, held));
  }

  #checkEscalation(t: Target, object: JsonObject, old: JsonObject | undefined): void {
    const { call, r: resource, namespace, name: requestName } = t;
    this.#b.checkEscalation({ user: call.user, resource, namespace, requestName, object, old });
  }

  /** Puts the next state in the place of the live one, or takes the object away when nothing holds it any more. */
  async #exchange(t: Target, record: StoredRecord, live: JsonObject, object: JsonObject): Promise<JsonObject> {
    const asked = attributes(t, "UPDATE", object, live);
    await this.#b.admission.validate(asked);
    this.#b.quotas.check(asked);
    if (isFinalized(t.r, object, live)) {
      if (!t.options.dryRun) await this.remove(t.r, record.key, record.revision);
      return withMetadata(object, { resourceVersion: versionOf(live) });
    }
    if (sameState(object, live) && t.r.json(record) !== undefined) return live; // no revision, no event
    if (t.options.dryRun) return object;
    const stored = await this.#commit(t.r, record.key, record.revision, object, asked);
    t.r.release?.(live, object);
    return stored;
  }

  /** Takes what is limited for an object, and gives it back where the write does not happen. */
  async #holding(
    t: Target,
    object: JsonObject,
    old: JsonObject | undefined,
    write: (held: JsonObject) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { r, name } = t;
    const taken = r.allocate?.(object, old) ?? { object };
    if ("errors" in taken) throw invalid(r.group, r.kind, name, taken.errors);
    try {
      const written = await write(taken.object);
      if (t.options.dryRun) r.release?.(taken.object, old);
      return written;
    } catch (error) {
      r.release?.(taken.object, old);
      throw error;
    }
  }

  /** Takes an object away for good. */
  async remove(r: Resource, key: string, revision: number): Promise<StoredRecord> {
    const before = this.#b.store.get(key);
    const { record, durable } = this.#b.store.commit(key, { expect: revision, object: undefined });
    if (before !== undefined) r.release?.(before.object(), undefined);
    await durable();
    return record;
  }

  /** Stores a state that needs no more checks: a mark of deletion, a status that the server itself sets. */
  put(r: Resource, key: string, revision: number, object: JsonObject): Promise<JsonObject> {
    return this.#commit(r, key, revision, object);
  }

  async #commit(
    r: Resource,
    key: string,
    expect: number | "absent",
    object: JsonObject,
    asked?: Attributes,
  ): Promise<JsonObject> {
    const stored = await r.toStorage(withMetadata(object, { resourceVersion: undefined, selfLink: undefined }));
    // From here to the commit nobody else has a turn: what is charged is stored, or given back.
    const giveBack = asked === undefined ? undefined : this.#b.quotas.charge(asked);
    let commit: Commit;
    try {
      commit = this.#b.store.commit(key, { expect, object: stored });
    } catch (error) {
      giveBack?.();
      if (error instanceof RevisionMismatch && expect === "absent") throw alreadyExists(r, nameOf(object));
      throw error;
    }
    const { record, durable } = commit;
    await durable();
    // What the stored version does not know is lost, and the client is told so.
    if (r.storageVersion !== r.version) return await r.read(record);
    // What is answered is what was stored: a status that a create may not bring has its default there.
    const answer = withMetadata(stored, { resourceVersion: String(record.revision) });
    const json = r.json(record);
    if (json !== undefined) texts.set(answer, json);
    return answer;
  }

  async #validate(t: Target, object: JsonObject, old: JsonObject | undefined): Promise<void> {
    const { r } = t;
    // On a create the kind's own validation looks at the metadata; on an update both do, as upstream.
    const common = old === undefined ? [] : commonUpdateChecks(metadataOf(object), metadataOf(old));
    const { errors, warnings } = await r.validate(object, old, t.part);
    const refused = common.length + errors.length > 0;
    // Rules of a custom resource that only warn do so beside others that refuse.
    if (!refused || !r.builtin) for (const warning of warnings) t.call.warn(warning);
    if (refused) throw invalid(...saidToBe(r, object), t.name, [...common, ...errors]);
  }

  #tracked(t: Target, live: JsonObject | undefined, next: JsonObject, now: string): Promise<JsonObject> {
    const { r, part, options } = t;
    return converting(r, (convert) =>
      trackUpdate({
        live,
        next,
        manager: options.fieldManager,
        apiVersion: r.apiVersion,
        subresource: part,
        schema: r.schema(),
        reset: r.reset(part),
        now,
        create: live === undefined,
        builtin: r.builtin,
        convert,
        schemaOf: r.schemaOf,
      }),
    );
  }

  /** A new object with its owner told, for kinds that are answered and not stored. */
  owned(t: Target, object: JsonObject): Promise<JsonObject> {
    return this.#tracked(t, undefined, withMetadata(object, { managedFields: undefined }), this.#now());
  }

  /** In the namespace of the request, each owner once. */
  #placed(t: Target, object: JsonObject): JsonObject {
    return this.#withOwnersOnce(t, inNamespace(t.r, object, t.namespace));
  }

  #withOwnersOnce({ call }: Target, object: JsonObject): JsonObject {
    const { object: once, duplicates } = withoutDuplicateOwners(object);
    if (duplicates.length > 0) call.warn(duplicateOwnersWarning(duplicates));
    return once;
  }

  async #mutated(
    t: Target,
    operation: Operation,
    object: JsonObject,
    old: JsonObject | undefined,
  ): Promise<JsonObject> {
    const named = t.name === "" ? { ...t, name: nameOf(object) } : t;
    const changed = await this.#b.admission.mutate(attributes(named, operation, object, old));
    return this.#withOwnersOnce(t, changed ?? object);
  }

  #now(): string {
    return formatTime(this.#b.clock.now());
  }
}

const texts = new WeakMap<JsonObject, string>();

/** The JSON of an object that was just written, where the store has it at hand. */
export const writtenJson = (object: JsonObject): string | undefined => texts.get(object);

/** Group and kind as messages show them: a custom resource is called what it says it is, even when that is what is wrong. */
function saidToBe(r: Resource, object: JsonObject): [group: string, kind: string] {
  const [group, version] = text(object["apiVersion"]).split("/");
  return r.builtin ? [r.group, r.kind] : [version === undefined ? "" : (group ?? ""), text(object["kind"])];
}

function noUniqueName(error: StatusError): StatusError {
  const message = `${error.message}, the server was not able to generate a unique name for the object`;
  return new StatusError(409, "AlreadyExists", message, { ...error.details, retryAfterSeconds: 1 });
}

const keptGeneration = (object: JsonObject, live: JsonObject): JsonObject =>
  withMetadata(object, { generation: metadataOf(live)["generation"] });

/** Whether they differ in nothing but their version. */
const sameState = (object: JsonObject, live: JsonObject): boolean =>
  sameMembers(object, live, "metadata") && sameMembers(metadataOf(object), metadataOf(live), "resourceVersion");

function sameMembers(a: JsonObject, b: JsonObject, but: string): boolean {
  const isThere = (name: string) => name !== but;
  const names = Object.keys(a).filter(isThere);
  if (names.length !== Object.keys(b).filter(isThere).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && deepEqual(a[name], b[name]));
}

/** A uid in a PUT names one object, and a version, in any write, one state of it. */
function checkIdentity(t: Target, live: JsonObject, { object, replaces }: Change): void {
  const { r, name } = t;
  const uid = uidOf(object);
  if (replaces === true && uid !== "" && uid !== uidOf(live)) throw otherUid(t, live, object);
  const version = versionOf(object);
  const blind = version === "" || version === "0";
  if (replaces === true && blind && !r.allowUnconditionalUpdate) throw versionRequired(r, name);
  if (version !== "" && !/^\d+$/.test(version))
    throw raw(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  if (!blind && version !== versionOf(live)) throw modified(r, name);
}

function otherUid({ r, name, namespace }: Target, live: JsonObject, object: JsonObject): StatusError {
  const place = `${r.builtin ? "" : `${r.group}/`}${r.resource}/${r.namespaced ? `${namespace}/` : ""}${name}`;
  const what = `UID in precondition: ${uidOf(object)}, UID in object meta: ${uidOf(live)}`;
  const why = `StorageError: invalid object, Code: 4, Key: /registry/${place}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what}`;
  return conflict(r, name, why);
}

function inNamespace(r: Resource, object: JsonObject, namespace: string): JsonObject {
  const given = text(at(object, "metadata", "namespace"));
  if (!r.namespaced) return given === "" ? object : withMetadata(object, { namespace: undefined });
  if (given !== "" && given !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return given === "" ? withMetadata(object, { namespace }) : object;
}

function attributes(t: Target, operation: Operation, object: JsonObject, old: JsonObject | undefined): Attributes {
  const { call, options } = t;
  return {
    operation,
    resource: t.r,
    subresource: t.part,
    namespace: t.namespace,
    name: t.name,
    object,
    oldObject: old,
    options: {
      kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions",
      apiVersion: "meta.k8s.io/v1",
      ...(options.dryRun ? { dryRun: ["All"] } : {}),
      ...(call.query.get("fieldManager") ? { fieldManager: options.fieldManager } : {}),
      ...(call.query.get("fieldValidation") ? { fieldValidation: options.fieldValidation } : {}),
    },
    user: call.user,
    dryRun: options.dryRun,
    warn: call.warn,
    annotate: call.annotate,
  };
}
