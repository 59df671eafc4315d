import { describe, expect, test } from "vitest";
import type { VMClassSpec } from "../kinds/index.ts";
import type { Problem } from "./problem.ts";
import { vmClassProblems } from "./vm-class.ts";

/** `field: what is wrong`, of each. */
const said = (problems: readonly Problem[]) => problems.map(({ field, wrong }) => `${field}: ${wrong}`);

describe("3.7 a VMClass", () => {
  const check = (more: Partial<VMClassSpec>) => said(vmClassProblems({ spec: { cpu: 1, memory: "512Mi", ...more } }));
  const memory = ["spec.memory: cannot be the memory of a machine"];

  test.each([
    ["128Mi", []],
    ["1Ti", []],
    ["4Gi", []],
    [536_870_912, []],
    ["127Mi", memory],
    ["1025Gi", memory],
    ["1G", memory], // not a whole number of MiB
    ["100m", memory],
    ["-1Gi", memory],
    ["much", memory],
  ])("with %s of memory", (amount, problems) => {
    expect(check({ memory: amount })).toEqual(problems);
  });

  test.each<[string, Partial<VMClassSpec>, readonly string[]]>([
    ["as much reserved as the limit", { resourceLimits: { memoryReservation: "1Gi", memoryLimit: "1024Mi" } }, []],
    [
      "more memory reserved than the limit",
      { resourceLimits: { memoryReservation: "2Gi", memoryLimit: "1Gi" } },
      ["spec.resourceLimits.memoryReservation: is more than memoryLimit 1Gi"],
    ],
    [
      "more CPU reserved than the limit",
      { resourceLimits: { cpuReservation: 200, cpuLimit: 100 } },
      ["spec.resourceLimits.cpuReservation: is more than cpuLimit 100"],
    ],
    ["a reservation without a limit", { resourceLimits: { cpuReservation: 200 } }, []],
    [
      "a limit that is no amount",
      { resourceLimits: { memoryLimit: "1e.5" } },
      ["spec.resourceLimits.memoryLimit: is no amount"],
    ],
    [
      "secure boot with BIOS",
      { securityProfile: { secureBoot: true } },
      ["spec.securityProfile.secureBoot: needs UEFI"],
    ],
    ["secure boot with UEFI", { firmware: "UEFI", securityProfile: { secureBoot: true } }, []],
    ["a TPM with EFI", { firmware: "EFI", securityProfile: { tpmEnabled: true, tpmVersion: "2.0" } }, []],
    [
      "a TPM with BIOS",
      { firmware: "BIOS", securityProfile: { tpmEnabled: true } },
      ["spec.securityProfile.tpmEnabled: needs UEFI"],
    ],
    [
      "a version of no TPM",
      { securityProfile: { tpmVersion: "1.2" } },
      ["spec.securityProfile.tpmVersion: stands beside tpmEnabled: false"],
    ],
    [
      "encryption needed and not wanted",
      { securityProfile: { encryptionPolicy: { requireEncryption: true } } },
      ["spec.securityProfile.encryptionPolicy.requireEncryption: stands beside enabled: false"],
    ],
  ])("%s", (_, more, problems) => {
    expect(check(more)).toEqual(problems);
  });
});
