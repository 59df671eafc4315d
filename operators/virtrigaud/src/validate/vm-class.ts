// Whether a class keeps the rules (3.7 reconcile 1). Pure.
import { compareQuantity, parseQuantity } from "@telltale/kinds";
import type { VMClass, VMClassSpec } from "../kinds/index.ts";
import { type Problem, problem, unless } from "./problem.ts";

export function vmClassProblems({ spec }: Pick<VMClass, "spec">): readonly Problem[] {
  const { resourceLimits: limits = {}, securityProfile: security = {} } = spec;
  const encryption = security.encryptionPolicy;
  const isUefi = spec.firmware === "UEFI" || spec.firmware === "EFI";
  const uefi = "set spec.firmware to UEFI, or this to false";
  return [
    ...memoryProblems(spec),
    ...unless(
      !isMore(limits.memoryReservation, limits.memoryLimit),
      "spec.resourceLimits.memoryReservation",
      limits.memoryReservation,
      `is more than memoryLimit ${limits.memoryLimit}`,
      "reserve at most the limit",
    ),
    ...unless(
      (limits.cpuReservation ?? 0) <= (limits.cpuLimit ?? Number.POSITIVE_INFINITY),
      "spec.resourceLimits.cpuReservation",
      limits.cpuReservation,
      `is more than cpuLimit ${limits.cpuLimit}`,
      "reserve at most the limit",
    ),
    ...unless(security.secureBoot !== true || isUefi, "spec.securityProfile.secureBoot", true, "needs UEFI", uefi),
    ...unless(security.tpmEnabled !== true || isUefi, "spec.securityProfile.tpmEnabled", true, "needs UEFI", uefi),
    ...unless(
      security.tpmVersion === undefined || security.tpmEnabled === true,
      "spec.securityProfile.tpmVersion",
      security.tpmVersion,
      "stands beside tpmEnabled: false",
      "set tpmEnabled to true, or take the version away",
    ),
    ...unless(
      encryption?.requireEncryption !== true || encryption.enabled === true,
      "spec.securityProfile.encryptionPolicy.requireEncryption",
      true,
      "stands beside enabled: false",
      "set enabled to true, or this to false",
    ),
  ];
}

const mebi = 1024n * 1024n;
const nanos = 1_000_000_000n;

function memoryProblems({ memory = "", diskDefaults, resourceLimits }: Partial<VMClassSpec>): readonly Problem[] {
  const parsed = parseQuantity(memory);
  const bytes = parsed === undefined || parsed.nano % nanos !== 0n ? undefined : parsed.nano / nanos;
  const fits = bytes !== undefined && bytes % mebi === 0n && bytes >= 128n * mebi && bytes <= 1024n * 1024n * mebi;
  const others = {
    "spec.diskDefaults.size": diskDefaults?.size,
    "spec.resourceLimits.memoryLimit": resourceLimits?.memoryLimit,
    "spec.resourceLimits.memoryReservation": resourceLimits?.memoryReservation,
  };
  return [
    ...unless(fits, "spec.memory", memory, "cannot be the memory of a machine", "a whole number of Mi, 128Mi to 1Ti"),
    // The server lets through what looks like an amount and is none, such as 1e.5 or -1.
    ...Object.entries(others).flatMap(([field, value]) => {
      const amount = value === undefined ? undefined : parseQuantity(value);
      const isAmount = value === undefined || (amount !== undefined && amount.nano > 0n);
      return isAmount ? [] : [problem(field, value, "is no amount", "write it as 512Mi or 40Gi")];
    }),
  ];
}

type Amount = string | number | undefined;

function isMore(a: Amount, b: Amount): boolean {
  const [left, right] = [a, b].map((it) => (it === undefined ? undefined : parseQuantity(it)));
  return left !== undefined && right !== undefined && compareQuantity(left, right) > 0;
}
