// Every write goes through here: create, and the one loop that all updates, patches and applies are made of.
import { type Clock, type Random, uuid } from "@telltale/clock";
import { deepEqual, formatTime } from "@telltale/kinds";
import type { Admission, Attributes, Operation } from "../admit/admission.ts";
import { revertTimestamps, trackUpdate } from "../apply/apply.ts";
import { at, type JsonObject, text } from "../json.ts";
import { validateMeta, validateMetaUpdate } from "../meta/validate.ts";
import type { Call } from "../request.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  invalidField,
  modified,
  notFound,
  raw,
  StatusError,
} from "../status.ts";
import type { StoredRecord } from "../store/record.ts";
import { RevisionMismatch, type Store } from "../store/store.ts";
import {
  contentChanged,
  duplicateOwnersWarning,
  finalizersOf,
  generatedName,
  generationOf,
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
  /** Refuses a create in a namespace that is not there or is being removed. */
  readonly checkNamespace: (resource: Resource, namespace: string, name: string) => void;
}

/** What a write came to. */
export interface Written {
  readonly object: JsonObject;
  readonly created: boolean;
}

export class Writer {
  readonly #b: Backing;

  constructor(backing: Backing) {
    this.#b = backing;
  }

  /** A new object. `decoded` is in the request's version, defaulted. */
  async create(
    call: Call,
    r: Resource,
    namespace: string,
    decoded: JsonObject,
    options: WriteOptions,
    part: Part = "",
  ): Promise<JsonObject> {
    let object = this.#inNamespace(r, wiped(decoded), namespace);
    object = this.#dedupOwners(call, object);
    this.#b.checkNamespace(r, namespace, nameOf(object));
    const now = this.#now();
    object = withMetadata(object, { managedFields: undefined });
    object = this.#track(r, undefined, object, options, part, now);
    object =
      (await this.#mutate(call, r, "CREATE", part, namespace, nameOf(object), object, undefined, options)) ?? object;
    object = this.#dedupOwners(call, object);
    const uid = uuid(this.#b.random);
    object = withMetadata(object, { creationTimestamp: now, uid });
    const base = text(at(object, "metadata", "generateName"));
    const generated = nameOf(object) === "" && base !== "";
    for (let attempt = 0; ; attempt += 1) {
      const named = generated
        ? withMetadata(object, { name: generatedName(base, () => this.#b.random.next()) })
        : object;
      try {
        return await this.#insert(call, r, namespace, named, options, part, { now, uid, dryRun: options.dryRun });
      } catch (error) {
        const taken = error instanceof StatusError && error.reason === "AlreadyExists";
        if (!generated || !taken) throw error;
        if (attempt < 7) continue;
        throw new StatusError(
          409,
          "AlreadyExists",
          `${error.message}, the server was not able to generate a unique name for the object`,
          { ...error.details, retryAfterSeconds: 1 },
        );
      }
    }
  }

  async #insert(
    call: Call,
    r: Resource,
    namespace: string,
    named: JsonObject,
    options: WriteOptions,
    part: Part,
    context: WriteContext,
  ): Promise<JsonObject> {
    let object = r.prepareCreate(named, context);
    object = r.tracksGeneration ? withMetadata(object, { generation: 1 }) : object;
    const name = nameOf(object);
    await this.#validate(call, r, object, undefined, part, name);
    await this.#b.admission.validate(
      this.#attributes(call, r, "CREATE", part, namespace, name, object, undefined, options),
    );
    const version = versionOf(object);
    if (/^\d+$/.test(version) && BigInt(version) > 0n)
      throw raw("resourceVersion should not be set on objects to be created");
    object = withMetadata(object, { resourceVersion: undefined });
    const key = storageKey(r, namespace, name);
    const existing = this.#b.store.get(key);
    if (existing !== undefined) {
      throw alreadyExists(r, name, isTerminating(existing.object()) ? "object is being deleted: " : "");
    }
    if (options.dryRun) return object;
    return this.#commit(r, key, "absent", object);
  }

  /**
   * An existing object (or, where allowed, a new one) changed by `change`, which is called again with the newer state when
   * somebody else was faster. `change` gets the live object in the request's version and answers with the next one.
   */
  async update(
    call: Call,
    r: Resource,
    where: { readonly namespace: string; readonly name: string; readonly part: Part },
    change: (live: JsonObject | undefined) => Promise<Change> | Change,
    options: WriteOptions,
  ): Promise<Written> {
    const { namespace, name, part } = where;
    const key = storageKey(r, namespace, name);
    for (;;) {
      const record = this.#b.store.get(key);
      const live = record === undefined ? undefined : await r.read(record);
      const next = await change(live);
      if (record === undefined || live === undefined) {
        if (next.create !== true) throw notFound(r, name);
        return { object: await this.create(call, r, namespace, next.object, options, part), created: true };
      }
      try {
        const object = await this.#replace(call, r, where, key, record, live, next, options);
        return { object, created: false };
      } catch (error) {
        // Somebody was faster. A client that named the version it had seen is told; anybody else need not know.
        if (!(error instanceof RevisionMismatch)) throw error;
        if (next.exactVersion === true) throw modified(r, name);
      }
    }
  }

  async #replace(
    call: Call,
    r: Resource,
    where: { readonly namespace: string; readonly name: string; readonly part: Part },
    key: string,
    record: StoredRecord,
    live: JsonObject,
    change: Change,
    options: WriteOptions,
  ): Promise<JsonObject> {
    const { namespace, name, part } = where;
    this.#checkIdentity(r, live, change.object, name);
    const now = this.#now();
    let object = this.#inNamespace(r, change.object, namespace);
    object = this.#dedupOwners(call, object);
    const ready = change.tracked === true ? object : this.#track(r, live, object, options, part, now);
    object = ready;
    object = (await this.#mutate(call, r, "UPDATE", part, namespace, name, object, live, options)) ?? object;
    object = this.#dedupOwners(call, object);
    if (object !== ready && change.tracked !== true) object = this.#track(r, live, object, options, part, now);
    object = this.#beforeUpdate(r, object, live, part, { now, uid: uidOf(live), dryRun: options.dryRun });
    await this.#validate(call, r, object, live, part, name);
    object = revertTimestamps(live, object);
    await this.#b.admission.validate(this.#attributes(call, r, "UPDATE", part, namespace, name, object, live, options));
    if (finalized(object, live)) {
      if (!options.dryRun) await this.remove(r, key, record.revision);
      return withMetadata(object, { resourceVersion: versionOf(live) });
    }
    if (
      deepEqual(
        withMetadata(object, { resourceVersion: undefined }),
        withMetadata(live, { resourceVersion: undefined }),
      ) &&
      r.json(record) !== undefined
    ) {
      return live; // nothing changed: no revision, no event
    }
    if (options.dryRun) return object;
    return this.#commit(r, key, record.revision, object);
  }

  /** Takes an object away for good. */
  async remove(r: Resource, key: string, revision: number): Promise<StoredRecord> {
    const before = this.#b.store.get(key);
    const { record, durable } = this.#b.store.commit(key, { expect: revision, object: undefined });
    if (before !== undefined) r.released?.(before.object());
    await durable();
    return record;
  }

  async #commit(r: Resource, key: string, expect: number | "absent", object: JsonObject): Promise<JsonObject> {
    const stored = await r.toStorage(withMetadata(object, { resourceVersion: undefined, selfLink: undefined }));
    try {
      const { record, durable } = this.#b.store.commit(key, { expect, object: stored });
      await durable();
      return withMetadata(object, { resourceVersion: String(record.revision), selfLink: undefined });
    } catch (error) {
      if (error instanceof RevisionMismatch && expect === "absent") throw alreadyExists(r, nameOf(object));
      throw error;
    }
  }

  /** A uid in the request names one object, and a version one state of it. */
  #checkIdentity(r: Resource, live: JsonObject, next: JsonObject, name: string): void {
    const uid = uidOf(next);
    if (uid !== "" && uid !== uidOf(live)) {
      const place = r.builtin ? `/registry/${r.resource}` : `/registry/${r.group}/${r.resource}`;
      const namespace = text(at(live, "metadata", "namespace"));
      const where = `${place}/${namespace === "" ? "" : `${namespace}/`}${name}`;
      throw conflict(
        r,
        name,
        `StorageError: invalid object, Code: 4, Key: ${where}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${uidOf(live)}`,
      );
    }
    const version = versionOf(next);
    if (version !== "" && !/^\d+$/.test(version))
      throw raw(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
    if (version !== "" && version !== "0" && version !== versionOf(live)) throw modified(r, name);
  }

  #beforeUpdate(r: Resource, next: JsonObject, old: JsonObject, part: Part, context: WriteContext): JsonObject {
    const before = metadataOf(old);
    let object = withMetadata(next, { generation: before["generation"] });
    object = r.prepareUpdate(object, old, part, context);
    if (part === "" || part === "scale") {
      const bump = contentChanged(object, old, r.hasStatus) || (r.bumps?.(object, old) ?? false);
      if (r.tracksGeneration && bump) object = withMetadata(object, { generation: generationOf(old) + 1 });
    }
    const after = metadataOf(object);
    return withMetadata(object, {
      uid: text(after["uid"]) === "" ? before["uid"] : after["uid"],
      creationTimestamp: before["creationTimestamp"],
      ...(before["deletionTimestamp"] === undefined ? {} : { deletionTimestamp: before["deletionTimestamp"] }),
      ...(after["deletionGracePeriodSeconds"] === undefined && before["deletionGracePeriodSeconds"] !== undefined
        ? { deletionGracePeriodSeconds: before["deletionGracePeriodSeconds"] }
        : {}),
    });
  }

  async #validate(
    call: Call,
    r: Resource,
    object: JsonObject,
    old: JsonObject | undefined,
    part: Part,
    name: string,
  ): Promise<void> {
    const rules = { nameRule: r.nameRule, namespaced: r.namespaced, builtin: r.builtin };
    const common =
      old === undefined
        ? validateMeta(metadataOf(object), rules)
        : validateMetaUpdate(metadataOf(object), metadataOf(old), rules);
    const { errors, warnings } = await r.validate(object, old, part);
    const all = [...common, ...errors];
    if (all.length > 0) throw invalid(r.group, r.kind, name, all);
    for (const warning of warnings) call.warn(warning);
  }

