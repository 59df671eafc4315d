// Whether a machine can be made as it is asked for (3.1 rules 1 to 5, 2.3, 7.6). Pure.

import {
  type LifecycleHandler,
  type ProviderType,
  patterns,
  VirtualMachine,
  type VirtualMachineSpec,
} from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { durationProblems } from "./durations.ts";
import { type Problem, problem, twice, unless } from "./problem.ts";

/** What is wrong with it by itself. */
export function virtualMachineProblems({
  metadata,
  spec,
}: Pick<VirtualMachine, "metadata" | "spec">): readonly Problem[] {
  return [
    ...originProblems(spec, metadata.labels?.[labels.adopted] === "true"),
    ...twice("spec.disks", spec.disks, "disk"),
    ...twice("spec.networks", spec.networks, "network"),
    ...unless(
      spec.userData?.cloudInit === undefined || spec.userData.ignition === undefined,
      "spec.userData",
      undefined,
      "has both cloudInit and ignition",
      "keep one of them",
    ),
    ...handlerProblems("spec.lifecycle.postStart", spec.lifecycle?.postStart),
    ...handlerProblems("spec.lifecycle.preStop", spec.lifecycle?.preStop),
    ...durationProblems(VirtualMachine, spec),
    ...nameProblems(metadata),
  ];
}

/** What it is made from: an image or a disk, and an adopted one needs neither. */
function originProblems({ imageRef, importedDisk }: VirtualMachineSpec, isAdopted: boolean): readonly Problem[] {
  if (imageRef !== undefined && importedDisk !== undefined) {
    return [problem("spec.imageRef", imageRef.name, "stands beside spec.importedDisk", "keep one of the two")];
  }
  const isThere = imageRef !== undefined || importedDisk !== undefined || isAdopted;
  return unless(isThere, "spec.imageRef", undefined, "is missing", "name a VMImage, or give spec.importedDisk");
}

function handlerProblems(field: string, handler: LifecycleHandler | undefined): readonly Problem[] {
  const given = (["exec", "httpGet", "snapshot"] as const).filter((name) => handler?.[name] !== undefined);
  return unless(given.length < 2, field, undefined, `has ${given.join(" and ")}`, "keep one of them");
}

/** The name on the hypervisor ends up in files and command lines there. */
function nameProblems({ name = "", annotations: given }: VirtualMachine["metadata"]): readonly Problem[] {
  const asked = given?.[annotations.vmName];
  const used = asked ?? name;
  if (used.length <= 63 && new RegExp(patterns.name).test(used)) return [];
  const rule = "cannot be a name on the hypervisor";
  const fix = `at most 63 of a-z, 0-9 and - in the annotation ${annotations.vmName}`;
  return [
    problem(asked === undefined ? "metadata.name" : `metadata.annotations[${annotations.vmName}]`, used, rule, fix),
  ];
}

/** Only libvirt has a place where a disk lies when nothing is said. */
export function importedDiskProblems({ importedDisk }: VirtualMachineSpec, type: ProviderType): readonly Problem[] {
  const isKnown = importedDisk === undefined || type === "libvirt" || (importedDisk.path ?? "") !== "";
  const fix = `say where the provider of type ${type} finds the disk`;
  return unless(isKnown, "spec.importedDisk.path", undefined, "is missing", fix);
}
