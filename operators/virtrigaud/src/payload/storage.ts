// What a provider needs to reach the storage between an export and an import (4.4). Pure.
import { type SafeText, text } from "@telltale/status";
import type { VMMigrationSpec } from "../kinds/index.ts";

export type Storage = NonNullable<VMMigrationSpec["storage"]>;

/** `storage_options_json`. A claim is mounted, and needs none. */
export function storageOptionsJson({ type, s3, nfs }: Storage): string {
  if (type === "s3" && s3 !== undefined) {
    const { bucket, endpoint = "", region = "", prefix = "", usePathStyle = false } = s3;
    return JSON.stringify({ backend: "s3", bucket, endpoint, region, prefix, usePathStyle });
  }
  if (type === "nfs" && nfs !== undefined) {
    const { server, export: shared, path = "", uid, gid } = nfs;
    const owner = { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
    return JSON.stringify({ backend: "nfs", server, export: shared, path, ...owner });
  }
  return "";
}

const needed = ["accessKeyID", "secretAccessKey"] as const;

/** `credentials`, from the data of the S3 Secret. Never to be shown. */
export function s3Credentials(
  name: string,
  data: Readonly<Record<string, string>> | undefined,
): Record<string, string> | { readonly lacking: SafeText } {
  if (data === undefined) return { lacking: text`Secret ${name} not found` };
  const absent = needed.filter((key) => (data[key] ?? "") === "");
  if (absent.length > 0) return { lacking: text`Secret ${name} has no ${absent.join(" and no ")}` };
  const keys = [...needed, "sessionToken"].filter((key) => (data[key] ?? "") !== "");
  return Object.fromEntries(keys.map((key) => [key, Buffer.from(data[key] ?? "", "base64").toString("utf8")]));
}
