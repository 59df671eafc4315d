// What is kept of a Workspace in Secrets of the operator's namespace: its state, and what it was last made from. One Secret
// has the index, and further ones the state where that is too big. Pure, but for the compression.
import { gunzipSync, gzipSync } from "node:zlib";
import { canonicalJson, sha256Hex } from "@telltale/kinds";
import { annotations, secretTypes, stateSecretName } from "../names.ts";
import type { EngineName } from "./engine.ts";
import { type Inputs, permitted, revisionOf } from "./inputs.ts";
import { type Snapshot, snapshotOf } from "./state.ts";

export interface Kept {
  /** Who made it: no other engine goes on with it. */
  readonly engine: EngineName;
  /** Of the last apply that was begun. */
  readonly inputs: Inputs;
  readonly state?: Snapshot;
  /** Where its outputs are written to: `namespace/name`. Kept before they are. */
  readonly connection?: string;
  /** Where they were written to before, or may still be by a request without an answer, and since when they are not any more. */
  readonly left?: Readonly<Record<string, number>>;
}

type Directions = Pick<Kept, "connection" | "left">;

/** Outputs go `to` from now on. Where they went before is not forgotten. */
export function directed(before: Directions, to: string | undefined, now: number): Directions {
  const { connection } = before;
  const left = Object.entries(before.left ?? {});
  if (connection !== undefined && connection !== to) left.push([connection, now]);
  const others = left.filter(([name]) => name !== to);
  return {
    ...(to === undefined ? {} : { connection: to }),
    ...(others.length === 0 ? {} : { left: Object.fromEntries(others) }),
  };
}

/** A Secret, as far as it matters here. */
export interface RecordSecret {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly annotations: Annotations };
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

type Annotations = Readonly<Record<string, string>>;

/** Where the records of Workspaces are. */
export interface Shelf {
  readonly namespace: string;
  /** Bytes of state in one Secret; beyond that it is split. */
  readonly most: number;
}

export const standardMost = 900 * 1024;

/** The Secrets to write, in this order: whoever reads the index finds what it names. `before` is the index as it is. */
export function toSecrets(uid: string, kept: Kept, shelf: Shelf, before: Data | undefined): readonly RecordSecret[] {
  const { engine, inputs, state, connection, left } = kept;
  const packed = state === undefined ? undefined : gzipSync(state.text);
  const index = {
    inputs: encode(gzipSync(canonicalJson(inputs))),
    revision: encode(revisionOf(inputs)),
    ...(connection === undefined ? {} : { connection: encode(connection) }),
    ...(left === undefined ? {} : { left: encode(canonicalJson(left)) }),
    ...(state === undefined ? {} : { serial: encode(String(state.serial)), lineage: encode(state.lineage) }),
  };
  const secret = (part: number, data: Data): RecordSecret => ({
    metadata: {
      name: stateSecretName(uid, part),
      namespace: shelf.namespace,
      annotations: { [annotations.runner]: engine },
    },
    type: secretTypes.state,
    data,
  });
  if (packed === undefined) return [secret(0, index)];
  if (packed.length <= shelf.most) return [secret(0, { ...index, state: encode(packed) })];
  // Into numbers that the index does not name: it stays true until it is replaced.
  const used = partsOf(before);
  const parts: RecordSecret[] = [];
  for (let from = 0, number = 1; from < packed.length; number += 1) {
    if (used.includes(number)) continue;
    parts.push(secret(number, { state: encode(packed.subarray(from, from + shelf.most)) }));
    from += shelf.most;
  }
  const numbers = parts.map(({ metadata }) => metadata.name.slice(stateSecretName(uid).length + 1));
  return [
    ...parts,
    secret(0, { ...index, parts: encode(numbers.join(",")), sum: encode(sha256Hex(state?.text ?? "")) }),
  ];
}

type Data = Readonly<Record<string, string>>;

/** The numbers of the Secrets that an index names. */
export function partsOf(index: Data | undefined): readonly number[] {
  const list = decode(index?.["parts"])?.toString() ?? "";
  return list === "" ? [] : list.split(",").map(Number);
}

/** What an index and its parts hold. Undefined: it cannot be read, and nothing may be done on the strength of it. */
export function fromSecrets(
  index: Pick<RecordSecret, "data"> & { metadata?: { annotations?: Annotations } },
  parts: readonly Data[],
): Kept | undefined {
  const engine = index.metadata?.annotations?.[annotations.runner];
  if (engine !== "tofu" && engine !== "terraform" && engine !== "simulated") return undefined;
  try {
    const packed = decode(index.data["inputs"]);
    if (packed === undefined) return undefined;
    const inputs = permitted(JSON.parse(gunzipSync(packed).toString()) as Inputs);
    const connection = decode(index.data["connection"])?.toString();
    const left = decode(index.data["left"])?.toString();
    const made: Kept = {
      engine,
      inputs,
      ...(connection === undefined ? {} : { connection }),
      ...(left === undefined ? {} : { left: JSON.parse(left) as Kept["left"] & object }),
    };
    const numbers = partsOf(index.data);
    const bytes =
      numbers.length === 0
        ? decode(index.data["state"])
        : Buffer.concat(parts.map((it) => decode(it["state"]) ?? Buffer.alloc(0)));
    if (bytes === undefined) return made;
    const text = gunzipSync(bytes).toString();
    const sum = decode(index.data["sum"])?.toString();
    const state = sum === undefined || sum === sha256Hex(text) ? snapshotOf(text) : undefined;
    return state === undefined ? undefined : { ...made, state };
  } catch {
    return undefined;
  }
}

const encode = (value: string | Uint8Array): string => Buffer.from(value).toString("base64");
const decode = (value: string | undefined): Buffer | undefined =>
  value === undefined ? undefined : Buffer.from(value, "base64");
