// Who may call: whoever has a certificate that was verified and, where there is a list, a name that is on it.
import type { TLSSocket } from "node:tls";
import { RpcError } from "../contract/rpc-error.ts";

export interface Caller {
  readonly isVerified: boolean;
  /** DNS and URI names, and the common name. */
  readonly names: readonly string[];
}

/** Why a caller is refused, or undefined when it may call. An empty list allows every name. */
export function refusal({ isVerified, names }: Caller, allowed: readonly string[]): RpcError | undefined {
  if (!isVerified)
    return new RpcError("UNAUTHENTICATED", "a client certificate that this provider's ca.crt signed is needed");
  if (allowed.length === 0 || names.some((name) => allowed.includes(name))) return undefined;
  return new RpcError("PERMISSION_DENIED", "the client certificate has no name in VIRTRIGAUD_PROVIDER_ALLOWED_SANS");
}

export function callerOf(socket: Pick<TLSSocket, "authorized" | "getPeerCertificate">): Caller {
  const { subject, subjectaltname = "" } = socket.getPeerCertificate() ?? {};
  const common: unknown = subject?.CN;
  return {
    isVerified: socket.authorized,
    names: [...alternatives(subjectaltname), ...[common ?? []].flat().map(String)],
  };
}

/**
 * The DNS and URI names of a certificate, from Node's `DNS:a, URI:b, IP Address:c`. What could be mistaken for the end of a name
 * stands there in quotes, as JSON.
 */
export function alternatives(text: string): string[] {
  return [...text.matchAll(/(?:^|, )(DNS|URI):("(?:[^"\\]|\\.)*"|[^,"]*)(?=, |$)/g)].flatMap(([, , name = ""]) => {
    if (!name.startsWith('"')) return [name];
    try {
      return [String(JSON.parse(name))];
    } catch {
      return [];
    }
  });
}
