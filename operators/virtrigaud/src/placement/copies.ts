// Copies that have a place and no VirtualMachine yet, as the machines that they become: the placement counts them. Pure.
import type { VirtualMachine, VMClone } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { decisionOf } from "./decision.ts";

/** VMClones by the Provider on which a place was chosen for their copy. */
export const placedCopies = {
  name: "placed copies by provider",
  values: (clone: VMClone): readonly string[] => {
    const { placementProvider } = annotations;
    const { [placementProvider]: provider } = clone.metadata.annotations ?? {};
    return provider !== undefined && mayHaveCopy(clone) && decisionOf(clone) !== undefined ? [provider] : [];
  },
};

/** After a failure only where the provider has, or may have, a copy. A clone that is Ready has a VirtualMachine. */
function mayHaveCopy({ status }: VMClone): boolean {
  const { phase, targetVMID = "", taskRef = "" } = status ?? {};
  return phase !== "Ready" && (phase !== "Failed" || targetVMID !== "" || taskRef !== "");
}

/** The machines on a provider, and those that its clones become. */
export function withCopies(machines: readonly VirtualMachine[], clones: readonly VMClone[]): readonly VirtualMachine[] {
  const bound = new Set(machines.map(({ metadata }) => metadata.annotations?.[annotations.clone]));
  return [...machines, ...clones.filter((clone) => !bound.has(markOf(clone))).map(machineOf)];
}

/** How a VirtualMachine says whose copy it is. */
export const markOf = ({ metadata }: VMClone): string => `${metadata.namespace}/${metadata.name}/${metadata.uid}`;

function machineOf(clone: VMClone): VirtualMachine {
  const { metadata, spec } = clone;
  const { target } = spec;
  const [namespace = "", name = ""] = (metadata.annotations?.[annotations.placementProvider] ?? "").split("/");
  return {
    apiVersion: clone.apiVersion,
    kind: "VirtualMachine",
    metadata: {
      namespace: target.namespace ?? metadata.namespace ?? "",
      name: target.name,
      uid: metadata.uid ?? "",
      labels: { ...target.labels, [labels.adopted]: "true" },
      annotations: { [annotations.placement]: metadata.annotations?.[annotations.placement] ?? "" },
    },
    spec: {
      providerRef: { namespace, name },
      classRef: target.classRef ?? { name: "" },
      ...(target.placementRef && { placementRef: target.placementRef }),
    },
  };
}
