// Reads a cluster: everything that may be part of an owner graph, as far as whoever asks may see it.
import { type Client, type Discovered, discover, isForbidden, isNotFound } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";

export interface World {
  readonly objects: readonly KubeObject[];
  readonly kinds: readonly Discovered[];
  /** Kinds that could not be read, and why. */
  readonly unread: readonly string[];
}

export interface ReadOptions {
  /** Only what is there, and what is in no namespace. */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

const atATime = 8;

export async function readWorld(client: Client, options: ReadOptions = {}): Promise<World> {
  const { resources } = await discover(client, options.signal === undefined ? {} : { signal: options.signal });
  const wanted = readable(resources);
  const objects: KubeObject[] = [];
  const unread: string[] = [];
  const waiting = [...wanted];
  const work = async () => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      try {
        for await (const object of client.all(kind, selection(kind, options))) objects.push(named(kind, object));
      } catch (error) {
        const isHidden = isForbidden(error);
        if (!isHidden && !isNotFound(error)) throw error;
        if (isHidden) unread.push(`${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return { objects, kinds: wanted, unread: unread.sort() };
}

const selection = (kind: Discovered, { namespace, signal }: ReadOptions) => ({
  ...(kind.scope === "Namespaced" && namespace !== undefined && { namespace }),
  ...(signal !== undefined && { signal }),
  ...(isSilent(kind) && { metadataOnly: true }),
});

/** What a list leaves out, or says of itself where only metadata was asked for. */
export const named = ({ apiVersion, kind }: Discovered, object: KubeObject): KubeObject => ({
  ...object,
  apiVersion,
  kind,
});

/** One version of each kind, and none that is only there to be asked, or told. */
export function readable(resources: readonly Discovered[]): readonly Discovered[] {
  const seen = new Set<string>();
  return resources.filter(({ group, kind, plural, verbs }) => {
    const id = `${group}/${kind}`;
    if (!verbs.includes("list") || seen.has(id) || noise.has(plural)) return false;
    seen.add(id);
    return true;
  });
}

const noise = new Set([
  "events",
  "leases",
  "endpoints",
  "endpointslices",
  "controllerrevisions",
  "componentstatuses",
  "apiservices",
  "flowschemas",
  "prioritylevelconfigurations",
]);

/** Kinds that have no status: what is in them is nobody's business here, above all in Secrets. */
export const isSilent = ({ plural }: Discovered): boolean => silent.has(plural);

const silent = new Set([
  "secrets",
  "configmaps",
  "serviceaccounts",
  "roles",
  "rolebindings",
  "clusterroles",
  "clusterrolebindings",
  "networkpolicies",
]);
