// What a client can be asked for: its verbs and their options. Types only; `client.ts` makes one.
import type { KindRef, KubeObject } from "@telltale/kinds";
import type { Query, Ref } from "./paths.ts";
import type { JsonPatchOperation, Safety } from "./retry.ts";
import type { Answer, CallOptions, SenderOptions } from "./send.ts";
import type { Headers } from "./transport.ts";
import type { WatchEvent } from "./watch.ts";

export interface ClientOptions extends SenderOptions {
  /** Who owns the fields that we write. Needed for `apply`, here or there. */
  readonly fieldManager?: string;
  /** What to do with unknown and doubled fields. Without it the server warns. */
  readonly fieldValidation?: FieldValidation;
}

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export interface GetOptions extends CallOptions {
  readonly namespace?: string;
  readonly resourceVersion?: string;
}

export interface SelectOptions extends CallOptions {
  /** Without it: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Only `metadata` of each object: much less to send and to keep. */
  readonly metadataOnly?: boolean;
}

export interface ListOptions extends SelectOptions {
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions extends SelectOptions {
  /** Default: true. */
  readonly allowWatchBookmarks?: boolean;
  /** Begins with the objects that there are; a bookmark says where they end. */
  readonly sendInitialEvents?: boolean;
  /** After which the server ends the stream. */
  readonly timeoutSeconds?: number;
  /** Gives up when nothing came for so long, in milliseconds: a stream can go silent without an end. */
  readonly idle?: number;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly fieldValidation?: FieldValidation;
  /** Everything but the writing. */
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  /** Take over fields that another manager owns. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  /** What becomes of the dependents. */
  readonly propagation: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
  /** Delete this very object, not one that has taken its name. */
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface DeleteCollectionOptions
  extends Omit<DeleteOptions, "uid" | "resourceVersion">,
    Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector" | "limit"> {}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** For the next page; undefined on the last. */
  readonly continue?: string;
  readonly remaining?: number;
}

/** One of the three types of patch. */
export type Patch =
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly merge: object }
  | { readonly strategic: object };

/** `autoscaling/v1` Scale: the same shape for every kind that can be scaled. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** A part of an object, for server-side apply: what is left out is not ours. */
export type Applied<T> = T extends readonly (infer E)[]
  ? readonly Applied<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Applied<T[K]> | undefined }
    : T;

export interface RawRequest extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Headers;
  /** An object is sent as JSON. */
  readonly body?: object | string | Uint8Array;
  /** Default: safe for GET and HEAD, else unsafe. */
  readonly safety?: Safety;
}

export interface Client {
  get<T extends KubeObject>(kind: KindRef<T>, name: string, options?: GetOptions): Promise<T>;
  /** One page. */
  list<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): Promise<Page<T>>;
  /** Page by page, 500 objects each unless told otherwise. */
  pages<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): AsyncGenerator<Page<T>, void, undefined>;
  /** Object by object over all pages. */
  all<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): AsyncGenerator<T, void, undefined>;
  /** Until the server ends the stream. To resume: `resourceVersion` of the last event. */
  watch<T extends KubeObject>(kind: KindRef<T>, options?: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined>;
  create<T extends KubeObject>(kind: KindRef<T>, object: NoInfer<T>, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(kind: KindRef<T>, object: NoInfer<T>, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(kind: KindRef<T>, ref: Ref, patch: Patch, options?: WriteOptions): Promise<T>;
  apply<T extends KubeObject>(kind: KindRef<T>, object: Applied<NoInfer<T>>, options?: ApplyOptions): Promise<T>;
  /** What the server answered: the object, where it stays for a while, or a Status. */
  delete(kind: KindRef, ref: Ref, options: DeleteOptions): Promise<KubeObject>;
  deleteCollection(kind: KindRef, options: DeleteCollectionOptions): Promise<KubeObject>;
  readonly status: {
    update<T extends KubeObject>(kind: KindRef<T>, object: NoInfer<T>, options?: WriteOptions): Promise<T>;
    patch<T extends KubeObject>(kind: KindRef<T>, ref: Ref, patch: Patch, options?: WriteOptions): Promise<T>;
    apply<T extends KubeObject>(kind: KindRef<T>, object: Applied<NoInfer<T>>, options?: ApplyOptions): Promise<T>;
  };
  readonly scale: {
    get(kind: KindRef, ref: Ref, options?: CallOptions): Promise<Scale>;
    patch(kind: KindRef, ref: Ref, patch: Patch, options?: WriteOptions): Promise<Scale>;
  };
  /** Any other subresource: `subresource(Pod, ref, "eviction", { method: "POST", body })`. */
  subresource(kind: KindRef, ref: Ref, name: string, request?: Partial<Omit<RawRequest, "path">>): Promise<unknown>;
  /** Anything else that the server can answer. A refusal is an `ApiError` here too. */
  request(request: RawRequest): Promise<Answer>;
  close(): Promise<void>;
}
