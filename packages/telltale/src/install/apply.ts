// Objects brought to a server by server-side apply, in their order, each told of.
import {
  type Client,
  type Discovered,
  discover,
  isNotFound,
  objectPath,
  type RestMapping,
  yamlOf,
} from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { Problem } from "../program/problem.ts";
import { groupOf } from "../world/forest.ts";

export interface Applying {
  readonly client: Client;
  readonly clock: Clock;
  /** For what has a namespace and names none. */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
  readonly onApplied?: (object: KubeObject) => void;
}

export const fieldManager = "telltale";

export async function applyAll(objects: readonly KubeObject[], applying: Applying): Promise<void> {
  let known: RestMapping | undefined;
  for (const object of objects) {
    known ??= await discover(applying.client);
    let kind = kindOf(known, object);
    if (kind === undefined) {
      // It may have come with the definition before it.
      known = await discover(applying.client);
      kind = kindOf(known, object);
    }
    if (kind === undefined) throw unknownKind(object);
    await apply(applying.client, kind, placed(kind, object, applying.namespace));
    if (object.kind === "CustomResourceDefinition") {
      await established(object.metadata?.name ?? "", applying);
      known = undefined;
    }
    applying.onApplied?.(object);
  }
}

async function apply(client: Client, kind: Discovered, object: KubeObject): Promise<void> {
  const { name = "", namespace } = object.metadata ?? {};
  await client.request({
    method: "PATCH",
    path: objectPath(kind, { name, ...(namespace !== undefined && { namespace }) }),
    query: { fieldManager, force: true },
    headers: { "content-type": "application/apply-patch+yaml" },
    body: yamlOf(object),
    // Once more is the same: it is force that makes it so.
    safety: "safe",
  });
}

export function kindOf(known: RestMapping, { apiVersion = "", kind = "" }: KubeObject): Discovered | undefined {
  return known.find({ group: groupOf(apiVersion), version: apiVersion.split("/").at(-1) ?? "", name: kind });
}

export const unknownKind = ({ apiVersion, kind, metadata }: KubeObject): Problem =>
  new Problem(
    `${kind} ${metadata?.name ?? ""}: the server does not know ${apiVersion}`,
    "install its definition first: telltale install",
  );

export const placed = (kind: Discovered, object: KubeObject, namespace = "default"): KubeObject =>
  kind.scope === "Cluster"
    ? object
    : { ...object, metadata: { ...object.metadata, namespace: object.metadata?.namespace ?? namespace } };

/** A definition is served a moment after it is accepted. */
async function established(name: string, { client, clock, signal }: Applying): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { status } = await client.get(CustomResourceDefinition, name);
    const of = (type: string) => status?.conditions?.find((it) => it.type === type);
    if (of("Established")?.status === "True") return;
    const names = of("NamesAccepted");
    if (names?.status === "False") {
      throw new Problem(`${name}: ${names.message ?? "its names are taken"}`, "remove the definition that has them");
    }
    await sleep(clock, 50, signal);
  }
  throw new Problem(
    `the server accepted ${name} and does not serve it`,
    "look at its conditions: kubectl get crd -o yaml",
  );
}

/** Removed one by one, the last first. What is not there is no trouble. */
export async function removeAll(objects: readonly KubeObject[], applying: Applying): Promise<void> {
  const known = await discover(applying.client);
  for (const object of [...objects].reverse()) {
    const kind = kindOf(known, object);
    if (kind === undefined) continue;
    const { name = "", namespace } = placed(kind, object, applying.namespace).metadata ?? {};
    try {
      await applying.client.delete(kind, { name, ...(namespace && { namespace }) }, { propagation: "Background" });
      applying.onApplied?.(object);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
