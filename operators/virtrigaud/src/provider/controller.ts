// The controller of Providers: what it owns and watches, and its steps in a row.

import type { Clock } from "@telltale/clock";
import { deepEqual } from "@telltale/kinds";
import { Deployment, PersistentVolumeClaim, Pod, Secret, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook, type Name } from "@telltale/runtime";
import { vmsByProvider } from "../indexes.ts";
import { Provider, VirtualMachine, VMClass, VMMigration } from "../kinds/index.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { Links } from "../link/links.ts";
import { fieldManager, labels } from "../names.ts";
import { act, pending } from "./act.ts";
import { finalize } from "./deletion.ts";
import type { ExternalEndpoints } from "./external.ts";
import { observe, providerAtWork, referred, type Senses } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { healthProbe } from "./probe.ts";
import { appName, selectorOf } from "./runtime-names.ts";
import type { ProviderSettings } from "./settings.ts";
import { Sightings } from "./sightings.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

interface ProviderTools {
  readonly settings: ProviderSettings;
  readonly links: Links;
  readonly tls: KnownSecrets;
  readonly clock: Clock;
  readonly external: ExternalEndpoints;
}

const ours = { label: `${labels.name}=${appName}` };

export function providers({ settings, links, tls, clock, external }: ProviderTools): Controller {
  const sightings = new Sightings();
  const probe = healthProbe({ links, sightings, clock });
  const senses: Senses = { settings, sightings, secrets: tls, probe, external: external.of };
  return controller(Provider, "provider")
    .on("generation", "deletion", "labels", "annotations", "finalizers")
    .owns(Deployment, { ...ours, changed: isOtherPart })
    .owns(Service, { ...ours, changed: isOtherPart })
    .watches(PersistentVolumeClaim, ({ old, new: next }, look) => providersIn(next ?? old, look), {
      label: `${labels.part}=migration-storage`,
      changed: (a, b) =>
        a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp ||
        !deepEqual(a.metadata?.labels, b.metadata?.labels),
    })
    .watches(VirtualMachine, ({ old, new: next }) => [...providerOf(old), ...providerOf(next)], {
      changed: isOtherUse,
      delay: 1_000,
    })
    .watches(VMMigration, ({ old, new: next }, look) => [...workingFor(old, look), ...workingFor(next, look)], {
      changed: (a, b) => a.status?.phase !== b.status?.phase,
    })
    .watches(Pod, ({ old, new: next }, look) => providersOf(next ?? old, look), { ...ours, changed: isOtherLife })
    .reads(VMClass)
    .gets(Secret)
    .index(VirtualMachine, vmsByProvider.name, vmsByProvider.values)
    .polls(probe)
    .finalize((it, hands, draft) => finalize(it, hands, draft, { links, settings }))
    .gone(({ metadata }) => {
      sightings.forget(metadata.uid ?? "");
      links.drop(metadata.namespace ?? "", metadata.name ?? "");
      tls.forget(metadata.namespace ?? "", metadata.name ?? "");
      external.forget(metadata.uid ?? "");
    })
    .checkpoints(pending)
    .events("none")
    .status({ as: "patch", fieldManager })
    .workers(settings.workers)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
    .reconcile<World, Plan>({
      observe: (it, look) => observe(it, look, senses),
      plan,
      act: (planned, hands, world) => act(planned, hands, world, senses),
      status: (world, draft, now) => status(world, draft, now, settings),
    });
}

interface Part {
  readonly metadata?: { readonly deletionTimestamp?: string; readonly labels?: object; readonly annotations?: object };
  readonly spec?: unknown;
  readonly status?: unknown;
}

const isOtherPart = (a: Part, b: Part): boolean =>
  !deepEqual(a.spec, b.spec) ||
  !deepEqual(a.status, b.status) ||
  !deepEqual(a.metadata?.labels, b.metadata?.labels) ||
  a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp;

/** What counts for the sums of a provider. */
const isOtherUse = (a: VirtualMachine, b: VirtualMachine): boolean =>
  !deepEqual(a.spec.providerRef, b.spec.providerRef) ||
  !deepEqual(a.spec.disks, b.spec.disks) ||
  a.status?.id !== b.status?.id ||
  a.status?.consoleURL !== b.status?.consoleURL ||
  !deepEqual(a.status?.currentResources, b.status?.currentResources);

/** A container that began anew, or became ready. */
const isOtherLife = (a: Pod, b: Pod): boolean =>
  !deepEqual(a.status?.conditions, b.status?.conditions) ||
  !deepEqual(a.status?.containerStatuses, b.status?.containerStatuses) ||
  a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp;

const nameOf = ({ metadata }: Provider): Name => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });

const providersIn = (claim: PersistentVolumeClaim | undefined, look: MapLook): readonly Name[] =>
  look.list(Provider, { namespace: claim?.metadata?.namespace ?? "" }).map(nameOf);

function providersOf(pod: Pod | undefined, look: MapLook): readonly Name[] {
  const { namespace = "", labels: on = {} } = pod?.metadata ?? {};
  const found = look
    .list(Provider, { namespace })
    .filter((it) => selectorOf(it)[labels.instance] === on[labels.instance]);
  return found.map(nameOf);
}

const named = (key: string): Name => {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
};

const providerOf = (machine: VirtualMachine | undefined): readonly Name[] =>
  machine === undefined ? [] : [named(referred(machine.spec.providerRef, machine.metadata.namespace))];

function workingFor(migration: VMMigration | undefined, look: MapLook): readonly Name[] {
  const key = migration === undefined ? undefined : providerAtWork(migration, look);
  return key === undefined ? [] : [named(key)];
}
