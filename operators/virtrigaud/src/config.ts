// How the operator is set up: every setting of its own, read once at the start (8.1).
import { type Env, type Rate, type Replicas, Settings } from "@telltale/runtime";
import { parseAllowed } from "./addresses.ts";
import { leaseName } from "./names.ts";
import type { JobTools } from "./vm-migration/job.ts";

export interface Config {
  /** The namespaces that are watched; absent: all. */
  readonly namespaces?: readonly string[];
  /** Whether objects of other namespaces can be referred to without their leave. */
  readonly allowCrossNamespaceRefs: boolean;
  /** Whether the annotation `virtrigaud.io/runtime-endpoint` counts. */
  readonly allowExternalProviderEndpoints: boolean;
  /** Whether two conditions of a Provider are also there under their old names. */
  readonly legacyProviderConditions: boolean;
  /** Addresses and networks that storage, images and hooks may be at. Empty: any but those that nobody may be sent to. */
  readonly allowedHosts: readonly string[];
  /** What converts staged disks, and removes them from people's claims. Absent: nobody does. */
  readonly migrationJobs?: JobTools;
  /** Nothing is asked of a provider that would change anything. */
  readonly dryRun: boolean;
  /** Passes at a time, by kind. */
  readonly workers: Workers;
  readonly process: ProcessConfig;
}

/** What belongs to the process and not to the work. */
export interface ProcessConfig {
  readonly replicas: Replicas;
  /** Requests to the API server. */
  readonly rate: Rate;
}

const standardWorkers = {
  VirtualMachine: 10,
  Provider: 5,
  VMMigration: 3,
  VMSnapshot: 5,
  VMClone: 3,
  VMSet: 3,
  VMImage: 2,
  VMClass: 1,
  VMNetworkAttachment: 1,
  VMPlacementPolicy: 1,
} as const;

export type Workers = Readonly<Record<keyof typeof standardWorkers, number>>;

/** The configuration that these variables name, or everything that is wrong with them. */
export function configFrom(env: Env): { readonly config: Config } | { readonly errors: readonly string[] } {
  const settings = new Settings(env);
  const config = read(settings);
  return settings.result("virtrigaud", config);
}

function read(settings: Settings): Config {
  const namespaces = settings.namespaces("VIRTRIGAUD_WATCH_NAMESPACES");
  const migrationJobs = jobsIn(settings);
  return {
    ...(migrationJobs !== undefined && { migrationJobs }),
    ...(namespaces !== undefined && { namespaces }),
    allowCrossNamespaceRefs: settings.flag("VIRTRIGAUD_ALLOW_CROSS_NAMESPACE_REFS", false),
    allowExternalProviderEndpoints: settings.flag("VIRTRIGAUD_ALLOW_EXTERNAL_PROVIDER_ENDPOINTS", false),
    legacyProviderConditions: settings.flag("VIRTRIGAUD_LEGACY_PROVIDER_CONDITIONS", false),
    allowedHosts: hostsIn(settings),
    dryRun: settings.flag("VIRTRIGAUD_DRY_RUN", false),
    workers: workersIn(settings),
    process: {
      replicas: replicasIn(settings),
      rate: {
        perSecond: settings.integer("VIRTRIGAUD_KUBE_QPS", 20, { least: 1, most: 10_000 }),
        burst: settings.integer("VIRTRIGAUD_KUBE_BURST", 40, { least: 1, most: 10_000 }),
      },
    },
  };
}

function replicasIn(settings: Settings): Replicas {
  const [namespace = "virtrigaud-system"] = settings.namespaces("POD_NAMESPACE") ?? [];
  const lease = settings.subdomain("VIRTRIGAUD_LEASE_NAME") ?? leaseName;
  const identity = settings.text("POD_NAME") ?? settings.text("HOSTNAME");
  if (!settings.flag("VIRTRIGAUD_LEADER_ELECT", true)) return { as: "one" };
  return { as: "lease", namespace, lease, ...(identity !== undefined && { identity }) };
}

/** An image, and the words that run a script in it. */
function jobsIn(settings: Settings): JobTools | undefined {
  const [imageName, shellName] = ["VIRTRIGAUD_MIGRATION_JOB_IMAGE", "VIRTRIGAUD_MIGRATION_JOB_SHELL"] as const;
  const image = settings.text(imageName);
  const shell = settings.text(shellName);
  if (image !== undefined && /\s/.test(image))
    settings.refuse(imageName, image, "is no name of an image", "write it as in example/qemu-img:1.0");
  if (image === undefined && shell !== undefined)
    settings.refuse(shellName, shell, `is of no use without ${imageName}`, "set both, or none");
  const words = (shell ?? "sh").split(/\s+/).filter((word) => word !== "");
  return image === undefined ? undefined : { image, shell: words };
}

/** `VirtualMachine=20,Provider=2`. */
function workersIn(settings: Settings): Workers {
  const name = "VIRTRIGAUD_MAX_CONCURRENT_RECONCILES";
  const text = settings.text(name);
  const workers: Record<keyof Workers, number> = { ...standardWorkers };
  for (const part of text?.split(",") ?? []) {
    const [kind = "", count = ""] = part.trim().split("=");
    const number = /^\d{1,3}$/.test(count) ? Number(count) : 0;
    if (isKind(kind) && number > 0) workers[kind] = number;
    else settings.refuse(name, part, "is no kind with a number", "write VirtualMachine=20,Provider=2");
  }
  return workers;
}

const isKind = (name: string): name is keyof Workers => Object.hasOwn(standardWorkers, name);

/** A wrong entry stops the process: it would let in too much, or too little. */
function hostsIn(settings: Settings): readonly string[] {
  const name = "VIRTRIGAUD_MIGRATION_STORAGE_ALLOWED_HOSTS";
  const all = (settings.text(name) ?? "").split(",").flatMap((it) => (it.trim() === "" ? [] : [it.trim()]));
  for (const it of all) {
    if (parseAllowed(it).is === "wrong")
      settings.refuse(name, it, "is no address and no network", "write 10.0.0.0/8 or 192.0.2.10");
  }
  return all;
}

/** What the operator does when nothing is set. */
export const standardConfig: Config = read(new Settings({}));
