// The verbs of a Kubernetes API server, typed by kind values. What to send is decided here; how it is carried, repeated and
// given up is in `send.ts`.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { collectionPath, objectPath, type Query, type Ref, withQuery } from "./paths.ts";
import { type Safety, safetyOfJsonPatch, safetyOfObject } from "./retry.ts";
import { type Call, type CallOptions, createSender } from "./send.ts";
import type { Headers } from "./transport.ts";
import type {
  ApplyOptions,
  Client,
  ClientOptions,
  DeleteOptions,
  ListOptions,
  Page,
  Patch,
  RawRequest,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from "./verbs.ts";
import { watchEvents } from "./watch.ts";
import { yamlOf } from "./yaml.ts";

const pageSize = 500;

export function createClient(options: ClientOptions): Client {
  const sender = createSender(options);
  const json = { "content-type": "application/json" };

  const call = <T>(request: Call): Promise<T> => sender.value<T>(request);

  const read = <T>(path: string, query: Query, options: CallOptions = {}, headers: Headers = {}) =>
    call<T>({ method: "GET", path: withQuery(path, query), safety: "safe", headers, ...callOptions(options) });

  const writing = (write: WriteOptions): Query => ({
    fieldManager: write.fieldManager ?? options.fieldManager,
    fieldValidation: write.fieldValidation ?? options.fieldValidation,
    ...dryRun(write),
  });

  function put<T extends KubeObject>(kind: KindRef<T>, object: T, write: WriteOptions, subresource?: string) {
    const path = withQuery(objectPath(kind, refOf(kind, object), subresource), writing(write));
    const body = JSON.stringify(named(kind, object));
    return call<T>({ method: "PUT", path, headers: json, body, safety: safetyOfObject(object), ...callOptions(write) });
  }

  function patch<T>(kind: KindRef, ref: Ref, change: Patch, write: WriteOptions, subresource?: string) {
    const path = withQuery(objectPath(kind, ref, subresource), writing(write));
    return call<T>({ method: "PATCH", path, ...patchBody(change), ...callOptions(write) });
  }

  function apply<T extends KubeObject>(kind: KindRef<T>, object: object, write: ApplyOptions, subresource?: string) {
    const manager = write.fieldManager ?? options.fieldManager;
    if (manager === undefined) {
      throw new TypeError(`apply ${kind.kind}: nobody is named as owner of the fields; give \`fieldManager\``);
    }
    const query = { ...writing(write), force: write.force === true ? true : undefined };
    return call<T>({
      method: "PATCH",
      path: withQuery(objectPath(kind, refOf(kind, object), subresource), query),
      headers: { "content-type": "application/apply-patch+yaml" },
      body: yamlOf(named(kind, object)),
      safety: safetyOfObject(object),
      ...callOptions(write),
    });
  }

  async function list<T extends KubeObject>(kind: KindRef<T>, select: ListOptions = {}): Promise<Page<T>> {
    const query = { ...selection(select), limit: select.limit, continue: select.continue };
    const path = collectionPath(kind, select.namespace);
    const wire = await read<WireList<T>>(path, query, select, accept(select, "PartialObjectMetadataList"));
    const { metadata = {} } = wire;
    return {
      items: wire.items ?? [],
      resourceVersion: metadata.resourceVersion ?? "",
      ...(metadata.continue ? { continue: metadata.continue } : {}),
      ...(metadata.remainingItemCount === undefined ? {} : { remaining: metadata.remainingItemCount }),
    };
  }

  return {
    get: async (kind, name, get = {}) => {
      const path = objectPath(kind, { name, ...(get.namespace === undefined ? {} : { namespace: get.namespace }) });
      return read(path, { resourceVersion: get.resourceVersion }, get);
    },
    list,
    pages: (kind, select) => pages(list, kind, select),
    all: (kind, select) => items(pages(list, kind, select)),
    watch<T extends KubeObject>(kind: KindRef<T>, select: WatchOptions = {}) {
      const query = {
        watch: true,
        allowWatchBookmarks: select.allowWatchBookmarks ?? true,
        ...selection(select),
        sendInitialEvents: select.sendInitialEvents,
        // The one reading that the server allows together with initial events.
        resourceVersionMatch:
          select.resourceVersionMatch ?? (select.sendInitialEvents === undefined ? undefined : "NotOlderThan"),
        timeoutSeconds: select.timeoutSeconds,
      };
      const path = withQuery(collectionPath(kind, select.namespace), query);
      const headers = accept(select, "PartialObjectMetadata");
      const open: Call = { method: "GET", path, safety: "safe", headers, ...callOptions(select) };
      return watchEvents<T>(sender, options.clock, open, select.idle);
    },
    create: async (kind, object, write = {}) => {
      const namespace = object.metadata?.namespace;
      if (kind.scope === "Namespaced" && !namespace) throw new TypeError(missing(kind, "metadata.namespace"));
      const path = withQuery(collectionPath(kind, namespace), writing(write));
      const body = JSON.stringify(named(kind, object));
      return call({ method: "POST", path, headers: json, body, safety: "unsafe", ...callOptions(write) });
    },
    update: async (kind, object, write = {}) => put(kind, object, write),
    patch: async (kind, ref, change, write = {}) => patch(kind, ref, change, write),
    apply: async (kind, object, write = {}) => apply(kind, object, write),
    delete: async (kind, ref, remove) =>
      call({
        method: "DELETE",
        path: objectPath(kind, ref),
        headers: json,
        body: JSON.stringify(deleteBody(remove)),
        safety: remove.uid === undefined && remove.resourceVersion === undefined ? "unsafe" : "guarded",
        ...callOptions(remove),
      }),
    deleteCollection: async (kind, remove) => {
      if (kind.scope === "Namespaced" && !remove.namespace) throw new TypeError(missing(kind, "namespace"));
      const { labelSelector, fieldSelector, limit } = remove;
      const path = withQuery(collectionPath(kind, remove.namespace), { labelSelector, fieldSelector, limit });
      const body = JSON.stringify(deleteBody(remove));
      return call({ method: "DELETE", path, headers: json, body, safety: "unsafe", ...callOptions(remove) });
    },
    status: {
      update: async (kind, object, write = {}) => put(kind, object, write, "status"),
      patch: async (kind, ref, change, write = {}) => patch(kind, ref, change, write, "status"),
      apply: async (kind, object, write = {}) => apply(kind, object, write, "status"),
    },
    scale: {
      get: async (kind, ref, get) => read(objectPath(kind, ref, "scale"), {}, get),
      patch: async (kind, ref, change, write = {}) => patch(kind, ref, change, write, "scale"),
    },
    subresource: async (kind, ref, name, raw = {}) =>
      call(rawCall({ method: "GET", ...raw, path: objectPath(kind, ref, name) })),
    request: async (raw) => sender.send(rawCall(raw)),
    close: () => options.transport.close(),
  };
}

interface WireList<T> {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly T[] | null;
}

function callOptions({ signal, timeout }: CallOptions): CallOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(timeout === undefined ? {} : { timeout }) };
}

