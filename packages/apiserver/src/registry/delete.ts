// DELETE, of one object or of many: removed, marked, or left as it is.
import { formatTime } from "@telltale/kinds";
import { decodeListOptions } from "../decode/list-options.ts";
import { type DeleteOptions, decodeOptions } from "../decode/options.ts";
import type { JsonObject } from "../json.ts";
import { type Deletion, deleteDecision, deleteWarnings } from "../kinds/delete.ts";
import { deleteNamespace, refuseNamespaceDelete } from "../kinds/namespace.ts";
import type { ApiResponse, Call, User } from "../request.ts";
import type { ResourceInfo } from "../route/info.ts";
import { notFound, StatusError } from "../status.ts";
import { RevisionMismatch } from "../store/errors.ts";
import type { StoredRecord } from "../store/record.ts";
import { list } from "./list.ts";
import { nameOf, uidOf, versionOf, withMetadata } from "./metadata.ts";
import { type Resource, storageKey, storagePrefix } from "./resource.ts";
import { placeOf, selection } from "./selector.ts";
import type { Backing, Writer } from "./write.ts";

const internalUser: User = {
  username: "system:apiserver",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: {},
};

/** What a kind does to itself when it is deleted, where that is not what all kinds do. */
export type SpecialDeletion = (object: JsonObject, now: string) => Deletion | undefined;

export class Deleter {
  readonly #b: Backing;
  readonly #writer: Writer;
  readonly #special: (r: Resource) => SpecialDeletion | undefined;

  constructor(backing: Backing, writer: Writer, special: (r: Resource) => SpecialDeletion | undefined) {
    this.#b = backing;
    this.#writer = writer;
    this.#special = special;
  }

  async one(
    call: Call,
    info: ResourceInfo,
    r: Resource,
    answer: (status: number, object: JsonObject) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const options = await decodeOptions({
      contentType: call.request.headers["content-type"],
      bytes: call.request.body,
      query: call.query,
    });
    const done = await this.object(call, r, info.namespace, info.name, options);
    const survives = done.do !== "remove";
    // 202 is for those who asked for dependents to go first, and have to wait.
    const status = survives && options.orphanDependents === false ? 202 : 200;
    if (survives || r.returnDeletedObject) return answer(status, done.object);
    return answer(status, success(r, done.object));
  }

  async many(
    call: Call,
    info: ResourceInfo,
    r: Resource,
    answer: (records: readonly StoredRecord[], revision: number) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const chosen = selection(r, call.query);
    const o = decodeListOptions(call.query);
    const options = await decodeOptions({
      contentType: call.request.headers["content-type"],
      bytes: call.request.body,
      query: new URLSearchParams(dropped(call.query)),
    });
    const found = await list(this.#b.store, this.#b.clock, r, info.namespace, chosen, o);
    for (const record of found.records) {
      const { namespace, name } = placeOf(r, record.key);
      try {
        await this.object(call, r, namespace, name, options, true);
      } catch (error) {
        if (!(error instanceof StatusError && error.code === 404)) throw error;
      }
    }
    return answer(found.records, found.revision);
  }

  /** Deletes all objects of a resource, wherever they are, as its definition is deleted; asks before each whether that goes on. */
  async everything(r: Resource, goesOn: () => boolean = () => true): Promise<void> {
    const call: Call = {
      request: {
        method: "DELETE",
        url: "/",
        headers: {},
        body: new Uint8Array(),
        signal: new AbortController().signal,
      },
      query: new URLSearchParams(),
      user: internalUser,
      warn: () => {},
    };
    const object = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" };
    for (const record of this.#b.store.scan(storagePrefix(r)).records) {
      if (!goesOn()) return;
      const { namespace, name } = placeOf(r, record.key);
      await this.object(call, r, namespace, name, { preconditions: {}, dryRun: false, object }).catch(
        (error: unknown) => {
          if (!(error instanceof StatusError && error.code === 404)) throw error;
        },
      );
    }
  }

  /** Deletes one object as the options say; decides again when somebody else was faster. */
  async object(
    call: Call,
    r: Resource,
    namespace: string,
    name: string,
    options: DeleteOptions,
    oneOfMany = false,
  ): Promise<Deletion> {
    const key = storageKey(r, namespace, name);
    for (;;) {
      const record = this.#b.store.get(key);
      if (record === undefined) throw notFound(r, name);
      const object = await r.read(record);
      const done = this.#decide(r, object, options);
      for (const warning of deleteWarnings(deletable(r), object, options)) call.warn(warning);
      await this.#admit(call, r, namespace, oneOfMany ? "" : name, object, options);
      if (options.dryRun || done.do === "unchanged") return done;
      try {
        if (done.do === "remove") {
          // A watcher of pods sees the mark first. Whoever comes in between meets a marked pod, and it goes all the same.
          const mark = done.marked === true ? await this.#writer.put(r, key, record.revision, done.object) : undefined;
          const revision = mark === undefined ? record.revision : Number(versionOf(mark));
          const gone = await this.#writer.remove(r, key, revision);
          return { do: "remove", object: withMetadata(done.object, { resourceVersion: String(gone.revision) }) };
        }
        const stored = await this.#writer.put(r, key, record.revision, done.object);
        return { do: "update", object: stored };
      } catch (error) {
        if (!(error instanceof RevisionMismatch)) throw error;
      }
    }
  }

  #decide(r: Resource, object: JsonObject, options: DeleteOptions): Deletion {
    const now = formatTime(this.#b.clock.now());
    const special = this.#special(r)?.(object, now);
    if (special !== undefined) return special;
    return deleteDecision(object, options, deletable(r), now);
  }

  async #admit(
    call: Call,
    r: Resource,
    namespace: string,
    name: string,
    object: JsonObject,
    options: DeleteOptions,
  ): Promise<void> {
    const attributes = {
      operation: "DELETE" as const,
      resource: r,
      subresource: "",
      namespace,
      name,
      object: undefined,
      oldObject: object,
      options: options.object,
      user: call.user,
      dryRun: options.dryRun,
      warn: call.warn,
    };
    await this.#b.admission.mutate(attributes);
    await this.#b.admission.validate(attributes);
  }
}

const deletable = (r: Resource) => ({
  kind: { group: r.group, kind: r.kind },
  graceful: r.graceful,
  defaultPropagation: r.defaultPropagation,
});

/** A collection's query is about the list: only what is a delete option is taken from it. */
function dropped(query: URLSearchParams): [string, string][] {
  return [...query].filter(([name]) => name !== "resourceVersion" && name !== "uid");
}

/** Namespaces go in two steps, and three of them not at all. */
export const namespaceDeletion: SpecialDeletion = (object, now) => {
  const refused = refuseNamespaceDelete(nameOf(object));
  if (refused !== undefined) throw refused;
  const done = deleteNamespace(object, now);
  return done.do === "update" ? done : { do: done.do, object };
};

function success(r: Resource, object: JsonObject): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: nameOf(object),
      ...(r.group === "" ? {} : { group: r.group }),
      kind: r.resource,
      uid: uidOf(object),
    },
  };
}
