// What a volume of a pod holds. Pure: what it refers to is handed in, and what is missing fails in Kubernetes' words.
import type { Pod } from "@telltale/kinds/builtin";
import type { References } from "../kubelet/pod-runtime.ts";
import { fieldValue, type Place, resourceValue } from "./fields.ts";
import { checkedPath } from "./layout.ts";
import { MountFailure, textOf } from "./refusal.ts";
import type { DownwardFile, KeyToPath, Projection, Volume } from "./spec.ts";

export type VolumeContent =
  | { readonly is: "empty" } // a folder of the pod's own, which nobody else writes to
  | { readonly is: "claim"; readonly namespace: string; readonly name: string; readonly uid: string } // outlives the pod
  | { readonly is: "files"; readonly files: Files }; // written by us, all at once, whenever it changes

/** By path below the volume. */
export type Files = ReadonlyMap<string, { readonly bytes: Uint8Array; readonly mode: number }>;

export interface VolumeRequest {
  readonly pod: Pod;
  readonly refers: Pick<References, "configMap" | "secret" | "claim">;
  readonly place: Place;
  /** The tokens of `tokenRequests`, by key. */
  readonly tokens: ReadonlyMap<string, string>;
}

export function contentOf(volume: Volume, request: VolumeRequest): VolumeContent {
  try {
    return content(volume, request);
  } catch (error) {
    throw new MountFailure(`MountVolume.SetUp failed for volume "${volume.name}" : ${textOf(error)}`);
  }
}

/** Whether a volume is written by us: then a subPath of it is a copy, as later changes must not reach it. */
export function isRewritten({ configMap, secret, projected, downwardAPI }: Volume): boolean {
  return [configMap, secret, projected, downwardAPI].some((source) => source !== undefined);
}

export interface TokenRequest {
  readonly key: string;
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

export function tokenRequests(pod: Pod): readonly TokenRequest[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, projected }) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken: token }, at) =>
      token === undefined
        ? []
        : [
            {
              key: tokenKey(name, at),
              ...(token.audience ? { audience: token.audience } : {}),
              ...(token.expirationSeconds === undefined ? {} : { expirationSeconds: token.expirationSeconds }),
            },
          ],
    ),
  );
}

const standardMode = 0o644;

