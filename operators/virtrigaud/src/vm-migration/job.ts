// The Jobs of a migration: one that converts what is staged, and one that removes it from a person's own claim (3.3). Pure.
import { boundedName, type Ms } from "@telltale/kinds";
import type { Job } from "@telltale/kinds/builtin";
import type { Provider, VMMigration } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { convertScript, removeScript } from "./scripts.ts";
import { claimFolder, claimName } from "./staging.ts";

/** What Jobs are made of: an image with qemu-img, and what runs a script for a POSIX shell in it. */
export interface JobTools {
  readonly image: string;
  readonly shell: readonly string[];
}

/** Known by their label: nobody else's Jobs and pods are looked at. */
export const jobPart = "migration-job";

/** A name that no other attempt at this or another export has. */
export const convertName = ({ metadata }: VMMigration, attempt: number, retries: number): string =>
  boundedName(`${metadata.name}-convert-${attempt}${retries === 0 ? "" : `-r${retries}`}`, 63, 10);

export const removeName = ({ metadata }: VMMigration): string => boundedName(`${metadata.name}-remove`, 63, 10);

export interface Conversion {
  readonly name: string;
  readonly from: { readonly file: string; readonly format: string };
  readonly to: { readonly file: string; readonly format: string };
  /** Of what was exported. Empty: nothing is compared. */
  readonly checksum: string;
  readonly deadline: Ms;
  /** Whose files they are. */
  readonly provider: Provider | undefined;
}

const mountPath = "/staging";
const resultPath = "/dev/termination-log";

/** It sees the folder of its migration and nothing else of the claim. */
export function convertJob(migration: VMMigration, tools: JobTools, it: Conversion): Job {
  const { from, to } = it;
  return jobOf(migration, tools, {
    ...it,
    script: convertScript,
    args: [mountPath, resultPath, from.file, from.format, to.file, to.format, it.checksum],
    subPath: claimFolder(migration),
  });
}

export interface Removal {
  readonly urls: readonly string[];
  readonly files: readonly string[];
  readonly provider: Provider | undefined;
}

/** As long as the deletion of a migration waits. */
const removalDeadline: Ms = 600_000;

/** It says which of the staged objects it removes. */
export function removeJob(migration: VMMigration, tools: JobTools, { urls, files, provider }: Removal): Job {
  return jobOf(migration, tools, {
    name: removeName(migration),
    script: removeScript,
    args: [mountPath, claimFolder(migration), ...files],
    deadline: removalDeadline,
    provider,
    notes: { [annotations.stagedObjects]: JSON.stringify(urls) },
  });
}

interface Shape {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly deadline: Ms;
  readonly provider: Provider | undefined;
  readonly subPath?: string;
  readonly notes?: Readonly<Record<string, string>>;
}

function jobOf(migration: VMMigration, { image, shell }: JobTools, it: Shape): Job {
  const marks = { [labels.part]: jobPart, [labels.managedBy]: "virtrigaud" };
  const { subPath, notes } = it;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: it.name,
      namespace: migration.metadata.namespace ?? "",
      labels: marks,
      ...(notes && { annotations: { ...notes } }),
    },
    spec: {
      // Whether it is tried again is for the migration to say. A pod that had to make room has not failed.
      backoffLimit: 0,
      podReplacementPolicy: "Failed",
      podFailurePolicy: {
        rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
      },
      activeDeadlineSeconds: Math.max(1, Math.ceil(it.deadline / 1_000)),
      template: {
        metadata: { labels: marks },
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: podSecurity(it.provider),
          containers: [
            {
              name: "work",
              image,
              command: [...shell, "-c", it.script, "migration"],
              args: [...it.args],
              resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              terminationMessagePath: resultPath,
              terminationMessagePolicy: "FallbackToLogsOnError",
              volumeMounts: [{ name: "staging", mountPath, ...(subPath !== undefined && { subPath }) }],
            },
          ],
          volumes: [{ name: "staging", persistentVolumeClaim: { claimName: claimName(migration) } }],
        },
      },
    },
  };
}

/** That of providers' pods where nothing else is said. */
const standardUser = 65_532;

/** The user whose files they are: those that the provider's pod writes are for nobody else. */
function podSecurity(provider: Provider | undefined) {
  const { runAsUser = standardUser, runAsGroup } = provider?.spec.runtime?.securityContext ?? {};
  return {
    runAsNonRoot: runAsUser !== 0,
    runAsUser,
    ...(runAsGroup !== undefined && { runAsGroup }),
    seccompProfile: { type: "RuntimeDefault" },
  };
}