const dryRun = (write: { readonly dryRun?: boolean }): Query => (write.dryRun === true ? { dryRun: "All" } : {});

function selection(select: SelectOptions): Query {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = select;
  return { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch };
}

function accept({ metadataOnly }: SelectOptions, as: string): Headers {
  return metadataOnly === true ? { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` } : {};
}

/** Items of a list come without their kind; the server wants it back on a write. */
function named(kind: KindRef, object: object): object {
  return { apiVersion: kind.apiVersion, kind: kind.kind, ...object };
}

function refOf(kind: KindRef, object: { readonly metadata?: unknown }): Ref {
  const { name, namespace } = (object.metadata ?? {}) as { name?: string; namespace?: string };
  if (!name) throw new TypeError(missing(kind, "metadata.name"));
  return { name, ...(namespace ? { namespace } : {}) };
}

const missing = (kind: KindRef, field: string): string => `${kind.kind}: ${field} is missing; say which one is meant`;

function patchBody(patch: Patch): { readonly body: string; readonly headers: Headers; readonly safety: Safety } {
  const of = (type: string, body: object, safety: Safety) => ({
    body: JSON.stringify(body),
    headers: { "content-type": `application/${type}+json` },
    safety,
  });
  if ("json" in patch) return of("json-patch", patch.json, safetyOfJsonPatch(patch.json));
  if ("merge" in patch) return of("merge-patch", patch.merge, safetyOfObject(patch.merge));
  return of("strategic-merge-patch", patch.strategic, safetyOfObject(patch.strategic));
}

// Functions of the module, and not of each client: V8 gives each such function its own prototype, and keeps it and all that it
// knows until a full collection.
async function* pages<T extends KubeObject>(
  list: Client["list"],
  kind: KindRef<T>,
  select: ListOptions = {},
): AsyncGenerator<Page<T>, void, undefined> {
  let page = await list(kind, { limit: pageSize, ...select });
  yield page;
  while (page.continue !== undefined) {
    // A token carries its version and how it was meant; the server refuses to be told twice.
    const { resourceVersion: _version, resourceVersionMatch: _match, ...same } = select;
    page = await list(kind, { limit: pageSize, ...same, continue: page.continue });
    yield page;
  }
}

async function* items<T extends KubeObject>(pages: AsyncIterable<Page<T>>): AsyncGenerator<T, void, undefined> {
  for await (const page of pages) yield* page.items;
}

function deleteBody(remove: DeleteOptions): object {
  const { uid, resourceVersion, gracePeriodSeconds, propagation } = remove;
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: propagation,
    gracePeriodSeconds,
    ...(remove.dryRun === true ? { dryRun: ["All"] } : {}),
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
  };
}

function rawCall(raw: RawRequest): Call {
  const { method, path, query, body, headers } = raw;
  const asIs = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  return {
    method,
    path: withQuery(path, query),
    safety: raw.safety ?? (method === "GET" || method === "HEAD" ? "safe" : "unsafe"),
    headers: { ...(asIs ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: asIs ? body : JSON.stringify(body) }),
    ...callOptions(raw),
  };
}
