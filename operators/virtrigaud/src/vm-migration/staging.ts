// Where disks lie between the two providers: URLs with the number of the attempt in them, and the list of all that were used (3.3). Pure.
import type { KubeObject } from "@telltale/kinds";
import type { VMMigration, VMMigrationStatus } from "../kinds/index.ts";
import type { ProviderType } from "../kinds/provider-spec.ts";
import { annotations } from "../names.ts";

type DiskFormat = "qcow2" | "vmdk" | "raw";

/** What a family stores its disks in. */
export const nativeFormat = (type: ProviderType | undefined): "qcow2" | "vmdk" =>
  type === "vsphere" ? "vmdk" : "qcow2";

/** What the staged object is written in. */
export function stagedFormat({ spec }: VMMigration, source: ProviderType | undefined): DiskFormat {
  const { type = "pvc" } = spec.storage ?? {};
  if (type === "pvc") return spec.options?.diskFormat ?? "qcow2";
  return type === "s3" ? nativeFormat(source) : "qcow2";
}

export const claimName = ({ metadata, spec }: VMMigration): string =>
  spec.storage?.pvc?.name ?? `${metadata.name}-storage`;

/** The key of an attempt inside its bucket. */
function s3Key({ metadata, spec }: VMMigration, attempt: number, format: string): string {
  const prefix = (spec.storage?.s3?.prefix ?? "").replace(/^\/+|\/+$/g, "");
  const key = `vmmigrations/${metadata.namespace}/${metadata.name}/export-${attempt}.${format}`;
  return prefix === "" ? key : `${prefix}/${key}`;
}

export const stagingUrl = (migration: VMMigration, attempt: number, source: ProviderType | undefined): string =>
  urlOf(migration, attempt, stagedFormat(migration, source));

function urlOf(migration: VMMigration, attempt: number, format: string): string {
  const { metadata, spec } = migration;
  const { type = "pvc", s3, nfs } = spec.storage ?? {};
  if (type === "s3") return `s3://${s3?.bucket ?? ""}/${s3Key(migration, attempt, format)}`;
  if (type === "nfs") {
    const { server = "", export: root = "", path = "", uid, gid } = nfs ?? {};
    const folder = [root, path].map((it) => it.replace(/^\/+|\/+$/g, "")).filter((it) => it !== "");
    // One flat name: the NFS client in use cannot make folders (L-32).
    const file = `vmmigrations-${metadata.namespace}-${metadata.name}-export-${attempt}.${format}`;
    const owner = [...(uid === undefined ? [] : [`uid=${uid}`]), ...(gid === undefined ? [] : [`gid=${gid}`])];
    return `nfs://${server}/${[...folder, file].join("/")}${owner.length === 0 ? "" : `?${owner.join("&")}`}`;
  }
  return `pvc://${claimName(migration)}/${claimFolder(migration)}/export-${attempt}.${format}`;
}

/** How the disk of an import is called: by a name that no attempt before had. */
export function importName({ spec }: VMMigration, attempt: number): string {
  return `${spec.target.name}-migrated${attempt === 1 ? "" : `-r${attempt - 1}`}`;
}

/** Whatever had the name at the first attempt may still have it, and nobody can prove whose it is: a retry takes another one. */
export function snapshotName({ metadata }: VMMigration, retries: number): { readonly name?: string } {
  if (retries === 0) return {};
  const suffix = `-src-r${retries}`;
  return { name: `${(metadata.name ?? "").replaceAll(".", "-").slice(0, 255 - suffix.length)}${suffix}` };
}

// Imported disks stand in the same list as staged objects, as `disk:<name>`: both are what attempts left behind.
const diskPrefix = "disk:";
export const diskEntry = (name: string): string => `${diskPrefix}${name}`;
const isDisk = (entry: string): boolean => entry.startsWith(diskPrefix);
export const diskName = (entry: string): string => entry.slice(diskPrefix.length);

const longest = 8_192;

/** What attempts staged and imported so far, oldest first. What somebody else wrote there is as good as nothing. */
export function stagedIn({ metadata }: KubeObject): readonly string[] {
  const text = metadata?.annotations?.[annotations.stagedObjects] ?? "";
  if (text === "" || text.length > longest) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((it): it is string => typeof it === "string") : [];
  } catch {
    return [];
  }
}

const convertedMark = "-converted.";

/** What an export becomes in another format: beside it, in the same folder. */
export const convertedUrl = (url: string, format: string): string =>
  url.replace(/\.[a-z0-9]+$/, `${convertedMark}${format}`);

/** Everything that lies on the storage. */
export const filesOf = (staged: readonly string[]): readonly string[] => staged.filter((it) => !isDisk(it));
export const exportsOf = (staged: readonly string[]): readonly string[] =>
  filesOf(staged).filter((it) => !it.includes(convertedMark));
export const importsOf = (staged: readonly string[]): readonly string[] => staged.filter(isDisk);

/** What is imported, and in which format: the last export, or what it was converted to. */
export function stagedObject(
  migration: VMMigration,
  staged: readonly string[],
  held: Pick<VMMigrationStatus, "storageInfo">,
  source: ProviderType | undefined,
): { readonly url: string; readonly format: string; readonly isConverted: boolean } {
  const url = exportsOf(staged).at(-1) ?? "";
  const [, format] = /-converted\.([a-z0-9]+)$/.exec(held.storageInfo?.url ?? "") ?? [];
  if (format === undefined || held.storageInfo?.url !== convertedUrl(url, format))
    return { url, format: stagedFormat(migration, source), isConverted: false };
  return { url: convertedUrl(url, format), format, isConverted: true };
}

/** A provider's checksum as `sha256sum` writes it. Undefined: there is none, or it is one of another kind. */
export function sha256In(checksum: string | undefined): string | undefined {
  const plain = checksum?.toLowerCase().replace(/^sha256:/, "") ?? "";
  return /^[0-9a-f]{64}$/.test(plain) ? plain : undefined;
}

/** Whether this migration could have staged it. The list is an annotation, in which anybody may have written anything. */
export function isOwn(migration: VMMigration, url: string): boolean {
  const [, number, format] = /export-([1-9]\d{0,5})(?:-converted)?\.([a-z0-9]+)(?:\?[^?]*)?$/.exec(url) ?? [];
  if (number === undefined || format === undefined) return false;
  const own = (as: string) => urlOf(migration, Number(number), as);
  return url === own(format) || (migration.spec.storage?.type === "pvc" && url === convertedUrl(own("raw"), format));
}

/** The file in its folder on its claim. Undefined: the URL is none that it could have staged there. */
export function claimFile(migration: VMMigration, url: string): string | undefined {
  if (migration.spec.storage?.type !== "pvc" || !isOwn(migration, url)) return undefined;
  return url.slice(url.lastIndexOf("/") + 1);
}

export const claimFolder = ({ metadata }: VMMigration): string => `vmmigrations/${metadata.namespace}/${metadata.name}`;

/** The number in a staging URL: entries that were removed meanwhile count too. */
export function attemptOf(url: string | undefined): number {
  const [, number] = /export-(\d+)\.[a-z0-9]+(?:\?.*)?$/.exec(url ?? "") ?? [];
  return number === undefined ? 0 : Number(number);
}
