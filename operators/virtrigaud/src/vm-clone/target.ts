// The VirtualMachine that a copy becomes (3.9, "Bind"). Pure.
import { VirtualMachine, type VMClone } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { markOf } from "../placement/copies.ts";
import type { Name } from "../references.ts";
import { nameOn } from "../virtual-machine/name.ts";

export const placeOf = ({ metadata, spec }: VMClone): Name => ({
  namespace: spec.target.namespace ?? metadata.namespace ?? "",
  name: spec.target.name,
});

/** What the copy is called on the hypervisor. */
export const hostName = ({ spec }: VMClone): string =>
  nameOn({
    metadata: { name: spec.target.name, ...(spec.target.annotations && { annotations: spec.target.annotations }) },
  });

export const isOurs = (object: VirtualMachine | undefined, clone: VMClone): boolean =>
  object?.metadata.annotations?.[annotations.clone] === markOf(clone);

/** The machine that an object has, or is about to get. */
export const machineIdOf = ({ metadata, status }: VirtualMachine): string =>
  status?.id ?? metadata.annotations?.[annotations.providerId] ?? "";

/** What is made. */
export const typeOf = ({ spec }: VMClone): "LinkedClone" | "FullClone" =>
  spec.options?.type === "LinkedClone" && spec.source.imageRef === undefined ? "LinkedClone" : "FullClone";

export interface From {
  readonly provider: Name;
  /** The machine that is copied; undefined: one is made from an image. */
  readonly vm: VirtualMachine | undefined;
}

export function targetOf(clone: VMClone, { provider, vm }: From): VirtualMachine {
  const { spec, metadata } = clone;
  const { target, options, customization, source } = spec;
  const { namespace, name } = placeOf(clone);
  const from = vm === undefined ? "" : `${vm.metadata.namespace}/${vm.metadata.name}`;
  // A class that is named here is the clone's; the source's is in the namespace of the source.
  const classRef =
    target.classRef === undefined
      ? refTo(vm?.spec.classRef ?? { name: "" }, vm?.metadata.namespace ?? "", namespace)
      : refTo(target.classRef, metadata.namespace ?? "", namespace);
  return {
    apiVersion: VirtualMachine.apiVersion,
    kind: VirtualMachine.kind,
    metadata: {
      name,
      namespace,
      labels: { ...target.labels, ...(vm !== undefined && { [labels.adopted]: "true" }) },
      annotations: {
        ...target.annotations,
        [annotations.clone]: markOf(clone),
        ...(from !== "" && { [annotations.clonedFrom]: from }),
      },
    },
    spec: {
      providerRef: { name: provider.name, namespace: provider.namespace },
      classRef,
      ...(source.imageRef !== undefined && {
        imageRef: refTo(source.imageRef, metadata.namespace ?? "", namespace),
      }),
      ...(source.imageRef !== undefined &&
        customization?.userData !== undefined && { userData: customization.userData }),
      ...(target.classRef === undefined && vm?.spec.resources !== undefined && { resources: vm.spec.resources }),
      powerState: options?.powerOn === true ? "On" : "Off",
      ...(target.networks && { networks: target.networks }),
      ...(target.disks && { disks: target.disks }),
      ...(target.placementRef && { placementRef: target.placementRef }),
    },
  };
}

/** A reference of an object in one namespace, as an object in another has to write it. */
function refTo(ref: { readonly name: string; readonly namespace?: string }, from: string, home: string) {
  const { name, namespace = from } = ref;
  return namespace === home ? { name } : { name, namespace };
}
