// The Locust project has an operator of its own, whose CRD has the same name as ours and other fields. Pure.
import type { CustomResourceDefinition } from "@telltale/kinds/builtin";

/** Why this definition cannot be replaced by ours, or undefined when it can. For whoever installs. */
export function foreignDefinition(crd: CustomResourceDefinition | undefined): string | undefined {
  if (crd?.metadata?.name !== "locusttests.locust.io") return undefined;
  const v1 = crd.spec.versions.find(({ name }) => name === "v1");
  const fields = v1?.schema?.openAPIV3Schema?.properties?.["spec"]?.properties ?? {};
  if (v1 === undefined || Object.hasOwn(fields, "masterCommandSeed")) return undefined;
  return [
    "CustomResourceDefinition locusttests.locust.io belongs to another operator: its v1 has no masterCommandSeed.",
    "Two operators cannot share it, and replacing it would take the fields away from the tests that are there.",
    "Install this operator in another cluster, or remove the other one together with its CustomResourceDefinition first.",
  ].join(" ");
}
