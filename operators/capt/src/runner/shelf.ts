// Reads and writes what is kept of Workspaces: their records in the operator's namespace, and their connection Secrets.
import { type KubeObject, sha256Hex } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { Hands, Look } from "@telltale/runtime";
import type { Workspace as WorkspaceKind } from "../kinds/workspace.ts";
import { annotations, secretTypes, stateSecretName } from "../names.ts";
import { connectionData, type Outputs } from "./outputs.ts";
import { fromSecrets, type Kept, partsOf, type RecordSecret, type Shelf, toSecrets } from "./record.ts";
import { type Shelved, uidOf } from "./world.ts";

type Workspace = WorkspaceKind;
type WorkspaceHands = Hands<typeof import("../kinds/workspace.ts").Workspace>;
type Data = Readonly<Record<string, string>>;

export const readShelf = async (look: Look, uid: string, shelf: Shelf): Promise<Shelved> =>
  shelvedIn(await indexOf(look, uid, shelf), look, uid, shelf);

export const indexOf = (look: Look, uid: string, { namespace }: Shelf): Promise<Secret | undefined> =>
  look.live(Secret, { namespace, name: stateSecretName(uid) });

/** What the Secret that names all parts leads to. */
export async function shelvedIn(
  index: Secret | undefined,
  look: Look,
  uid: string,
  { namespace }: Shelf,
): Promise<Shelved> {
  if (index === undefined) return { is: "none" };
  const parts: Data[] = [];
  for (const number of partsOf(dataOf(index))) {
    const part = await look.live(Secret, { namespace, name: stateSecretName(uid, number) });
    parts.push(dataOf(part));
  }
  const { annotations: notes = {} } = index.metadata ?? {};
  const kept = fromSecrets({ data: dataOf(index), metadata: { annotations: notes } }, parts);
  return kept === undefined ? { is: "unreadable" } : { is: "kept", kept };
}

const dataOf = (secret: Secret | undefined): Data => secret?.data ?? {};

/** Keeps a state and its inputs, in place of what `before` leads to. What is kept already is not written again. */
export async function keep(
  hands: WorkspaceHands,
  uid: string,
  kept: Kept,
  shelf: Shelf,
  before: Secret | undefined,
): Promise<void> {
  const secrets = toSecrets(uid, kept, shelf, before === undefined ? undefined : dataOf(before));
  const index = secrets.at(-1);
  // A state in parts gets new numbers each time: whether it is another one is seen by its sum.
  if (index !== undefined && before !== undefined && isSame(dataOf(before), index.data)) return;
  for (const secret of secrets.slice(0, -1)) await put(hands, secret, await hands.live(Secret, secret.metadata));
  if (index !== undefined) await put(hands, index, before);
  const used = partsOf(index?.data);
  for (const number of partsOf(before?.data)) if (!used.includes(number)) await drop(hands, uid, number, shelf);
}

/** Only in the place of what was seen there: a request that is carried out late brings back no state from before. */
async function put(hands: WorkspaceHands, secret: RecordSecret, before: Secret | undefined): Promise<void> {
  if (before === undefined) {
    await hands.create(Secret, secret as Secret, { owner: "none" });
    return;
  }
  const { resourceVersion, annotations: others } = before.metadata ?? {};
  await hands.patch(Secret, before, [
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "add", path: "/metadata/annotations", value: { ...others, ...secret.metadata.annotations } },
    { op: "add", path: "/data", value: secret.data },
  ]);
}

function isSame(before: Data, after: Data): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete("parts");
  return [...names].every((name) => before[name] === after[name]);
}

/** Forgets everything, the index last. */
export async function clearShelf(hands: WorkspaceHands, uid: string, shelf: Shelf): Promise<void> {
  const index = await indexOf(hands, uid, shelf);
  for (const number of partsOf(index?.data)) await drop(hands, uid, number, shelf);
  if (index !== undefined) await hands.remove(Secret, index, "Background");
}

async function drop(hands: WorkspaceHands, uid: string, number: number, { namespace }: Shelf): Promise<void> {
  const part = await hands.live(Secret, { namespace, name: stateSecretName(uid, number) });
  if (part !== undefined) await hands.remove(Secret, part, "Background");
}

/** Writes the connection Secret. `foreign`: somebody else has the name, and it was not touched. */
export async function connect(
  hands: WorkspaceHands,
  workspace: Workspace,
  outputs: Outputs,
): Promise<"written" | "foreign" | "unwanted"> {
  const ref = workspace.spec.writeConnectionSecretToRef;
  if (ref === undefined) return "unwanted";
  const data = connectionData(outputs);
  const secret = {
    metadata: {
      name: ref.name,
      namespace: ref.namespace,
      annotations: { [annotations.workspaceUid]: uidOf(workspace) },
    },
    type: secretTypes.connection,
    // The server keeps no empty one, and it would be written again and again.
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
  const owner = canOwn(workspace, ref.namespace) ? "controller" : "none";
  const found = await hands.live(Secret, ref);
  if (found !== undefined && !isOurs(found, workspace)) {
    if (!isOfEarlierLife(found, workspace)) return "foreign";
    await hands.remove(Secret, found, "Background");
  }
  const { as } = await hands.ensure(Secret, secret, { owner });
  return as === "foreign" || as === "terminating" ? "foreign" : "written";
}

/** Takes a connection Secret away, where it is ours. */
export async function disconnect(
  hands: WorkspaceHands,
  workspace: Workspace,
  connection: string | undefined,
): Promise<void> {
  const [namespace = "", name = ""] = connection?.split("/") ?? [];
  const found = connection === undefined ? undefined : await hands.live(Secret, { namespace, name });
  if (found !== undefined && isOurs(found, workspace)) await hands.remove(Secret, found, "Background");
}

/** Where the outputs of a Workspace are to be. */
export function connectionOf({ spec }: Workspace): string | undefined {
  const ref = spec.writeConnectionSecretToRef;
  return ref === undefined ? undefined : `${ref.namespace}/${ref.name}`;
}

/** An owner without a namespace may own anything, one with a namespace only what is in it. */
const canOwn = ({ metadata }: Workspace, namespace: string): boolean =>
  metadata.namespace === undefined || metadata.namespace === namespace;

const isOurs = ({ metadata }: KubeObject, workspace: Workspace): boolean =>
  metadata?.annotations?.[annotations.workspaceUid] === uidOf(workspace);

/** A Workspace of the same name had it, and is gone. */
function isOfEarlierLife({ metadata }: KubeObject, workspace: Workspace): boolean {
  const { kind, metadata: own } = workspace;
  const uid = metadata?.annotations?.[annotations.workspaceUid];
  const owner = metadata?.ownerReferences?.find((it) => it.uid === uid);
  return uid !== undefined && owner?.kind === kind && owner.name === own.name;
}

/** What tells two specs apart, without telling what is in them. */
export const checksumOf = ({ spec }: Workspace): string => sha256Hex(JSON.stringify(spec.forProvider)).slice(0, 16);
