// A small cluster for migrations' Jobs: their pods run nothing, and do to a simulated storage what the scripts do to a claim.
import type { Client } from "@telltale/client";
import { Node, type Pod, type StorageClass } from "@telltale/kinds/builtin";
import type { Controller } from "@telltale/runtime";
import {
  type ContainerReport,
  controllers,
  machines,
  type PodRuntime,
  type SimulatedOptions,
  type SimulatedRuntime,
  simulatedRuntime,
} from "@telltale/workloads";
import type { Reply } from "../src/contract/contract.ts";
import type { Profile } from "../src/simulated/profile.ts";
import { checksumOf, type Staging } from "../src/simulated/staging.ts";
import { badStaged } from "../src/vm-migration/scripts.ts";

/** A node that is there without heartbeats, which somebody has to take the taint off, and a class whose claims need no volume. */
const resources = { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "1000" };
export const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "embedded-node" },
  status: { capacity: resources, allocatable: resources, conditions: [{ type: "Ready", status: "True" }] },
};
export const storageClass: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "fast" },
  provisioner: "example.com/none",
  volumeBindingMode: "WaitForFirstConsumer",
};
export const untaint = (client: Pick<Client, "patch">): Promise<unknown> =>
  client.patch(Node, { name: "embedded-node" }, { merge: { spec: { taints: null } } });

export const claimSpec = {
  storageClassName: "fast",
  accessModes: ["ReadWriteMany"],
  resources: { requests: { storage: "1Gi" } },
} as const;

const needed = ["job-controller", "job-orphan-controller", "kubelet", "default-scheduler"];

/** What runs Jobs, and no more. */
export const jobControllers = (runtime: PodRuntime): readonly Controller[] =>
  [...controllers(), ...machines({ runtime })].filter(({ name }) => needed.includes(name));

/** A provider that writes qcow2 over claims, and reads these formats. */
export function mover(formats: readonly string[], extensions: readonly string[]): Partial<Profile> {
  const capabilities: Reply<"getCapabilities"> = {
    supportsSnapshots: true,
    supportsDiskExport: true,
    supportsDiskImport: true,
    supportedExportFormats: ["qcow2"],
    supportedImportFormats: [...formats],
    supportedExportBackends: ["pvc"],
    supportedImportBackends: ["pvc"],
    extensions: ["task-progress", "request-id", ...extensions],
  };
  return { capabilities };
}

export const tools = { image: "example/qemu-img:dev", shell: ["busybox", "sh"] } as const;

export function jobPods(staging: () => Staging, options: SimulatedOptions = {}): SimulatedRuntime {
  const inner = simulatedRuntime({ references: "ignore", ...options });
  return {
    ...inner,
    async sync(pod, now, refers) {
      const report = await inner.sync(pod, now, refers);
      return { ...report, containers: report.containers.map((it) => ended(it, pod, staging())) };
    },
  };
}

/** A container that has just ended well has done its work, or found that it cannot. */
function ended(report: ContainerReport, pod: Pod, staging: Staging): ContainerReport {
  const { state } = report;
  const isKnown = pod.status?.containerStatuses?.some((it) => it.state?.terminated !== undefined) === true;
  if (state.is !== "terminated" || state.exitCode !== 0 || isKnown) return report;
  const { exitCode, message } = work(pod, staging);
  return { ...report, state: { ...state, exitCode, message, reason: exitCode === 0 ? "Completed" : "Error" } };
}

interface End {
  readonly exitCode: number;
  readonly message: string;
}

function work({ spec }: Pod, staging: Staging): End {
  const [container] = spec?.containers ?? [];
  const [mount] = container?.volumeMounts ?? [];
  const claim = `pvc://${spec?.volumes?.[0]?.persistentVolumeClaim?.claimName}`;
  const args = container?.args ?? [];
  if (mount?.subPath === undefined) {
    const [, folder, ...files] = args;
    for (const file of files) staging.remove(`${claim}/${folder}/${file}`);
    return { exitCode: 0, message: "" };
  }
  const [, , from, , to, format, sum] = args;
  const found = staging.get(`${claim}/${mount.subPath}/${from}`);
  if (found === undefined || (sum !== "" && sum !== found.checksum)) {
    return { exitCode: badStaged, message: `the staged disk ${from} is not there` };
  }
  const content = new TextDecoder().decode(found.bytes).replace(/^.*\n/, "");
  const bytes = new TextEncoder().encode(`${format}\n${content}`);
  staging.put(`${claim}/${mount.subPath}/${to}`, bytes);
  return { exitCode: 0, message: `{"checksum":"${checksumOf(bytes)}","size":${bytes.length}}` };
}
