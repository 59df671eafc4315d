// Indexes that several controllers declare on one kind. An index name belongs to a whole store, so each of these has one name and one
// function, and no controller brings a function of its own. Pure.
import type { ObjectRef, VirtualMachine, VMSnapshot } from "./kinds/index.ts";
import { resolve } from "./references.ts";

const keyOf = (ref: ObjectRef, from: string | undefined): string => {
  const { namespace, name } = resolve(ref, from ?? "");
  return `${namespace}/${name}`;
};

/** The key, `namespace/name`, of the Provider of a VM. */
export const providerKeyOf = ({ metadata, spec }: VirtualMachine): string =>
  keyOf(spec.providerRef, metadata.namespace);

/** The key, `namespace/name`, of the VMClass of a VM. */
export const classKeyOf = ({ metadata, spec }: VirtualMachine): string => keyOf(spec.classRef, metadata.namespace);

/** VirtualMachines by their Provider. */
export const vmsByProvider = {
  name: "VMs by provider",
  values: (vm: VirtualMachine): readonly string[] => [providerKeyOf(vm)],
};

/** VirtualMachines by their VMClass. */
export const vmsByClass = {
  name: "VMs by class",
  values: (vm: VirtualMachine): readonly string[] => [classKeyOf(vm)],
};

/** VirtualMachines by their VMPlacementPolicy. */
export const vmsByPolicy = {
  name: "VMs by policy",
  values: ({ metadata, spec }: VirtualMachine): readonly string[] =>
    spec.placementRef === undefined ? [] : [keyOf(spec.placementRef, metadata.namespace)],
};

/** VMSnapshots by their VirtualMachine. */
export const snapshotsByVM = {
  name: "snapshots by VM",
  values: ({ metadata, spec }: VMSnapshot): readonly string[] => [keyOf(spec.vmRef, metadata.namespace)],
};
