// The controller of VMPlacementPolicies: what it watches, and its two steps. It changes nothing but the policy's status, and of
// that not placementStats, which is the VirtualMachine controller's (1.2).

import { deepEqual, type KubeObject } from "@telltale/kinds";
import { Namespace } from "@telltale/kinds/builtin";
import { type Controller, controller, type Look, type MapLook, type Name } from "@telltale/runtime";
import { vmsByClass, vmsByPolicy, vmsByProvider } from "../indexes.ts";
import { type ObjectRef, Provider, VirtualMachine, VMClass, VMPlacementPolicy } from "../kinds/index.ts";
import { fieldManager } from "../names.ts";
import { answering } from "../reachable.ts";
import { providerKey, resolve } from "../references.ts";
import { status } from "./status.ts";
import type { Other, User, World } from "./world.ts";

/** Machines come and go in crowds: policies look once for all of them. */
const crowd = 1_000;

export interface VMPlacementPolicyOptions {
  /** Passes at a time. Default: 1. */
  readonly workers?: number;
}

export function vmPlacementPolicies({ workers = 1 }: VMPlacementPolicyOptions = {}): Controller {
  return controller(VMPlacementPolicy)
    .on("generation", "labels", "annotations")
    .watches(VMPlacementPolicy, ({ old, new: next }, look) => inNamespace(next ?? old, look), {
      changed: (a, b) => a.metadata.generation !== b.metadata.generation,
    })
    .watches(VirtualMachine, ({ old, new: next }, look) => inNamespace(next ?? old, look), {
      changed: isOtherUser,
      delay: crowd,
    })
    .watches(Provider, ({ old, new: next }, look) => around(next ?? old, look), {
      changed: (a, b) => a.spec.type !== b.spec.type || answering(a) !== answering(b),
    })
    .watches(VMClass, ({ old, new: next }, look) => ofClass(next ?? old, look), {
      changed: (a, b) => a.spec.firmware !== b.spec.firmware,
    })
    .reads(Namespace)
    .index(VirtualMachine, vmsByPolicy.name, vmsByPolicy.values)
    .index(VirtualMachine, vmsByClass.name, vmsByClass.values)
    .index(VirtualMachine, vmsByProvider.name, vmsByProvider.values)
    .events("none")
    .status({ as: "patch", fieldManager })
    .workers(workers)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
    .reconcile<World>({ observe, status });
}

/** What a rule of a policy may ask of a machine. */
const isOtherUser = (a: VirtualMachine, b: VirtualMachine): boolean =>
  !deepEqual(a.metadata.labels, b.metadata.labels) ||
  !deepEqual(a.spec.placementRef, b.spec.placementRef) ||
  !deepEqual(a.spec.classRef, b.spec.classRef) ||
  !deepEqual(a.spec.providerRef, b.spec.providerRef);

const nameOf = ({ metadata }: KubeObject): Name => ({
  namespace: metadata?.namespace ?? "",
  name: metadata?.name ?? "",
});

function inNamespace(object: KubeObject | undefined, look: MapLook): Name[] {
  const { namespace = "" } = object?.metadata ?? {};
  return look.list(VMPlacementPolicy, { namespace }).map(nameOf);
}

/** The policies beside a Provider, and those of its machines elsewhere. */
function around(provider: Provider | undefined, look: MapLook): Name[] {
  const { namespace, name } = provider?.metadata ?? {};
  return [
    ...inNamespace(provider, look),
    ...policiesOf(look.where(VirtualMachine, vmsByProvider.name, `${namespace}/${name}`)),
  ];
}

function ofClass(vmClass: VMClass | undefined, look: MapLook): Name[] {
  const { namespace, name } = vmClass?.metadata ?? {};
  return policiesOf(look.where(VirtualMachine, vmsByClass.name, `${namespace}/${name}`));
}

const policiesOf = (vms: readonly VirtualMachine[]): Name[] =>
  vms.flatMap(({ metadata, spec }) => {
    return spec.placementRef === undefined
      ? []
      : [{ namespace: metadata.namespace ?? "", name: spec.placementRef.name }];
  });

function observe(policy: VMPlacementPolicy, look: Look): World {
  const { namespace = "" } = policy.metadata;
  const vmsOf = ({ metadata }: VMPlacementPolicy) =>
    look.where(VirtualMachine, vmsByPolicy.name, `${metadata.namespace}/${metadata.name}`);
  const users = vmsOf(policy).map((vm): User => ({ vm, vmClass: look.get(VMClass, placeOf(vm, vm.spec.classRef)) }));
  const here = look.list(Provider, { namespace });
  const theirs = users.flatMap(({ vm }) => look.get(Provider, placeOf(vm, vm.spec.providerRef)) ?? []);
  const others = look
    .list(VMPlacementPolicy, { namespace })
    .filter(({ metadata }) => metadata.uid !== policy.metadata.uid)
    .map((other): Other => ({ policy: other, vms: vmsOf(other) }));
  return {
    policy,
    users,
    types: [...new Set([...here, ...theirs].map(({ spec }) => spec.type))].sort(),
    providers: [...new Set([...here, ...theirs])]
      .map((it) => ({ key: keyFrom(namespace, it), answers: answering(it) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    others,
    namespaceLabels: (name) => look.get(Namespace, { name })?.metadata?.labels,
  };
}

const keyFrom = (home: string, { metadata: { namespace = "", name = "" } }: Provider): string =>
  providerKey(home, { namespace, name });

const placeOf = ({ metadata }: VirtualMachine, ref: ObjectRef): Name => resolve(ref, metadata.namespace ?? "");
