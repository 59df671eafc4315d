// Permissions as they are stored, and how CEL asks about them.
import { serviceAccountUser } from "../authenticate/service-account.ts";
import type { AccessCheck } from "../cel/admission.ts";
import type { JsonObject } from "../json.ts";
import type { User } from "../request.ts";
import type { Store } from "../store/store.ts";
import type { Authorizer } from "./authorizer.ts";

/** Lists of a group's objects, the same array for as long as nothing in the group changes. */
export function remembered(store: Store, group: string): (group: string, resource: string) => readonly JsonObject[] {
  const lists = new Map<string, readonly JsonObject[]>();
  const follow = () => {
    lists.clear();
    store.subscribe(`/${group}/`, store.revision, () => lists.clear(), follow); // goes on after a restore
  };
  follow();
  return (of, resource) => {
    const known = lists.get(`${of}/${resource}`);
    if (known !== undefined) return known;
    const made = store.scan(`/${of}/${resource}/`).records.map((record) => record.object());
    lists.set(`${of}/${resource}`, made);
    return made;
  };
}

/** A stored object of the core group; namespace is empty for nodes. */
export function coreObject(store: Store, resource: string, namespace: string, name: string): JsonObject | undefined {
  return store.get(`//${resource}/${namespace === "" ? "" : `${namespace}/`}${name}`)?.object();
}

/** How CEL asks about permissions. */
export function accessCheck(authorizer: Authorizer, user: User): AccessCheck {
  return (q) => {
    const who =
      q.serviceAccount === undefined ? user : serviceAccountUser(q.serviceAccount.namespace, q.serviceAccount.name, "");
    if (q.path !== undefined) return authorizer.allows(who, { verb: q.verb, path: q.path });
    const { verb, group = "", resource = "", subresource = "", namespace = "", name = "" } = q;
    return authorizer.allows(who, { verb, group, resource, subresource, namespace, name });
  };
}
