// The Secrets with which providers are asked: read from the server once for each of their versions, and kept in memory only.
import { Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import type { Provider } from "./kinds/index.ts";
import { readTlsSecret, type TlsSecretRead } from "./wire/tls-secret.ts";
import type { TlsSecret } from "./wire/wire.ts";

export type Tls =
  | { readonly is: "plain" } // by choice
  | { readonly is: "secret"; readonly secret: TlsSecret }
  | { readonly is: "missing"; readonly why: SafeText };

export class TlsSecrets {
  readonly #known = new Map<string, { readonly version: string; readonly read: TlsSecretRead }>();

  /** The controller that asks reads Secrets without their contents from the cache, and gets them from the server. */
  async of({ metadata, spec }: Provider, look: Pick<Look, "get" | "live">): Promise<Tls> {
    const { tls } = spec.runtime.service ?? {};
    if (tls?.enabled === false) return { is: "plain" };
    const { namespace = "", name: provider = "" } = metadata;
    const name = tls?.secretRef?.name ?? "";
    if (name === "") return { is: "missing", why: text`Provider ${namespace}/${provider} names no TLS Secret` };
    const version = look.get(Secret, { namespace, name })?.metadata?.resourceVersion;
    const missing: Tls = { is: "missing", why: text`TLS Secret ${namespace}/${name} not found` };
    if (version === undefined) return missing;
    const key = `${namespace}/${name}`;
    const known = this.#known.get(key);
    if (known?.version === version) return tlsOf(known.read);
    const secret = await look.live(Secret, { namespace, name });
    if (secret === undefined) return missing;
    const read = readTlsSecret(secret);
    this.#known.set(key, { version, read });
    return tlsOf(read);
  }
}

const tlsOf = (read: TlsSecretRead): Tls =>
  read.is === "usable" ? { is: "secret", secret: read.tls } : { is: "missing", why: text`${read.why}` };