function content(volume: Volume, request: VolumeRequest): VolumeContent {
  const { configMap, secret, downwardAPI, projected, emptyDir, persistentVolumeClaim, ephemeral } = volume;
  const { pod, refers } = request;
  if (configMap !== undefined) return { is: "files", files: configMapFiles(request, configMap, configMap.defaultMode) };
  if (secret !== undefined)
    return { is: "files", files: secretFiles(request, { ...secret, name: secret.secretName }, secret.defaultMode) };
  if (downwardAPI !== undefined)
    return { is: "files", files: downwardFiles(request, downwardAPI.items, downwardAPI.defaultMode) };
  if (projected !== undefined) {
    const sources = projected.sources ?? [];
    const lists = sources.map((source, at) => projectedFiles(request, source, volume.name, at, projected.defaultMode));
    return { is: "files", files: new Map(lists.flatMap((files) => [...files])) };
  }
  if (emptyDir !== undefined) return { is: "empty" };
  const claimName = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${pod.metadata?.name}-${volume.name}`;
  if (claimName !== undefined) {
    const claim = refers.claim?.(claimName);
    if (claim === undefined) throw new Error(`persistentvolumeclaim "${claimName}" not found`);
    const { namespace = "", name = "", uid = "" } = claim.metadata ?? {};
    return { is: "claim", namespace, name, uid };
  }
  const type = Object.keys(volume).find((key) => key !== "name");
  if (type === undefined) return { is: "empty" };
  throw new Error(`volumes of type ${type} are not there for local processes; use an emptyDir or a claim`);
}

interface Keyed {
  readonly name?: string | undefined;
  readonly optional?: boolean;
  readonly items?: readonly KeyToPath[];
}

function configMapFiles({ refers }: VolumeRequest, source: Keyed, mode = standardMode): Files {
  const map = refers.configMap(source.name ?? "");
  if (map === undefined && source.optional !== true) throw new Error(`configmap "${source.name}" not found`);
  const text = Object.entries(map?.data ?? {}).map(([key, value]) => [key, Buffer.from(value)] as const);
  const bytes = Object.entries(map?.binaryData ?? {}).map(([key, value]) => [key, decoded(value)] as const);
  return chosen(new Map([...text, ...bytes]), source, mode, "configmap references non-existent config key");
}

function secretFiles({ refers }: VolumeRequest, source: Keyed, mode = standardMode): Files {
  const secret = refers.secret(source.name ?? "");
  if (secret === undefined && source.optional !== true) throw new Error(`secret "${source.name}" not found`);
  const data = Object.entries(secret?.data ?? {}).map(([key, value]) => [key, decoded(value)] as const);
  return chosen(new Map(data), source, mode, "references non-existent secret key");
}

/** All keys, or the items at their paths. */
function chosen(data: ReadonlyMap<string, Uint8Array>, source: Keyed, mode: number, missing: string): Files {
  const files = new Map<string, { bytes: Uint8Array; mode: number }>();
  const items = source.items ?? [];
  if (items.length === 0) {
    for (const [key, bytes] of data) files.set(filePath(key), { bytes, mode: checkedMode(mode) });
    return files;
  }
  for (const item of items) {
    const bytes = data.get(item.key);
    if (bytes !== undefined) files.set(filePath(item.path), { bytes, mode: checkedMode(item.mode ?? mode) });
    else if (source.optional !== true) throw new Error(`${missing}: ${item.key}`);
  }
  return files;
}

function downwardFiles(request: VolumeRequest, items: readonly DownwardFile[] = [], mode = standardMode): Files {
  const { pod, place } = request;
  return new Map(
    items.map(({ path, fieldRef, resourceFieldRef, mode: own }) => {
      const text =
        fieldRef !== undefined
          ? fieldValue(pod, fieldRef, place)
          : resourceFieldRef !== undefined
            ? resourceValue(pod, undefined, resourceFieldRef, place)
            : "";
      return [filePath(path), { bytes: Buffer.from(text), mode: checkedMode(own ?? mode) }];
    }),
  );
}

function projectedFiles(request: VolumeRequest, source: Projection, volume: string, at: number, mode?: number): Files {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap !== undefined) return configMapFiles(request, configMap, mode);
  if (secret !== undefined) return secretFiles(request, secret, mode);
  if (downwardAPI !== undefined) return downwardFiles(request, downwardAPI.items, mode);
  if (serviceAccountToken !== undefined) {
    const token = request.tokens.get(tokenKey(volume, at)) ?? "";
    const file = { bytes: Buffer.from(token), mode: checkedMode(mode ?? standardMode) };
    return new Map([[filePath(serviceAccountToken.path), file]]);
  }
  throw new Error(`projections of type ${Object.keys(source).join(", ")} are not there for local processes`);
}

function tokenKey(volume: string, at: number): string {
  return `${volume}/${at}`;
}

function decoded(base64: string): Uint8Array {
  return Buffer.from(base64, "base64");
}

/** Names that begin with `..` are those of the writer itself. */
function filePath(path: string): string {
  const clean = checkedPath("the path of a file", path)
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  if (clean === "" || clean.startsWith(".."))
    throw new Error(`the path of a file is ${JSON.stringify(path)}, but must name a file and must not begin with '..'`);
  return clean;
}

function checkedMode(mode: number): number {
  if (Number.isInteger(mode) && mode >= 0 && mode <= 0o777) return mode;
  throw new Error(`the mode of a file is ${mode}, but must be between 0 and 0777 (511)`);
}
