// Whether a Secret has what TLS to a provider needs.
import type { Secret } from "@telltale/kinds/builtin";
import type { TlsSecret } from "./wire.ts";

export type TlsSecretRead =
  | { readonly is: "usable"; readonly tls: TlsSecret }
  /** `why` names the Secret and its keys, never what is in them. */
  | { readonly is: "unusable"; readonly why: string };

const types: readonly (string | undefined)[] = ["kubernetes.io/tls", "Opaque", "", undefined];

export function readTlsSecret({ metadata, type, data = {} }: Secret): TlsSecretRead {
  const name = metadata?.name ?? "";
  const unusable = (why: string): TlsSecretRead => ({ is: "unusable", why: `TLS Secret ${name} ${why}` });
  if (!types.includes(type)) return unusable(`has type ${type}, and not kubernetes.io/tls or Opaque`);
  const pem = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  const [cert, key, ca] = [pem("tls.crt"), pem("tls.key"), pem("ca.crt")];
  const missing = ["tls.crt", "tls.key", "ca.crt"].filter((it) => pem(it).trim() === "");
  if (missing.length > 0) return unusable(`has no ${missing.join(", ")}`);
  return { is: "usable", tls: { cert, key, ca, resourceVersion: metadata?.resourceVersion ?? "" } };
}
