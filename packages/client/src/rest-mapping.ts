// What a server has: its groups, versions and resources, asked for at run time. Two requests where the server knows
// aggregated discovery (1.26 and newer), else one per version.
import type { KindRef, Scope } from "@telltale/kinds";
import { isNotFound } from "./errors.ts";
import type { Client } from "./verbs.ts";

/** A resource as the server has it: a kind value without a type, and what can be done with it. */
export interface Discovered extends KindRef {
  readonly verbs: readonly string[];
}

/** What to look for: a kind or a resource by any of its names, in a group, in a version or in the preferred one. */
export interface Wanted {
  readonly group?: string;
  readonly version?: string;
  /** `Deployment`, `deployments`, `deployment` or `deploy`. */
  readonly name: string;
}

export interface RestMapping {
  /** All of them, in the server's order of preference. */
  readonly resources: readonly Discovered[];
  /** Groups and versions that could not be asked for: an aggregated API whose server is away. */
  readonly failed: readonly string[];
  find(wanted: Wanted): Discovered | undefined;
}

const aggregated = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat("application/json")
  .join(",");

/** Asks the server what it has. */
export async function discover(client: Client, options: { readonly signal?: AbortSignal } = {}): Promise<RestMapping> {
  const ask = async (path: string, accept: string): Promise<unknown> => {
    const answer = await client.request({ method: "GET", path, headers: { accept }, ...options });
    return JSON.parse(answer.text) as unknown;
  };
  const parts = await Promise.all(
    ["/api", "/apis"].map(async (root) => {
      const answer = await ask(root, aggregated);
      return isAggregated(answer)
        ? fromAggregated(answer)
        : fromLegacy(answer, (path) => ask(path, "application/json"));
    }),
  );
  return mapping(
    parts.flatMap((part) => part.resources),
    parts.flatMap((part) => part.failed),
  );
}

export function mapping(resources: readonly Discovered[], failed: readonly string[] = []): RestMapping {
  return {
    resources,
    failed,
    find({ group, version, name }) {
      const lower = name.toLowerCase();
      const inPlace = resources.filter(
        (it) => (group === undefined || it.group === group) && (version === undefined || it.version === version),
      );
      const by = (test: (it: Discovered) => boolean) => inPlace.find(test);
      return (
        by((it) => it.kind === name) ??
        by((it) => it.plural === lower || it.singular === lower) ??
        by((it) => it.shortNames.includes(lower))
      );
    },
  };
}

interface Part {
  readonly resources: readonly Discovered[];
  readonly failed: readonly string[];
}

interface Aggregated {
  readonly kind: "APIGroupDiscoveryList";
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly AggregatedResource[];
    }[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string };
  readonly scope: Scope;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

const isAggregated = (answer: unknown): answer is Aggregated =>
  (answer as { kind?: string } | null)?.kind === "APIGroupDiscoveryList";

function fromAggregated({ items = [] }: Aggregated): Part {
  const versions = items.flatMap(({ metadata, versions = [] }) =>
    versions.map((version) => ({ group: metadata?.name ?? "", ...version })),
  );
  return {
    resources: versions.flatMap(({ group, version, resources = [] }) =>
      resources.map((it) =>
        discovered({
          group,
          version,
          kind: it.responseKind?.kind ?? "",
          plural: it.resource,
          singular: it.singularResource,
          scope: it.scope,
          verbs: it.verbs,
          shortNames: it.shortNames,
          categories: it.categories,
          subresources: (it.subresources ?? []).map(({ subresource }) => subresource),
        }),
      ),
    ),
    failed: versions.filter((it) => it.freshness === "Stale").map(({ group, version }) => nameOf(group, version)),
  };
}

interface LegacyRoot {
  /** Of `/api`. */
  readonly versions?: readonly string[];
  /** Of `/apis`. */
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

interface LegacyResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

async function fromLegacy(root: unknown, ask: (path: string) => Promise<unknown>): Promise<Part> {
  const { versions = [], groups = [] } = root as LegacyRoot;
  const wanted = [
    ...versions.map((version) => ({ group: "", version })),
    ...groups.flatMap(({ name, versions, preferredVersion }) =>
      versions
        .map(({ version }) => ({ group: name, version }))
        .sort(
          (a, b) => Number(b.version === preferredVersion?.version) - Number(a.version === preferredVersion?.version),
        ),
    ),
  ];
  const parts = await Promise.all(
    wanted.map(async ({ group, version }): Promise<Part> => {
      try {
        const list = await ask(group === "" ? `/api/${version}` : `/apis/${group}/${version}`);
        return { resources: fromLegacyList(group, version, list), failed: [] };
      } catch (error) {
        // A version that went away between the two requests is no failure.
        return { resources: [], failed: isNotFound(error) ? [] : [nameOf(group, version)] };
      }
    }),
  );
  return { resources: parts.flatMap((part) => part.resources), failed: parts.flatMap((part) => part.failed) };
}

function fromLegacyList(group: string, version: string, list: unknown): Discovered[] {
  const { resources = [] } = list as { resources?: readonly LegacyResource[] };
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((it) =>
      discovered({
        group,
        version,
        kind: it.kind,
        plural: it.name,
        singular: it.singularName,
        scope: it.namespaced ? "Namespaced" : "Cluster",
        verbs: it.verbs,
        shortNames: it.shortNames,
        categories: it.categories,
        subresources: resources.flatMap(({ name }) =>
          name.startsWith(`${it.name}/`) ? [name.slice(it.name.length + 1)] : [],
        ),
      }),
    );
}

const nameOf = (group: string, version: string): string => (group === "" ? version : `${group}/${version}`);

function discovered(it: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string | undefined;
  readonly scope: Scope;
  readonly verbs: readonly string[] | undefined;
  readonly shortNames: readonly string[] | undefined;
  readonly categories: readonly string[] | undefined;
  readonly subresources: readonly string[];
}): Discovered {
  return {
    group: it.group,
    version: it.version,
    apiVersion: nameOf(it.group, it.version),
    kind: it.kind,
    listKind: `${it.kind}List`,
    plural: it.plural,
    singular: it.singular || it.kind.toLowerCase(),
    scope: it.scope,
    verbs: it.verbs ?? [],
    shortNames: it.shortNames ?? [],
    categories: it.categories ?? [],
    subresources: { status: it.subresources.includes("status"), scale: it.subresources.includes("scale") },
  };
}
