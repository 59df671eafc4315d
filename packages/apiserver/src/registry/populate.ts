// What is there before the server is ready: created through the same door as everything else.
import { at, type JsonObject, text } from "../json.ts";
import type { Store } from "../store/store.ts";
import { administrator, type InProcessClient, type LocalRequest } from "../transport/in-process.ts";
import type { Catalogue } from "./catalogue.ts";
import { storageKey } from "./resource.ts";

/** Creates what is not there yet. */
export async function populate(
  client: InProcessClient,
  store: Store,
  objects: readonly object[],
  catalogue: Catalogue,
): Promise<void> {
  for (const given of objects) {
    const object = given as JsonObject;
    const [group, version] = groupVersion(text(object["apiVersion"]));
    const r = catalogue.ofKind(group, version, text(object["kind"]));
    if (r === undefined)
      throw new Error(
        `${text(object["apiVersion"])} ${text(object["kind"])} is not served; put its definition before it`,
      );
    const namespace = text(at(object, "metadata", "namespace"));
    // After a restart they are there. Asking first, as a Service would be refused for its address before its name.
    if (store.get(storageKey(r, namespace, text(at(object, "metadata", "name")))) !== undefined) continue;
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const request: LocalRequest = {
      method: "POST",
      path: `${root}${namespace === "" ? "" : `/namespaces/${namespace}`}/${r.resource}?fieldManager=bootstrap`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(object),
      user: administrator,
    };
    const { status, body: answer } = await client(request);
    if (status !== 201 && status !== 409)
      throw new Error(`${r.resource} ${text(at(object, "metadata", "name"))} cannot be created: ${answer}`);
  }
}

function groupVersion(apiVersion: string): [string, string] {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}
