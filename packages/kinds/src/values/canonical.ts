// One text, one hash and one equality for JSON values that differ only in key order. Not for Maps, Dates or class instances.

import { hash } from "node:crypto";

/** JSON with sorted keys, without undefined members and without whitespace. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

/** Equality of JSON values: key order is ignored, and an undefined member is an absent one. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false;
  let members = 0;
  for (const key of Object.keys(a)) {
    const member = a[key];
    if (member === undefined) continue;
    // `hasOwn`, or a missing `constructor` would be read from the prototype.
    if (!Object.hasOwn(b, key) || !deepEqual(member, b[key])) return false;
    members += 1;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) members -= 1;
  return members === 0;
}

/** The first `length` hex digits of the SHA-256 of a text, all 64 when not told. */
export function sha256Hex(text: string, length = 64): string {
  return hash("sha256", text, "hex").slice(0, length);
}

/** FNV-1a with 32 bits over the UTF-8 bytes of a text. */
export function fnv1a32(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum >>> 0;
}

/** A hash as a safe part of a name, as in `pod-template-hash`: no vowels, so no words. */
export function safeEncode(sum: number): string {
  return String(sum).replace(/./g, (digit) => alphabet.charAt(digit.charCodeAt(0) % alphabet.length));
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