  #track(
    r: Resource,
    live: JsonObject | undefined,
    next: JsonObject,
    options: WriteOptions,
    part: Part,
    now: string,
  ): JsonObject {
    return trackUpdate({
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
    });
  }

  #inNamespace(r: Resource, object: JsonObject, namespace: string): JsonObject {
    const given = text(at(object, "metadata", "namespace"));
    if (!r.namespaced) return given === "" ? object : withMetadata(object, { namespace: undefined });
    if (given !== "" && given !== namespace) {
      throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
    }
    return given === "" ? withMetadata(object, { namespace }) : object;
  }

  #dedupOwners(call: Call, object: JsonObject): JsonObject {
    const { object: once, duplicates } = withoutDuplicateOwners(object);
    if (duplicates.length > 0) call.warn(duplicateOwnersWarning(duplicates));
    return once;
  }

  #mutate(
    call: Call,
    r: Resource,
    operation: Operation,
    part: Part,
    namespace: string,
    name: string,
    object: JsonObject,
    old: JsonObject | undefined,
    options: WriteOptions,
  ) {
    return this.#b.admission.mutate(this.#attributes(call, r, operation, part, namespace, name, object, old, options));
  }

  #attributes(
    call: Call,
    r: Resource,
    operation: Operation,
    part: Part,
    namespace: string,
    name: string,
    object: JsonObject,
    old: JsonObject | undefined,
    options: WriteOptions,
  ): Attributes {
    return {
      operation,
      resource: r,
      subresource: part,
      namespace,
      name,
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
    };
  }

  #now(): string {
    return formatTime(this.#b.clock.now());
  }
}

/** What a change made of the live object. */
export interface Change {
  readonly object: JsonObject;
  /** The object may be created if it is not there. */
  readonly create?: boolean;
  /** The client named the version that it changed: a race is its business. */
  readonly exactVersion?: boolean;
  /** managedFields are already right (apply). */
  readonly tracked?: boolean;
}

/** Without finalizers nothing holds a terminating object any more. */
function finalized(object: JsonObject, old: JsonObject): boolean {
  const grace = at(old, "metadata", "deletionGracePeriodSeconds");
  return isTerminating(old) && finalizersOf(object).length === 0 && (grace === undefined || grace === 0);
}

/** 422 for an update that has to name a version and does not. */
export const versionRequired = (r: Resource, name: string): StatusError =>
  invalid(r.group, r.resource, name, [invalidField("metadata.resourceVersion", 0, "must be specified for an update")]);
