// The JSON inside a Clone (3.9, 4.4): the class in both spellings, because providers read the one or the other, and the customization with
// its Secrets resolved. Pure.
import { type SafeText, Secret, text } from "@telltale/status";
import type { VMClassSpec, VMCloneSpec } from "../kinds/index.ts";
import { classPayload } from "./class.ts";
import { type ReadSecret, renderUserData } from "./user-data.ts";

export function cloneClassJson(spec: VMClassSpec): string {
  // What is null would take away what the other spelling says, where case does not matter.
  const internal = Object.entries(classPayload(spec)).filter(([, value]) => value !== null);
  return JSON.stringify({ ...spec, memory: String(spec.memory), ...Object.fromEntries(internal) });
}

export type Customization = NonNullable<VMCloneSpec["customization"]>;

/** Never to be shown, as a whole: it holds passwords. */
export type Customized = { readonly json: Secret } | { readonly lacking: SafeText };

export function customizeJson(customization: Customization, read: ReadSecret): Customized {
  const { userData, certificates, sysprep, ...plain } = customization;
  const userDataSaid = renderUserData(userData, read);
  if (userDataSaid.is === "lacking") return { lacking: userDataSaid.what };
  const missing: SafeText[] = [];
  const value = ({ secretRef, secretKey, value: said }: Hidden, standard: string): string => {
    if (secretRef === undefined) return said ?? "";
    const key = secretKey ?? standard;
    const found = read(secretRef.name)?.[key];
    if (found === undefined) missing.push(text`Secret ${secretRef.name} has no key ${key}`);
    return found === undefined ? "" : Buffer.from(found, "base64").toString("utf8");
  };
  const resolved = {
    ...plain,
    ...(userDataSaid.is === "rendered" && { userData: { cloudInit: { inline: userDataSaid.content.reveal() } } }),
    ...(certificates && {
      certificates: certificates.map(({ secretRef, secretKey, data, ...certificate }) => ({
        ...certificate,
        data: value({ ...(secretRef && { secretRef }), ...(secretKey && { secretKey }), value: data }, "tls.crt"),
      })),
    }),
    ...(sysprep && { sysprep: preparedWindows(sysprep, value) }),
  };
  const [lacking] = missing;
  return lacking === undefined ? { json: new Secret(JSON.stringify(resolved)) } : { lacking };
}

interface Hidden {
  readonly secretRef?: { readonly name: string };
  readonly secretKey?: string;
  readonly value?: string | undefined;
}

function preparedWindows(
  { adminPassword, joinDomain, ...sysprep }: NonNullable<Customization["sysprep"]>,
  value: (hidden: Hidden, standard: string) => string,
): object {
  return {
    ...sysprep,
    ...(adminPassword && { adminPassword: { value: value(adminPassword, "password") } }),
    ...(joinDomain && {
      joinDomain: { ...joinDomain, password: { value: value(joinDomain.password, "password") } },
    }),
  };
}
