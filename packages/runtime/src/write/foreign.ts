// Whether an object that came back from a write shows changes that are not the writer's: a pass has to see them, and no event tells.
import type { JsonPatchOperation } from "@telltale/client";
import { deepEqual, type KubeObject } from "@telltale/kinds";

/** What the writer itself has changed: annotations by name, other members of metadata by theirs. */
interface Touched {
  readonly annotations: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

export function isForeignMetadata(read: KubeObject, after: KubeObject, { annotations, members }: Touched): boolean {
  const [a, b] = [read.metadata, after.metadata];
  if (a?.generation !== b?.generation || a?.deletionTimestamp !== b?.deletionTimestamp) return true;
  for (const name of ["labels", "finalizers", "ownerReferences"] as const) {
    if (!members.has(name) && !deepEqual(a?.[name], b?.[name])) return true;
  }
  const names = new Set([...Object.keys(a?.annotations ?? {}), ...Object.keys(b?.annotations ?? {})]);
  return [...names].some((name) => !annotations.has(name) && a?.annotations?.[name] !== b?.annotations?.[name]);
}

/** What a patch of metadata touches. Undefined: it touches something else too, and nobody can tell whose a change is. */
function touchedBy(operations: readonly JsonPatchOperation[]): Touched | undefined {
  const annotations = new Set<string>();
  const members = new Set<string>();
  for (const operation of operations) {
    if (operation.op === "test") continue;
    const [, top, member = "", name] = operation.path.split("/");
    if (top !== "metadata") return undefined;
    if (member !== "annotations") members.add(member);
    else if (name !== undefined) annotations.add(name.replaceAll("~1", "/").replaceAll("~0", "~"));
    else if ("value" in operation) for (const key of Object.keys(Object(operation.value))) annotations.add(key);
  }
  return { annotations, members };
}

/** Whether the answer to a patch of an object's metadata shows that somebody else has changed that very object, or its status. */
export function showsNews(known: KubeObject, after: KubeObject, operations: readonly JsonPatchOperation[]): boolean {
  if (known.metadata?.uid !== after.metadata?.uid) return false;
  const touched = touchedBy(operations);
  if (touched === undefined) return false;
  return isForeignMetadata(known, after, touched) || !deepEqual(statusOf(known), statusOf(after));
}

/** An object as it is when we have deleted it and something holds it: whatever else its answer shows is somebody else's. */
export function leaving(known: KubeObject, { metadata }: KubeObject): KubeObject {
  const { generation: before } = known.metadata ?? {};
  const { deletionTimestamp, finalizers, generation } = metadata ?? {};
  const isNext = before !== undefined && generation === before + 1;
  return {
    ...known,
    metadata: {
      ...known.metadata,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(finalizers !== undefined && { finalizers }),
      ...(isNext && { generation }),
    },
  };
}

const statusOf = (object: KubeObject): unknown => (object as { status?: unknown }).status;
