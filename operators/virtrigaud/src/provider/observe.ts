// Looks at everything that a provider depends on. Only reads.

import { sha256Hex } from "@telltale/kinds";
import { Deployment, PersistentVolumeClaim, Pod, Service } from "@telltale/kinds/builtin";
import type { Look, MapLook } from "@telltale/runtime";
import { vmsByProvider } from "../indexes.ts";
import { type ObjectRef, type Provider, VirtualMachine, VMClass, VMMigration } from "../kinds/index.ts";
import type { KnownSecrets, Tls } from "../known-secrets.ts";
import { annotations, labels } from "../names.ts";
import { isOpenTo, resolve } from "../references.ts";
import type { ExternalEndpoints } from "./external.ts";
import type { HealthProbe } from "./probe.ts";
import { runtimeName, selectorOf } from "./runtime-names.ts";
import type { ProviderSettings } from "./settings.ts";
import type { Sightings } from "./sightings.ts";
import { tlsPosture } from "./tls.ts";
import { usedBy } from "./usage.ts";
import { type External, wantedOf } from "./wanted.ts";
import type { Claim, Machines, World } from "./world.ts";

export interface Senses {
  readonly settings: ProviderSettings;
  readonly sightings: Sightings;
  readonly secrets: KnownSecrets;
  readonly probe: HealthProbe;
  /** Where an endpoint outside may be reached: the address, or why not (7.4). */
  readonly external: ExternalEndpoints["of"];
}

/** Machines by the key of their provider. */

export async function observe(it: Provider, look: Look, senses: Senses): Promise<World> {
  const { namespace = "" } = it.metadata;
  const place = { namespace, name: runtimeName(it) };
  const credentials = it.spec.credentialSecretRef?.name ?? "";
  return {
    it,
    wanted: wantedOf(it, {
      hasCredentials: credentials !== "" && (await senses.secrets.has({ namespace, name: credentials }, look)),
      tls: await tlsOf(it, look, senses),
      external: await externalOf(it, senses),
    }),
    deployment: ownOf(it, look.get(Deployment, place)),
    service: ownOf(it, look.get(Service, place)),
    claims: claimsOf(look, namespace),
    transfers: transfersOf(it, look),
    pods: podsOf(it, look),
    machines: machinesOf(it, look, senses.settings),
    probed: look.polled(senses.probe),
    made: {},
  };
}

/** Read only where there is something to read. Of other Secrets nobody looks at more than that they are there (7.1). */
async function tlsOf(it: Provider, look: Look, { secrets }: Senses): Promise<Tls | undefined> {
  const posture = tlsPosture(it);
  return posture.is === "undecided" || posture.is === "secretless" ? undefined : secrets.of(it, look);
}

/** Where it runs already, if it does and that counts. */
function externalEndpoint({ metadata }: Provider, { allowExternalProviderEndpoints }: ProviderSettings) {
  return allowExternalProviderEndpoints ? metadata.annotations?.[annotations.runtimeEndpoint] : undefined;
}

async function externalOf(it: Provider, { settings, external }: Senses): Promise<External | undefined> {
  const endpoint = externalEndpoint(it, settings);
  return endpoint === undefined ? undefined : external(it.metadata.uid ?? "", endpoint, it.status?.runtime?.endpoint);
}

type Owned = { readonly metadata?: { readonly ownerReferences?: readonly { readonly uid: string }[] } };

/** Somebody else's object of the same name tells nothing about this one. */
export function ownOf<T extends Owned>(it: Provider, object: T | undefined): T | undefined {
  return object?.metadata?.ownerReferences?.some(({ uid }) => uid === it.metadata.uid) ? object : undefined;
}

