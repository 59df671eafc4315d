// What Kubernetes knows of a clone, its source and its target, out of the cache. The provider is not asked here.
import { Namespace } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { findCondition, type SafeText, text } from "@telltale/status";
import { vmsByProvider } from "../indexes.ts";
import {
  type Provider,
  VirtualMachine,
  VMClass,
  VMClone,
  VMImage,
  VMPlacementPolicy,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { placedCopies, withCopies } from "../placement/copies.ts";
import { storedDecision } from "../placement/decision.ts";
import { type Placing, place } from "../placement/engine.ts";
import type { Reservations } from "../placement/reservations.ts";
import { unknownBecause } from "../reachable.ts";
import { recorded } from "../recorded.ts";
import { acceptsFrom, type Crossing, follow, type Name, resolve } from "../references.ts";
import { durationProblems } from "../validate/durations.ts";
import { toldAll } from "../validate/problem.ts";
import { nameOn } from "../virtual-machine/name.ts";
import { lockOf } from "../virtual-machine/observe.ts";
import { reach, type Ways } from "../vm-snapshot/reach.ts";
import { hostName, isOurs, machineIdOf, placeOf, targetOf } from "./target.ts";
import type { Held, Source, Target, Told, World } from "./world.ts";

export interface Senses extends Ways {
  readonly crossing: Crossing;
  /** Shared with the controller of VirtualMachines. */
  readonly places: Reservations;
}

export async function observe(clone: VMClone, look: Look, senses: Senses): Promise<World> {
  const { namespace = "" } = clone.metadata;
  const source = sourceOf(clone, look, senses.crossing);
  const vm = source.is === "machine" ? source.vm : undefined;
  const provider = providerFor(clone, source, look);
  const mates = look.where(VirtualMachine, vmsByProvider.name, `${provider.namespace}/${provider.name}`);
  const target = targetIn(clone, { provider, vm }, mates, look);
  const vmClass = follow(
    VMClass.kind,
    resolve(target.wanted.spec.classRef, target.wanted.metadata.namespace ?? ""),
    namespace,
    (it) => look.get(VMClass, it),
    senses.crossing,
  );
  const channel = await reach(provider, look, senses);
  const problem = problemOf(clone, look, senses.crossing);
  const record = recorded(clone, look);
  const wish: PlaceWish = {
    vm: target.wanted,
    provider: channel.provider,
    vmClass: vmClass.is === "found" ? vmClass.object : undefined,
    mates,
  };
  return {
    clone,
    now: look.now,
    problem,
    source,
    target,
    vmClass: vmClass.is === "found" ? { is: "there", object: vmClass.object } : { is: "missing", what: vmClass.what },
    channel,
    placing: placingOf(
      clone,
      problem === undefined ? source : undefined,
      record.record !== undefined,
      wish,
      look,
      senses.places,
    ),
    claimed: new Set(mates.flatMap((it) => (machineIdOf(it) === "" || isOurs(it, clone) ? [] : [machineIdOf(it)]))),
    ...record,
    held: heldOf(clone),
    told: toldOf(clone),
    heard: {},
  };
}

function problemOf(clone: VMClone, look: Look, crossing: Crossing): SafeText | undefined {
  const { spec, metadata } = clone;
  const { namespace = "" } = metadata;
  const lengths = toldAll(durationProblems(VMClone, spec));
  if (lengths !== undefined) return lengths;
  const { vmRef, templateRef, snapshotRef, imageRef } = spec.source;
  const given = [vmRef, templateRef, snapshotRef, imageRef].filter((it) => it !== undefined).length;
  if (given !== 1) return text`spec.source: give exactly one of vmRef, templateRef, snapshotRef, imageRef`;
  const at = placeOf(clone);
  const name = hostName(clone);
  if (name.length > 63) return text`spec.target.name has ${name.length} characters: a hypervisor takes 63`;
  if (imageRef !== undefined && (spec.target.providerRef === undefined || spec.target.classRef === undefined)) {
    return text`spec.target: an image needs a providerRef and a classRef`;
  }
  const home = at.namespace === namespace || look.get(Namespace, { name: at.namespace });
  if (home === true || acceptsFrom(home, namespace, crossing)) return undefined;
  return text`spec.target.namespace: ${at.namespace} does not take clones of ${namespace}; its owner can allow it with the annotation ${annotations.acceptFrom}`;
}

function sourceOf(clone: VMClone, look: Look, crossing: Crossing): Source {
  const { namespace = "" } = clone.metadata;
  const { vmRef, templateRef, snapshotRef, imageRef } = clone.spec.source;
  if (imageRef !== undefined) {
    const image = follow(VMImage.kind, imageRef, namespace, (it) => look.get(VMImage, it), crossing);
    if (image.is !== "found") return { is: image.is, what: image.what };
    return { is: "image", provider: resolve(clone.spec.target.providerRef ?? { name: "" }, namespace) };
  }
  if (templateRef !== undefined) {
    const found = follow(VirtualMachine.kind, templateRef, namespace, (it) => look.get(VirtualMachine, it), crossing);
    if (found.is !== "found") return { is: found.is, what: found.what };
    const { metadata, status } = found.object;
    if (metadata.labels?.[labels.template] !== "true") {
      return { is: "refused", what: text`VirtualMachine ${templateRef.name} has no label ${labels.template}: "true"` };
    }
    if (status?.powerState !== "Off") {
      return { is: "waiting", what: text`template ${templateRef.name} is not off` };
    }
    return copyable(found.object, "", look);
  }
  if (snapshotRef !== undefined) {
    const snapshot = look.get(VMSnapshot, { namespace, name: snapshotRef.name });
    if (snapshot === undefined) return { is: "missing", what: text`source snapshot "${snapshotRef.name}" not found` };
    const { phase, snapshotID = "" } = snapshot.status ?? {};
    if (phase !== "Ready" || snapshotID === "") {
      return { is: "waiting", what: text`snapshot ${snapshotRef.name} is not Ready` };
    }
    return machine(snapshot.spec.vmRef.name, namespace, snapshotID, look);
  }
  return machine(vmRef?.name ?? "", namespace, "", look);
}

function machine(name: string, namespace: string, snapshotId: string, look: Look): Source {
  const vm = look.get(VirtualMachine, { namespace, name });
  return vm === undefined
    ? { is: "missing", what: text`source VM "${name}" not found` }
    : copyable(vm, snapshotId, look);
}

function copyable(vm: VirtualMachine, snapshotId: string, look: Look): Source {
  const { name = "", namespace = "" } = vm.metadata;
  const { id = "", phase } = vm.status ?? {};
  if (id === "" || phase === "Provisioning" || phase === "Deleting") {
    const unknown = unknownBecause(vm);
    const what =
      unknown === undefined
        ? text`source VM ${name} is not ready`
        : text`source VM ${name} is not known to be there: ${unknown}`;
    return { is: "waiting", what };
  }
  const lock = lockOf(vm, look);
  if (lock !== undefined) return { is: "waiting", what: text`VMMigration ${lock} has source VM ${name}` };
  return { is: "machine", vm, id, snapshotId, provider: resolve(vm.spec.providerRef, namespace) };
}

/** Of the source, or the one that is asked for. Where the source is gone meanwhile: of the copy. */
function providerFor(clone: VMClone, source: Source, look: Look): Name {
  if (source.is === "machine" || source.is === "image") return source.provider;
  const copy = look.get(VirtualMachine, placeOf(clone));
  if (copy !== undefined && isOurs(copy, clone)) return resolve(copy.spec.providerRef, copy.metadata.namespace ?? "");
  const { vmRef, templateRef } = clone.spec.source;
  const vm = vmRef ?? templateRef;
  const { namespace = "" } = clone.metadata;
  const found = vm === undefined ? undefined : look.get(VirtualMachine, resolve(vm, namespace));
  const known = found === undefined ? clone.spec.target.providerRef : found.spec.providerRef;
  return resolve(known ?? { name: "" }, found?.metadata.namespace ?? namespace);
}

function targetIn(
  clone: VMClone,
  from: Parameters<typeof targetOf>[1],
  mates: readonly VirtualMachine[],
  look: Look,
): Target {
  const wanted = targetOf(clone, from);
  const object = look.get(VirtualMachine, placeOf(clone));
  const { uid } = object?.metadata ?? {};
  return {
    wanted,
    object,
    isOurs: isOurs(object, clone),
    namesake: mates.find((it) => it.metadata.uid !== uid && nameOn(it) === hostName(clone)),
  };
}

/** What is placed, and where. */
interface PlaceWish {
  readonly vm: VirtualMachine;
  readonly provider: Provider | undefined;
  readonly vmClass: VMClass | undefined;
  readonly mates: readonly VirtualMachine[];
}

/**
 * Where the copy goes, only where a policy is named: it is beside its source otherwise. From the request on it is what was stored
 * before the request, until the provider has refused it.
 */
function placingOf(
  clone: VMClone,
  source: Source | undefined,
  hasRecord: boolean,
  wish: PlaceWish,
  look: Look,
  places: Reservations,
): Placing | undefined {
  if (wish.vm.spec.placementRef === undefined) return undefined;
  if (isRequested(clone, hasRecord)) {
    places.forget(clone);
    return storedDecision(clone);
  }
  const isOver = clone.status?.phase === "Ready" || isStuck(clone) || clone.metadata.deletionTimestamp !== undefined;
  const isAble = source?.is === "machine" || source?.is === "image";
  const choice = isOver || !isAble ? undefined : chosen(clone, source.is === "machine", wish, look, places);
  if (choice?.is !== "placed") places.forget(clone);
  return choice;
}

/** The provider has been asked, and may have done it, or may still do it. */
function isRequested({ metadata, status }: VMClone, hasRecord: boolean): boolean {
  const { targetVMID = "", taskRef = "", conditions, phase, observedGeneration } = status ?? {};
  const isCopied = findCondition(conditions, "Cloning")?.reason === "Completed";
  // The spec was changed after a failure: from the beginning, unless the copy is there.
  if (phase === "Failed" && observedGeneration !== metadata.generation) return isCopied && targetVMID !== "";
  if (findCondition(conditions, "Ready")?.reason === "Retrying") return false;
  return hasRecord || targetVMID !== "" || taskRef !== "";
}

const isStuck = ({ metadata, status }: VMClone): boolean =>
  status?.phase === "Failed" && status.observedGeneration === metadata.generation;

/** Reserved for a copy. A machine that is made from an image is placed by its own controller, and here it is only asked whether it could be. */
function chosen(
  clone: VMClone,
  isCopy: boolean,
  { vm, provider, vmClass, mates }: PlaceWish,
  look: Look,
  places: Reservations,
): Placing | undefined {
  const { placementRef } = vm.spec;
  const { namespace = "" } = vm.metadata;
  if (provider === undefined || placementRef === undefined) return undefined;
  const policies = look.list(VMPlacementPolicy, { namespace });
  const policy = policies.find(({ metadata }) => metadata.name === placementRef.name);
  if (policy === undefined) {
    return { is: "nowhere", why: text`VMPlacementPolicy ${namespace}/${placementRef.name} not found`, violations: 0 };
  }
  const key = `${provider.metadata.namespace ?? ""}/${provider.metadata.name ?? ""}`;
  const copies = look.where(VMClone, placedCopies.name, key).filter((it) => it.metadata.uid !== clone.metadata.uid);
  const around = {
    provider,
    vmClass,
    others: withCopies(mates, copies).filter(
      ({ metadata }) => metadata.name !== vm.metadata.name || metadata.namespace !== namespace,
    ),
    policies: policies.filter((it) => it !== policy),
    namespaceLabels: (name: string) => look.get(Namespace, { name })?.metadata?.labels,
    now: look.now,
  };
  return isCopy ? places.place(vm, policy, around, clone.metadata.uid) : place(vm, policy, around);
}

function heldOf({ status = {} }: VMClone): Held {
  const { targetVMID, taskRef, actualCloneType, startTime, completionTime, retryCount, lastRetryTime } = status;
  const { customizationStatus, progress, targetRef } = status;
  const all = { targetVMID, taskRef, actualCloneType, startTime, completionTime, retryCount, lastRetryTime };
  const fields = Object.entries({ ...all, customizationStatus, progress, targetRef });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== ""));
}

const toldOf = ({ metadata, status }: VMClone): Told => ({
  phase: status?.phase,
  isSameSpec: status?.observedGeneration === metadata.generation,
  ready: findCondition(status?.conditions, "Ready"),
  cloning: findCondition(status?.conditions, "Cloning"),
  customizing: findCondition(status?.conditions, "Customizing"),
  failed: findCondition(status?.conditions, "Failed"),
});
