// What has to be so before a migration begins, as far as Kubernetes tells (3.3, V4 to V13). Pure.
import { type SafeText, text } from "@telltale/status";
import type { Provider, VMMigration } from "../kinds/index.ts";
import { VMMigration as kind } from "../kinds/index.ts";
import type { ReportedCapabilities } from "../kinds/provider.ts";
import { durationProblems } from "../validate/durations.ts";
import { nfsProblems } from "../validate/nfs.ts";
import { toldAll } from "../validate/problem.ts";
import { placeOf } from "./target.ts";
import type { Problem, World } from "./world.ts";

const invalid = (why: SafeText): Problem => ({ reason: "ValidationFailed", why });

/** What is wrong with the spec by itself: V9, the addresses of V12, and lengths that are none. */
export function specProblem(migration: VMMigration): Problem | undefined {
  const lengths = toldAll(durationProblems(kind, migration.spec));
  if (lengths !== undefined) return invalid(lengths);
  const { name } = placeOf(migration);
  if (name.length > 63) return invalid(text`spec.target.name has ${name.length} characters: a hypervisor takes 63`);
  const why = storageProblem(migration);
  return why === undefined ? undefined : invalid(why);
}

function storageProblem({ metadata, spec }: VMMigration): SafeText | undefined {
  const { storage } = spec;
  if (storage === undefined) return text`spec.storage: a transfer needs storage that both providers reach`;
  const { type, pvc, s3, nfs, transferMode = "auto" } = storage;
  const given = { pvc, s3, nfs };
  if (given[type] === undefined) return text`spec.storage.${type}: spec.storage.type names it, and it is absent`;
  const others = Object.entries(given).filter(([name, block]) => name !== type && block !== undefined);
  if (others.length > 0)
    return text`spec.storage: ${others.map(([name]) => name).join(" and ")} is not of type ${type}`;
  if (transferMode === "direct" && type !== "nfs") {
    return text`spec.storage.transferMode: no provider transfers directly over ${type}; use relay or auto`;
  }
  if (pvc !== undefined && pvc.name === undefined && (pvc.storageClassName === undefined || pvc.size === undefined)) {
    return text`spec.storage.pvc: give name, or storageClassName and size`;
  }
  const { namespace = metadata.namespace, name } = s3?.credentialsSecretRef ?? { name: "" };
  if (s3 !== undefined && namespace !== "" && namespace !== metadata.namespace) {
    return text`spec.storage.s3.credentialsSecretRef: Secret ${name} has to be in the namespace of the migration`;
  }
  return nfs === undefined ? undefined : toldAll(nfsProblems(nfs));
}

/** V10, V11 and V13: whether the two providers can do this together. */
export function pairProblem({ migration, from, to }: World): Problem | undefined {
  const [source, target] = [from.channel.provider, to.channel.provider];
  const why = abilityProblem(migration, source, target);
  if (why !== undefined) return { reason: "UnsupportedByProvider", why };
  const { namespace = "" } = migration.metadata;
  if (migration.spec.storage?.type !== "pvc") return undefined;
  const apart = [from.at, to.at].find((it) => it.namespace !== namespace);
  return apart === undefined
    ? undefined
    : invalid(
        text`a claim needs the migration and both providers in one namespace: Provider ${apart.namespace}/${apart.name} is elsewhere`,
      );
}

function abilityProblem(migration: VMMigration, source?: Provider, target?: Provider): SafeText | undefined {
  const { type = "pvc", transferMode = "auto" } = migration.spec.storage ?? {};
  const sides = [
    { provider: source, way: "export", reported: source?.status?.reportedCapabilities },
    { provider: target, way: "import", reported: target?.status?.reportedCapabilities },
  ] as const;
  for (const { provider, way, reported } of sides) {
    // A provider that has not said anything yet is asked itself.
    if (reported === undefined) continue;
    const name = provider?.metadata.name ?? "";
    const can = way === "export" ? reported.supportsDiskExport : reported.supportsDiskImport;
    if (can === false) return text`Provider ${name} cannot ${way} disks`;
    const backends = backendsOf(reported, way);
    if (!backends.includes(type)) {
      return text`Provider ${name} cannot ${way} disks over ${type}; it can over ${backends.join(", ")}`;
    }
    const modes = listOr(reported.supportedTransferModes, "relay");
    if (type !== "nfs" && transferMode !== "auto" && !modes.includes(transferMode)) {
      return text`Provider ${name} cannot transfer by ${transferMode}; it can by ${modes.join(", ")}`;
    }
  }
  return undefined;
}

const listOr = (list: readonly string[] | undefined, standard: string): readonly string[] =>
  list === undefined || list.length === 0 ? [standard] : list;

const backendsOf = (reported: ReportedCapabilities, way: "export" | "import"): readonly string[] =>
  listOr(way === "export" ? reported.supportedExportBackends : reported.supportedImportBackends, "pvc");

/** Whether the target reads what is staged. An empty list says nothing. */
export function readsFormat(provider: Provider | undefined, format: string): boolean {
  const formats = provider?.status?.reportedCapabilities?.supportedImportFormats ?? [];
  return formats.length === 0 || formats.includes(format);
}
