// Whether a DNSZone can be published as it stands: before any request to Bindcar, and whatever the server let through (12.2).
import { text } from "@telltale/status";
import { addressOf } from "../bindcar/address.ts";
import { hostOf, zoneNameOf } from "../bindcar/dns-name.ts";
import { DNSZone, type DNSZoneSpec } from "../kinds/dns-zone.ts";
import { type Checked, checked, each, type Problem, twice, unless } from "./problem.ts";

export function checkZone(zone: DNSZone): Checked<DNSZoneSpec> {
  const said = known.get(zone) ?? check(zone);
  known.set(zone, said);
  return said;
}

/** Every pod that waits for its zones looks at all of them. What a cache holds never changes. */
const known = new WeakMap<DNSZone, Checked<DNSZoneSpec>>();

function check(zone: DNSZone): Checked<DNSZoneSpec> {
  return checked(DNSZone, zone, function* (spec) {
    const isZone = zoneNameOf(spec.zoneName) !== undefined;
    yield* unless(isZone, "spec.zoneName", text`is not the name of a zone`);
    yield* hostProblems("spec.soaRecord.primaryNs", spec.soaRecord.primaryNs);
    yield* hostProblems("spec.soaRecord.adminEmail", spec.soaRecord.adminEmail);
    yield* targetProblems(spec);
    yield* serverProblems(spec);
  });
}

const named = (reference: string | undefined): boolean => reference !== undefined && reference !== "";

function* targetProblems({ clusterRef, globalClusterRef, bind9InstancesFrom = [] }: DNSZoneSpec): Iterable<Problem> {
  const hasTarget = named(clusterRef) || named(globalClusterRef) || bind9InstancesFrom.length > 0;
  yield* unless(hasTarget, "spec", text`has none of clusterRef, globalClusterRef and bind9InstancesFrom`);
}

function* serverProblems({ nameServers, nameServerIps = {} }: DNSZoneSpec): Iterable<Problem> {
  yield* each("spec.nameServers", nameServers, function* ({ hostname, ipv4Address, ipv6Address }, path) {
    yield* hostProblems(`${path}.hostname`, hostname);
    yield* addressProblems(`${path}.ipv4Address`, ipv4Address, 4);
    yield* addressProblems(`${path}.ipv6Address`, ipv6Address, 6);
  });
  const names = (nameServers ?? []).map(({ hostname }) => hostname.toLowerCase());
  yield* twice("spec.nameServers", names, "hostname");
  for (const [name, address] of Object.entries(nameServerIps)) {
    yield* hostProblems("spec.nameServerIps", name.endsWith(".") ? name : `${name}.`);
    yield* addressProblems("spec.nameServerIps", address, 4);
  }
}

function* hostProblems(path: string, name: string): Iterable<Problem> {
  yield* unless(hostOf(name) !== undefined, path, text`is not the name of a host with a dot at its end`);
}

function* addressProblems(path: string, address: string | undefined, family: 4 | 6): Iterable<Problem> {
  const isAddress = address === undefined || addressOf(address)?.family === family;
  yield* unless(isAddress, path, text`is not an IPv${family} address`);
}
