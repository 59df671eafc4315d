// What the objects of a test are called. One function for making, finding and checking them.
import { sha256Hex } from "@telltale/kinds";
import type { Role } from "../config.ts";

/** The name of a role's Job, container and test files, and of the Service where the role is the master. */
export function nodeName(test: string, role: Role): string {
  return undotted(`${test}-${role}`);
}

export const libraryVolume = "locust-lib";
export const exporterName = "locust-metrics-exporter";

const longest = 63;

/** The volume of each Secret, under a name that no two share. */
export function secretVolumes(secrets: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const secret of new Set(secrets)) {
    const plain = `secret-${undotted(secret)}`;
    const name = plain.length > longest || taken.has(plain) ? hashed(plain, secret) : plain;
    taken.add(name);
    names.set(secret, name);
  }
  return names;
}

/** The hash is that of the Secret's own name: `a.b` and `a-b` are two, also when they are long. */
function hashed(plain: string, secret: string): string {
  const hash = sha256Hex(secret, 8);
  return `${plain.slice(0, longest - hash.length - 1).replace(/-+$/, "")}-${hash}`;
}

const undotted = (name: string): string => name.replaceAll(".", "-");
