// The objects of a machine that exists already: its class, itself, and what its status begins with (3.11 step 4). Pure.
import type { JsonPatchOperation } from "@telltale/client";
import type { Provider, VirtualMachine, VirtualMachineStatus, VMClass } from "../kinds/index.ts";
import { annotations, group, labels, version } from "../names.ts";
import type { Listed } from "./listing.ts";

const apiVersion = `${group}/${version}`;
const adopted = { [labels.adopted]: "true" };

export function classOf({ cpu, memoryMiB }: Listed, namespace: string): VMClass {
  const size = { cpu: cpu || 2, memoryMiB: memoryMiB || 4_096 };
  return {
    apiVersion,
    kind: "VMClass",
    metadata: { name: `adopted-${size.cpu}cpu-${size.memoryMiB}mb`, namespace, labels: adopted },
    spec: { cpu: size.cpu, memory: `${size.memoryMiB}Mi`, firmware: "BIOS" },
  };
}

export function machineOf(name: string, listed: Listed, provider: Provider): VirtualMachine {
  const { namespace = "" } = provider.metadata;
  const { id, cpu, memoryMiB, disk } = listed;
  const policy = provider.metadata.annotations?.[annotations.adoptDeletionPolicy];
  return {
    apiVersion,
    kind: "VirtualMachine",
    metadata: {
      name,
      namespace,
      labels: adopted,
      annotations: { [annotations.deletionPolicy]: policy === "Delete" ? "Delete" : "Retain" },
    },
    spec: {
      providerRef: { name: provider.metadata.name ?? "" },
      classRef: { name: classOf(listed, namespace).metadata.name ?? "" },
      importedDisk: { diskID: id, ...disk, source: "manual" },
      powerState: powerStateOf(listed),
      ...(cpu > 0 || memoryMiB > 0
        ? { resources: { ...(cpu > 0 ? { cpu } : {}), ...(memoryMiB > 0 ? { memoryMiB } : {}) } }
        : {}),
    },
  };
}

/** A machine that sleeps is on. */
const powerStateOf = ({ power }: Listed): "On" | "Off" => (power === "Off" ? "Off" : "On");

/** What its status begins with: only while nobody has given it an id. */
export function seedOf({ status }: VirtualMachine, listed: Listed): readonly JsonPatchOperation[] {
  const seed: Partial<VirtualMachineStatus> = {
    id: listed.id,
    powerState: powerStateOf(listed),
    ips: [...listed.ips],
    provider: { ...listed.provider },
  };
  if (status === undefined) {
    return [
      { op: "test", path: "/status", value: null },
      { op: "add", path: "/status", value: seed },
    ];
  }
  return [
    { op: "test", path: "/status/id", value: status.id ?? null },
    ...Object.entries(seed).map(([name, value]) => ({ op: "add", path: `/status/${name}`, value }) as const),
  ];
}
