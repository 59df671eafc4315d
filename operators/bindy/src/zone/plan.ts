// What a pass is to do with a zone. Pure.
import { type SafeText, text } from "@telltale/status";
import { ownerOf } from "../bindcar/dns-name.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import { Bind9Instance as InstanceKind, specOf } from "../kinds/index.ts";
import { invalid, zoneSays } from "../messages.ts";
import { typeOf } from "../record/data.ts";
import { type Content, compile, zoneNameOf } from "./compile.ts";
import type { Transfers } from "./difference.ts";
import type { Owner } from "./in-place.ts";
import { addressIn, isUp, type Server } from "./pods.ts";
import type { PrimaryServer } from "./primaries.ts";
import type { SecondaryServer } from "./secondaries.ts";
import { signingProblem } from "./signing-keys.ts";
import { uidOf, type World } from "./world.ts";

export type Plan =
  | { readonly is: "invalid"; readonly said: SafeText } // the spec, or what it comes to, is refused: nothing is touched
  | { readonly is: "duplicate"; readonly said: SafeText } // another zone has the name
  | { readonly is: "homeless"; readonly said: SafeText } // no instance is for it
  | { readonly is: "headless" } // nobody would be its primary
  | { readonly is: "mirror"; readonly name: string; readonly secondaries: readonly SecondaryServer[] } // its primaries are not ours
  | ({ readonly is: "publish" } & Publishing);

export interface Publishing {
  readonly name: string;
  readonly content: Content;
  /** What records had in the zone when it was last said. */
  readonly before: readonly Owner[];
  readonly least: number;
  readonly primaries: readonly PrimaryServer[];
  readonly secondaries: readonly SecondaryServer[];
  readonly transfers: Transfers;
}

export function plan(world: World): Plan {
  const { zone, checked, owners, targets } = world;
  if (checked.at === "invalid") return { is: "invalid", said: invalid(checked.path, checked.problem) };
  const { spec } = checked;
  const name = zoneNameOf(spec);
  if (owners.length > 0) return { is: "duplicate", said: zoneSays.duplicate(name, owners) };
  const { primaries, secondaries } = targets;
  if (primaries.length + secondaries.length === 0) return { is: "homeless", said: whyHomeless(targets.refused) };
  const following = secondaryServers(world);
  if (primaries.length === 0) {
    const isMirrored = secondaries.every((it) => primaryServersOf(it).length > 0);
    return isMirrored ? { is: "mirror", name, secondaries: following } : { is: "headless" };
  }
  const keyProblem = signingProblem(primaries.map((it) => world.signing.get(uidOf(it))));
  if (keyProblem !== undefined) return { is: "invalid", said: invalid("spec.dnssecPolicy", keyProblem) };
  const { namespace = "", name: object = "" } = zone.metadata;
  const compiled = compile({
    zone: { namespace, name: object },
    spec,
    addresses: world.addresses,
    records: world.records,
  });
  if (compiled.is === "refused") return { is: "invalid", said: invalid(compiled.field, compiled.why) };
  return {
    is: "publish",
    name,
    content: compiled,
    before: saidBefore(world, name),
    least: spec.soaRecord.serial,
    primaries: primaryServers(world),
    secondaries: following,
    transfers: transfersOf(world),
  };
}

/** Under which names and types records may be on a server that does not list what it has. */
function saidBefore({ records, released, ending }: World, zone: string): readonly Owner[] {
  return [...records, ...released, ...ending].flatMap((record) => {
    const names = [...new Set([record.status?.publishedName, record.spec?.name])];
    return names.flatMap((name) => {
      const owner = name == null ? undefined : ownerOf(name, zone);
      return owner === undefined ? [] : [{ name: owner, type: typeOf(record) }];
    });
  });
}

const whyHomeless = (refused: number): SafeText =>
  refused === 0
    ? text`No instance matches the zone`
    : text`${refused} instance(s) match the zone and do not allow its namespace`;

/** The servers of these instances, in one order whatever order they were found in. */
function serversOf({ servers }: World, instances: readonly Bind9Instance[]) {
  return instances.flatMap((instance) => (servers.get(uidOf(instance)) ?? []).map((server) => ({ instance, server })));
}

function primaryServers(world: World): readonly PrimaryServer[] {
  return serversOf(world, world.targets.primaries).flatMap(({ instance, server }) => {
    const dnssecPolicy = world.signing.get(uidOf(instance))?.policy;
    return isUp(server) ? [{ ...server, ...(dnssecPolicy !== undefined && { dnssecPolicy }) }] : [];
  });
}

function secondaryServers(world: World): readonly SecondaryServer[] {
  const ours = endpoints(serversOf(world, world.targets.primaries).map(({ server }) => server));
  const services = [...new Set(world.services.values())].sort();
  return serversOf(world, world.targets.secondaries).flatMap(({ instance, server }) => {
    const primaries = [...new Set([...ours, ...primaryServersOf(instance)])].sort();
    return isUp(server) ? [{ ...server, primaries, services }] : [];
  });
}

/** All secondaries that have an address: one whose Bindcar is down still asks for the zone. */
function transfersOf(world: World): Transfers {
  const alsoNotify = endpoints(serversOf(world, world.targets.secondaries).map(({ server }) => server));
  return { alsoNotify, allowTransfer: [...new Set(alsoNotify.map(addressIn))].sort() };
}

const endpoints = (servers: readonly Server[]): readonly string[] =>
  [...new Set(servers.flatMap(({ dns }) => dns ?? []))].sort();

const primaryServersOf = (instance: Bind9Instance): readonly string[] =>
  specOf(InstanceKind, instance).primaryServers ?? [];
