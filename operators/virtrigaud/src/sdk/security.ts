// Whether a provider starts with mutual TLS, in plaintext, or not at all: by the files that are there and one variable. Pure.
import type { Env } from "@telltale/runtime";

export type Security =
  | { readonly is: "plaintext" }
  /** Only callers with a certificate of `ca.crt`, and of these only the allowed ones, where there is a list. */
  | { readonly is: "mtls"; readonly folder: string; readonly allowed: readonly string[] };

export const tlsFolder = "/etc/virtrigaud/tls";
export const tlsFiles = ["tls.crt", "tls.key", "ca.crt"] as const;

/** Throws where nobody has decided: a provider without TLS is never an accident. */
export function securityFor(env: Env, folder: string, present: readonly string[]): Security {
  const missing = tlsFiles.filter((file) => !present.includes(file));
  const isInsecure = env["VIRTRIGAUD_PROVIDER_INSECURE"]?.toLowerCase() === "true";
  if (missing.length === 0) return { is: "mtls", folder, allowed: listed(env["VIRTRIGAUD_PROVIDER_ALLOWED_SANS"]) };
  if (missing.length === tlsFiles.length && isInsecure) return { is: "plaintext" };
  if (missing.length < tlsFiles.length) {
    throw new Error(`${folder} has no ${missing.join(", ")}; put all of ${tlsFiles.join(", ")} there, or none of them`);
  }
  throw new Error(
    `there is no TLS in ${folder}; put ${tlsFiles.join(", ")} there, or set VIRTRIGAUD_PROVIDER_INSECURE=true to serve in plaintext`,
  );
}

const listed = (text = ""): string[] => text.split(",").flatMap((name) => name.trim() || []);
