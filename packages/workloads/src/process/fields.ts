// What a pod may ask about itself (`fieldRef`, `resourceFieldRef`), as text for a variable or a file.
import { isQualifiedName, type ParsedQuantity, parseQuantity } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { type Container, type FieldRef, membersOf, type ResourceFieldRef, valueIn } from "./spec.ts";

/** Where a pod stands, as far as it may ask. */
export interface Place {
  readonly podIP: string;
  readonly hostIP: string;
  /** What a container without a limit could use at most. */
  readonly cpus: number;
  readonly memoryBytes: number;
}

/** The value of a field. Throws where there is no such field. */
export function fieldValue(pod: Pod, { fieldPath }: FieldRef, place: Place): string {
  const subscript = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/s.exec(fieldPath);
  if (subscript !== null) {
    const [, map, key = ""] = subscript;
    if (!isQualifiedName(map === "metadata.annotations" ? key.toLowerCase() : key))
      throw new Error(`invalid key subscript in ${fieldPath}: "${key}" is no qualified name`);
    return valueIn(map === "metadata.annotations" ? pod.metadata?.annotations : pod.metadata?.labels, key) ?? "";
  }
  switch (fieldPath) {
    case "metadata.name":
      return pod.metadata?.name ?? "";
    case "metadata.namespace":
      return pod.metadata?.namespace ?? "";
    case "metadata.uid":
      return pod.metadata?.uid ?? "";
    case "metadata.labels":
      return mapText(pod.metadata?.labels);
    case "metadata.annotations":
      return mapText(pod.metadata?.annotations);
    case "spec.nodeName":
      return pod.spec?.nodeName ?? "";
    case "spec.serviceAccountName":
      return pod.spec?.serviceAccountName ?? "";
    case "spec.restartPolicy":
      return pod.spec?.restartPolicy ?? "Always";
    case "status.podIP":
    case "status.podIPs":
      return place.podIP;
    case "status.hostIP":
    case "status.hostIPs":
      return place.hostIP;
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** What a container may use, counted in the divisor and rounded up. Throws where there is no such resource or container. */
export function resourceValue(pod: Pod, own: Container | undefined, ref: ResourceFieldRef, place: Place): string {
  const name = ref.containerName;
  const named = membersOf(pod).find(({ container }) => container.name === name)?.container;
  const container = name === undefined || name === "" ? own : named;
  if (container === undefined) throw new Error(`container ${name ?? ""} not found`);
  const [list = "", ...rest] = ref.resource.split(".");
  const resource = rest.join(".");
  if ((list !== "limits" && list !== "requests") || !/^(cpu|memory|ephemeral-storage|hugepages-.+)$/.test(resource))
    throw new Error(`unsupported container resource : ${ref.resource}`);
  const given = parseQuantity(container.resources?.[list]?.[resource] ?? "0");
  if (given === undefined) throw new Error(`${ref.resource} of container ${container.name} is no quantity`);
  const divisor = parseQuantity(ref.divisor ?? "0");
  if (divisor === undefined) throw new Error(`divisor "${ref.divisor}" of ${ref.resource} is no quantity`);
  const amount = given.nano === 0n && list === "limits" ? (machineLimit(resource, place) ?? given) : given;
  const by = divisor.nano === 0n ? 1_000_000_000n : divisor.nano;
  return String((amount.nano + by - 1n) / by);
}

function machineLimit(resource: string, { cpus, memoryBytes }: Place): ParsedQuantity | undefined {
  if (resource === "cpu") return parseQuantity(cpus);
  if (resource === "memory") return parseQuantity(memoryBytes);
  return undefined;
}

/** A map as a file has it: `key="value"` a line, in order. */
function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${quoted(value)}`)
    .join("\n");
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** A text as Go quotes it. */
function quoted(text: string): string {
  const inner = text.replace(/["\\\p{Cc}]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return escapes[char] ?? (code < 0x80 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
  });
  return `"${inner}"`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}
