// Names that this provider makes and takes. What reaches a file name or a command line is one of these, never a caller's own text.
import type { Random } from "@telltale/clock";
import { RpcError } from "../contract/rpc-error.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

function letters(random: Random, count: number): string {
  return [...random.bytes(count)].map((byte) => alphabet[byte & 31]).join("");
}

/** `q-` and 60 random bits. */
export function newMachineId(random: Random): string {
  return `q-${letters(random, 12)}`;
}

export function newTaskId(random: Random): string {
  return `t-${letters(random, 16)}`;
}

export function isMachineId(text: string): boolean {
  return /^q-[a-z2-7]{12}$/.test(text);
}

export function isTaskId(text: string): boolean {
  return /^t-[a-z2-7]{16}$/.test(text);
}

/** Three random bytes after QEMU's own prefix. */
export function newMac(random: Random): string {
  return ["52:54:00", ...[...random.bytes(3)].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

/** A name as Kubernetes has them, of at most 63 characters: safe in a file name, an option and a text. */
export function nameOf(what: string, text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new RpcError(
    "INVALID_ARGUMENT",
    `${what} must be at most 63 lower-case letters, digits and dashes, and begin and end with a letter or digit`,
  );
}

/** The same with dots, for images and snapshots: up to 128 characters, and never `.` or `..`. */
export function dottedNameOf(what: string, text: string): string {
  if (/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,126}[A-Za-z0-9])?$/.test(text) && !text.includes("..")) return text;
  throw new RpcError(
    "INVALID_ARGUMENT",
    `${what} must be at most 128 letters, digits, dots, dashes and underscores, and begin and end with a letter or digit`,
  );
}