/** A claim that is going away is never mounted: it and the new pods would wait for each other (L-13). */
function claimsOf(look: Look, namespace: string): readonly Claim[] {
  return look
    .list(PersistentVolumeClaim, { namespace })
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ metadata, spec }) => ({
      name: metadata?.name ?? "",
      migration: `${namespace}/${metadata?.labels?.[labels.migration] ?? ""}`,
      isShared: spec?.accessModes?.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany") === true,
    }));
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ""}/${name}`;

/** The key of the provider that a reference leads to. */
export function referred(ref: ObjectRef, from: string | undefined): string {
  const { namespace, name } = resolve(ref, from ?? "");
  return keyOf(namespace, name);
}

/** An export works at the source, an import at the target. */
function transfersOf(it: Provider, look: Look): readonly string[] {
  const key = keyOf(it.metadata.namespace, it.metadata.name ?? "");
  return look
    .list(VMMigration)
    .filter((migration) => providerAtWork(migration, look) === key)
    .map(({ metadata }) => keyOf(metadata.namespace, metadata.name ?? ""));
}

export function providerAtWork(
  { metadata, spec, status }: VMMigration,
  look: Pick<MapLook, "get">,
): string | undefined {
  const { namespace } = metadata;
  if (status?.phase === "Importing") return referred(spec.target.providerRef, namespace);
  if (status?.phase !== "Exporting") return undefined;
  if (spec.source.providerRef !== undefined) return referred(spec.source.providerRef, namespace);
  const machine = look.get(VirtualMachine, { namespace: namespace ?? "", name: spec.source.vmRef.name });
  return machine === undefined ? undefined : referred(machine.spec.providerRef, machine.metadata.namespace);
}

function podsOf(it: Provider, look: Look): string {
  const pods = look.list(Pod, { namespace: it.metadata.namespace ?? "", labels: { matchLabels: selectorOf(it) } });
  const ready = pods.filter(
    ({ metadata, status }) =>
      metadata?.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
  );
  const lives = ready.map(({ metadata, status }) => {
    const restarts = (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
    return `${metadata?.uid} ${restarts}`;
  });
  return sha256Hex(lives.join("\n"), 16);
}

function machinesOf(it: Provider, look: Look, settings: ProviderSettings): Machines {
  const machines = referringTo(it, look, settings);
  return {
    count: machines.filter(({ status }) => (status?.id ?? "") !== "").length,
    hasConsole: machines.some(({ status }) => (status?.consoleURL ?? "") !== ""),
    used: usedBy(machines, ({ metadata, spec }) => look.get(VMClass, resolve(spec.classRef, metadata.namespace ?? ""))),
  };
}

/**
 * The machines of a provider. One in a namespace that may not refer to it counts only if it exists: nobody keeps somebody else's
 * Provider from being deleted by naming it.
 */
export function referringTo(
  it: Provider,
  look: Pick<MapLook, "where">,
  settings: ProviderSettings,
): readonly VirtualMachine[] {
  const key = keyOf(it.metadata.namespace, it.metadata.name ?? "");
  return look.where(VirtualMachine, vmsByProvider.name, key).filter((machine) => counts(machine, it, settings));
}

/** The same as the server has it now: of a machine that came a moment ago nobody may have been told yet. */
export async function referringNow(it: Provider, { server }: Pick<Look, "server">, settings: ProviderSettings) {
  const key = keyOf(it.metadata.namespace, it.metadata.name ?? "");
  const found: VirtualMachine[] = [];
  for (const where of settings.namespaces?.map((namespace) => ({ namespace })) ?? [{}]) {
    for await (const machine of server.all(VirtualMachine, where)) {
      const { spec, metadata } = machine;
      if (referred(spec.providerRef, metadata.namespace) === key && counts(machine, it, settings)) found.push(machine);
    }
  }
  return found;
}

const counts = ({ metadata, status }: VirtualMachine, it: Provider, settings: ProviderSettings): boolean =>
  (status?.id ?? "") !== "" || mayRefer(it, metadata.namespace ?? "", settings);

const mayRefer = (it: Provider, namespace: string, { allowCrossNamespaceRefs }: ProviderSettings): boolean =>
  namespace === it.metadata.namespace || allowCrossNamespaceRefs || isOpenTo(it, namespace);
