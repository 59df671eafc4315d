// Names that the API server accepts: how to keep one within its limit, and which texts are one.

import { sha256Hex } from "./canonical.ts";

/** The name itself when it fits, else its start, `-` and the first hex digits of its SHA-256. Never longer than `max`. */
export function boundedName(base: string, max: number, hexLength: number): string {
  if (base.length <= max) return base;
  const hash = sha256Hex(base, Math.min(hexLength, max));
  const start = base.slice(0, Math.max(0, max - hash.length - 1)).replace(/[-.]+$/, "");
  return start === "" ? hash : `${start}-${hash}`;
}

/** RFC 1123 label: a namespace, a Service, a container. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && label.test(text);
}

/** RFC 1123 subdomain: the name of most objects. As in Kubernetes only the whole is limited, not each label. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && text.split(".").every((part) => label.test(part));
}

/** A label or annotation key: `name` or `prefix/name`. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  if (slash >= 0 && !isDnsSubdomain(text.slice(0, slash))) return false;
  return name.length <= 63 && qualified.test(name);
}

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const qualified = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
