// Whether an image can be found and checked as it is described (3.8). Pure.
import { type ChecksumType, sourceNames, VMImage, type VMImageSpec } from "../kinds/index.ts";
import { durationProblems } from "./durations.ts";
import { type Problem, problem, unless } from "./problem.ts";

export function vmImageProblems({ spec }: Pick<VMImage, "spec">): readonly Problem[] {
  const { source = {} }: Partial<VMImageSpec> = spec;
  const given = sourceNames.filter((name) => source[name] !== undefined);
  return [
    ...unless(
      given.length > 0,
      "spec.source",
      undefined,
      "names no source that is known",
      `give one of ${sourceNames.join(", ")}`,
    ),
    ...checksumProblems(source),
    ...durationProblems(VMImage, spec),
  ];
}

/** How many digits a checksum has. */
const digits: Readonly<Record<ChecksumType, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

function checksumProblems(source: VMImageSpec["source"]): readonly Problem[] {
  return (["libvirt", "vsphere", "http"] as const).flatMap((name) => {
    const { checksum = "", checksumType = "sha256" } = source[name] ?? {};
    const wanted = digits[checksumType];
    if (checksum === "" || (checksum.length === wanted && /^[0-9A-Fa-f]+$/.test(checksum))) return [];
    const field = `spec.source.${name}.checksum`;
    return [
      problem(field, checksum, `is no ${checksumType}`, `give ${wanted} hexadecimal digits, or correct checksumType`),
    ];
  });
}
