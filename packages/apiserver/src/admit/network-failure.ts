// Why a webhook could not be reached: what Node says, in the words of Go, which are part of the API's messages.
import { isIPv6 } from "node:net";

/** Node's error in the words of Go's. */
export function networkFailure(error: unknown, url: URL, servername = ""): string {
  // Several addresses were tried: the first is what the others are only an alternative for.
  const several = (error as NetworkError | undefined)?.errors;
  const first = (several?.[0] ?? error ?? {}) as NetworkError;
  const code = String(first.code ?? "");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const verify = "tls: failed to verify certificate: x509: ";
  if (code === "ECONNREFUSED") return `dial tcp ${address(first, url)}: connect: connection refused`;
  if (code === "EHOSTUNREACH") return `dial tcp ${address(first, url)}: connect: no route to host`;
  if (code === "ENETUNREACH") return `dial tcp ${address(first, url)}: connect: network is unreachable`;
  if (code === "ETIMEDOUT") return `dial tcp ${address(first, url)}: i/o timeout`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${host}: no such host`;
  if (code === "ECONNRESET") return "read: connection reset by peer";
  if (code === "UND_ERR_SOCKET" || code === "EPIPE") return "EOF";
  if (untrusted.has(code)) return `${verify}certificate signed by unknown authority`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `${verify}certificate has expired or is not yet valid`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `${verify}${otherName(asText(first.cert?.subjectaltname), servername || host)}`;
  if (code === "EPROTO" || code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
    return "http: server gave HTTP response to HTTPS client";
  }
  return asText(first.message) || code || String(error);
}

interface NetworkError {
  readonly code?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly message?: unknown;
  readonly cert?: { readonly subjectaltname?: unknown };
  readonly errors?: readonly unknown[];
}

const untrusted = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
]);

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

function address(error: NetworkError, url: URL): string {
  const host = asText(error.address) || url.hostname.replace(/^\[|\]$/g, "");
  const port = typeof error.port === "number" ? error.port : url.port || "443";
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function otherName(alternatives: string, host: string): string {
  const wanted = /^[\d.]+$/.test(host) || isIPv6(host) ? "IP Address:" : "DNS:";
  const names = alternatives
    .split(", ")
    .filter((name) => name.startsWith(wanted))
    .map((name) => name.slice(wanted.length));
  if (names.length > 0) return `certificate is valid for ${names.join(", ")}, not ${host}`;
  return wanted === "DNS:"
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
}
