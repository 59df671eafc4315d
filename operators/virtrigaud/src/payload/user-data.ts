// What a guest is given when it first starts (3.1): written in the spec, kept in a Secret, or both. The result is secret. Pure.
import { type SafeText, Secret, text } from "@telltale/status";
import type { UserData, VirtualMachineSpec } from "../kinds/index.ts";

/** The data of a Secret of the machine's namespace, as the API has it: base64 by key. Undefined: there is none. */
export type ReadSecret = (name: string) => Readonly<Record<string, string>> | undefined;

export type Rendered =
  | { readonly is: "rendered"; readonly content: Secret }
  | { readonly is: "none" }
  | { readonly is: "lacking"; readonly what: SafeText };

const userKeys = ["userdata", "user-data", "cloud-init", "cloud-config"] as const;
const metaKeys = ["metadata", "meta-data", "meta_data"] as const;
const ignitionKeys = ["ignition", "userdata", "user-data"] as const;

export function renderUserData(userData: UserData | undefined, read: ReadSecret): Rendered {
  const { cloudInit, ignition } = userData ?? {};
  if (ignition !== undefined) {
    const parts = partsOf(ignition, ignitionKeys, read);
    if ("lacking" in parts) return { is: "lacking", what: parts.lacking };
    if (parts.length > 1) return { is: "lacking", what: text`userData.ignition: give inline or secretRef, not both` };
    return joined(parts, ([only = ""]) => only);
  }
  const parts = partsOf(cloudInit, userKeys, read);
  if ("lacking" in parts) return { is: "lacking", what: parts.lacking };
  return joined(parts, (list) => (list.length === 1 ? (list[0] ?? "") : multipart(list)));
}

export function renderMetaData(metaData: VirtualMachineSpec["metaData"], read: ReadSecret): Rendered {
  const parts = partsOf(metaData?.cloudInit, metaKeys, read);
  if ("lacking" in parts) return { is: "lacking", what: parts.lacking };
  return joined(parts, (list) => list.join("\n"));
}

interface Content {
  readonly inline?: string;
  readonly secretRef?: { readonly name: string };
}

/** The inline part first. */
function partsOf(
  content: Content | undefined,
  keys: readonly string[],
  read: ReadSecret,
): readonly string[] | { readonly lacking: SafeText } {
  const { inline = "", secretRef } = content ?? {};
  const written = inline === "" ? [] : [inline];
  if (secretRef === undefined) return written;
  const data = read(secretRef.name);
  if (data === undefined) return { lacking: text`Secret ${secretRef.name} not found` };
  const key = keys.find((one) => Object.hasOwn(data, one));
  if (key === undefined) return { lacking: text`Secret ${secretRef.name} has none of the keys ${keys.join(", ")}` };
  return [...written, Buffer.from(data[key] ?? "", "base64").toString("utf8")];
}

const joined = (parts: readonly string[], join: (parts: readonly string[]) => string): Rendered =>
  parts.length === 0 ? { is: "none" } : { is: "rendered", content: new Secret(join(parts)) };

const usual = "VIRTRIGAUD_CLOUD_INIT_BOUNDARY";

/** One MIME document. The boundary is one that no part contains: the same parts always give the same document. */
function multipart(parts: readonly string[]): string {
  const isTaken = (boundary: string) => parts.some((part) => part.includes(boundary));
  let boundary = usual;
  for (let i = 1; isTaken(boundary); i += 1) boundary = `VIRTRIGAUD_${i}_BOUNDARY`;
  const bodies = parts.map(
    (part) => `--${boundary}\nContent-Type: text/cloud-config; charset="utf-8"\nMIME-Version: 1.0\n\n${part}\n`,
  );
  const head = `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n\n`;
  return `${head}${bodies.join("")}--${boundary}--\n`;
}
