// The scale of an object whose kind is known at run time only, from the server itself: custom resources, above all.
import { ApiError, type Discovered, isTooManyRequests } from "@telltale/client";
import { type Instant, instant, type Ms, plus } from "@telltale/kinds";
import type { Look, Name } from "@telltale/runtime";

export interface ScaledKind {
  readonly group: string;
  /** Undefined: the one that the server prefers. */
  readonly version?: string;
  readonly kind: string;
}

export type ScaleResult =
  | {
      readonly is: "found";
      readonly uid: string;
      readonly desired: number;
      readonly current: number;
      /** Of its pods, as text. Empty: the scale has none. */
      readonly selector: string;
    }
  | { readonly is: "unknown kind"; readonly why: string }
  /** Its kind has no scale. `resource`: `jobs.batch`. */
  | { readonly is: "not scalable"; readonly resource: string }
  | { readonly is: "missing"; readonly why: string }
  /** The server refused to tell. */
  | { readonly is: "failed"; readonly why: string };

export type ReadScale = (kind: ScaledKind, name: Name, look: Pick<Look, "server" | "now">) => Promise<ScaleResult>;

/** As kube-controller-manager: what the server has is asked for again after so long. */
const discoveryTtl: Ms = 30_000;

/** Reads scales, and remembers for a while which kinds the server has. A kind that it did not have is always asked for. */
export function scaleReader(): ReadScale {
  let known: readonly Discovered[] = [];
  let until: Instant = instant(0);
  return async (kind, name, { server, now }) => {
    let found = now < until ? find(known, kind) : undefined;
    if (found === undefined) {
      const { resources } = await server.discover();
      [known, until] = [resources, plus(now, discoveryTtl)];
      found = find(known, kind);
    }
    if (found === undefined) return { is: "unknown kind", why: noMatch(kind) };
    const resource = found.group === "" ? found.plural : `${found.plural}.${found.group}`;
    if (!found.subresources.scale) return { is: "not scalable", resource };
    // What is in no namespace is not found in one.
    if (found.scope === "Cluster") return { is: "missing", why: "the server could not find the requested resource" };
    try {
      const { metadata, spec, status } = await server.scale(found, name);
      return {
        is: "found",
        uid: metadata?.uid ?? "",
        desired: spec?.replicas ?? 0,
        current: status?.replicas ?? 0,
        selector: status?.selector ?? "",
      };
    } catch (error) {
      if (!(error instanceof ApiError) || isTooManyRequests(error)) throw error;
      const why = error.status.message ?? error.message;
      return error.code === 404 ? { is: "missing", why } : { is: "failed", why };
    }
  };
}

function find(resources: readonly Discovered[], { group, version, kind }: ScaledKind): Discovered | undefined {
  return resources.find(
    (it) => it.kind === kind && it.group === group && (version === undefined || it.version === version),
  );
}

function noMatch({ group, version, kind }: ScaledKind): string {
  const where = version === undefined ? `group "${group}"` : `version "${group === "" ? "" : `${group}/`}${version}"`;
  return `no matches for kind "${kind}" in ${where}`;
}
