// What the collecting controllers read and write through. They read the store, and write as any client does.
import type { Clock } from "@telltale/clock";
import { type JsonObject, stringify } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Resource } from "../registry/resource.ts";
import { placeOf as placeIn } from "../registry/selector.ts";
import type { User } from "../request.ts";
import type { Store, StoreEvent } from "../store/store.ts";
import type { InProcessClient } from "../transport/in-process.ts";
import { again, done, type Outcome } from "./work.ts";

export interface Environment {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly client: InProcessClient;
  readonly clock: Clock;
  readonly log: (text: string) => void;
}

export const controllerUser = (name: string): User => ({
  username: `system:serviceaccount:kube-system:${name}`,
  uid: "",
  groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated", "system:masters"],
  extra: {},
});

/** Where an object is kept, read back from its key. */
export interface Place {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

/** The object behind a key, in the version in which it is stored; undefined when it is no longer served. */
export function placeOf(catalogue: Catalogue, key: string): Place | undefined {
  const [, group = "", plural = ""] = key.split("/", 3);
  const served = catalogue.all().filter((r) => r.storage.group === group && r.storage.resource === plural);
  const resource = served.find((r) => r.group === group && r.version === r.storageVersion) ?? served[0];
  return resource === undefined ? undefined : { resource, ...placeIn(resource, key) };
}

export function pathOf(r: Resource, namespace: string, name = "", subresource = ""): string {
  const base = r.group === "" ? `/api/${r.version}` : `/apis/${r.group}/${r.version}`;
  const place = r.namespaced ? `${base}/namespaces/${namespace}` : base;
  return [
    place,
    r.resource,
    ...(name === "" ? [] : [encodeURIComponent(name)]),
    ...(subresource === "" ? [] : [subresource]),
  ].join("/");
}

/** One request as one controller, and what came of it: gone and raced are no failures. */
export type Ask = (method: string, path: string, body: JsonObject, contentType?: string) => Promise<Outcome>;

export function asking({ client }: Environment, controller: string): Ask {
  const user = controllerUser(controller);
  return async (method, path, body, contentType = "application/json") => {
    const headers = { "content-type": contentType, "user-agent": "kube-controller-manager" };
    const { status, body: answer } = await client({ method, path, user, headers, body: stringify(body) });
    if ((status >= 200 && status < 300) || status === 404) return done;
    return status === 409 ? again : { is: "failed", why: `${method} ${path}: ${status} ${answer.slice(0, 1000)}` };
  };
}

/**
 * Follows every write from now on, and begins anew when the store has gone back to an earlier state. `begin` is called with
 * nothing missed in between.
 */
export function following(store: Store, begin: () => void, told: (event: StoreEvent) => void): () => void {
  let [stopped, leave] = [false, (): void => {}];
  const start = () => {
    if (stopped) return;
    begin();
    leave = store.subscribe("/", store.revision, told, () => queueMicrotask(start));
  };
  start();
  return () => {
    stopped = true;
    leave();
  };
}
