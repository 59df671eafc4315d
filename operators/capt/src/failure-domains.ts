// The failure domains that a run puts out, in one of the two shapes that Cluster API reads (CC-6, 10.4). Pure.
import type { FailureDomain, FailureDomainList, FailureDomainMap, FailureDomains } from "./kinds/capt-cluster.ts";

/** A map for contract v1beta1 of Cluster API, a list for v1beta2: each fails on the other. */
export type DomainShape = "map" | "list";

/** What was found. */
export type FoundDomains =
  | { readonly is: "none" }
  | { readonly is: "malformed"; readonly key: string } // left out, and never a reason not to be ready
  | { readonly is: "found"; readonly domains: FailureDomainMap };

const most = 100;

/** The first of the outputs that is there counts. */
export function domainsFrom(output: (name: string) => unknown): FoundDomains {
  const given = output("failure_domains");
  if (given !== undefined) return read("failure_domains", given, named);
  for (const key of ["availability_zones", "azs"]) {
    const zones = output(key);
    if (zones !== undefined) return read(key, zones, listed);
  }
  return { is: "none" };
}

/** Undefined where there are none: neither shape may be empty. */
export function shaped(domains: FailureDomainMap, shape: DomainShape): FailureDomains | undefined {
  const names = Object.keys(domains).sort().slice(0, most);
  if (names.length === 0) return undefined;
  if (shape === "map") return Object.fromEntries(names.map((name) => [name, domains[name] ?? {}]));
  return names.map((name) => ({ name, ...domains[name] }));
}

/** What a status holds, in the shape that is wanted now. */
export function reshaped(stored: FailureDomains | undefined, shape: DomainShape): FailureDomains | undefined {
  if (stored === undefined) return undefined;
  if (!isList(stored)) return shaped(stored, shape);
  return shaped(Object.fromEntries(stored.map(({ name, ...domain }) => [name, domain])), shape);
}

const isList = (value: FailureDomains): value is FailureDomainList => Array.isArray(value);

function read(key: string, given: unknown, of: (value: unknown) => FailureDomainMap | undefined): FoundDomains {
  const domains = of(typeof given === "string" ? parsed(given) : given);
  return domains === undefined ? { is: "malformed", key } : { is: "found", domains };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listed(value: unknown): FailureDomainMap | undefined {
  if (!Array.isArray(value) || !value.every(isName)) return undefined;
  return Object.fromEntries(value.map((name) => [name, { controlPlane: true }]));
}

function named(value: unknown): FailureDomainMap | undefined {
  if (!isRecord(value)) return undefined;
  const domains: [string, FailureDomain][] = [];
  for (const [name, domain] of Object.entries(value)) {
    const { controlPlane, attributes } = isRecord(domain) ? domain : { controlPlane: 0, attributes: 0 };
    if (!isName(name) || !(controlPlane === undefined || typeof controlPlane === "boolean")) return undefined;
    if (!(attributes === undefined || isTexts(attributes))) return undefined;
    domains.push([
      name,
      { ...(controlPlane === undefined ? {} : { controlPlane }), ...(attributes === undefined ? {} : { attributes }) },
    ]);
  }
  return Object.fromEntries(domains);
}

const isName = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 256;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((it) => typeof it === "string");
