// What a pod refers to: which objects by name, and how a runtime gets at them.
import { type Instant, type KubeObject, parseTime } from "@telltale/kinds";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { uidOf } from "../pods/facts.ts";
import type { References } from "./pod-runtime.ts";
import { serviceEnvironment } from "./service-env.ts";

/** A kind of object that a pod mounts or takes variables from. */
export type Referred = "ConfigMap" | "Secret" | "PersistentVolumeClaim";

export interface Reference {
  readonly kind: Referred;
  readonly name: string;
  /** The pod can do without it. */
  readonly optional: boolean;
  readonly by: ReferenceUse;
}

export type ReferenceUse =
  | { readonly is: "volume"; readonly volume: string }
  | { readonly is: "variable"; readonly container: string };

export const holders = "pod-ip";
export const referrers = "refers-to";

/** For the index `referrers`: `ConfigMap/default/settings`. */
export function referenceKeys(pod: Pod): readonly string[] {
  const keys = referencesOf(pod).map(({ kind, name }) =>
    referenceKey(kind, { namespace: pod.metadata?.namespace, name }),
  );
  return [...new Set(keys)];
}

export function referenceKey(
  kind: Referred,
  at: { namespace?: string | undefined; name?: string | undefined },
): string {
  return `${kind}/${at.namespace ?? ""}/${at.name ?? ""}`;
}

export function referencesOf({ spec }: Pod): readonly Reference[] {
  const found: Reference[] = [];
  for (const volume of spec?.volumes ?? []) {
    const by = { is: "volume", volume: volume.name } as const;
    const add = (kind: Referred, name: string | undefined, optional = false) => {
      if (name !== undefined && name !== "") found.push({ kind, name, optional, by });
    };
    add("ConfigMap", volume.configMap?.name, volume.configMap?.optional);
    add("Secret", volume.secret?.secretName, volume.secret?.optional);
    add("PersistentVolumeClaim", volume.persistentVolumeClaim?.claimName);
    for (const { configMap, secret } of volume.projected?.sources ?? []) {
      add("ConfigMap", configMap?.name, configMap?.optional);
      add("Secret", secret?.name, secret?.optional);
    }
  }
  for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    const by = { is: "variable", container: container.name } as const;
    const add = (kind: Referred, from: { name?: string; optional?: boolean } | undefined) => {
      if (from?.name !== undefined && from.name !== "")
        found.push({ kind, name: from.name, optional: from.optional ?? false, by });
    };
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      add("ConfigMap", configMapRef);
      add("Secret", secretRef);
    }
    for (const { valueFrom } of container.env ?? []) {
      add("ConfigMap", valueFrom?.configMapKeyRef);
      add("Secret", valueFrom?.secretKeyRef);
    }
  }
  return found;
}

/** For the length of one pass. */
export function refersOf(pod: Pod, hands: Hands<typeof Pod>): References {
  const namespace = pod.metadata?.namespace ?? "";
  return {
    configMap: (name) => hands.get(ConfigMap, { namespace, name }),
    secret: (name) => hands.get(Secret, { namespace, name }),
    claim: (name) => {
      const found = hands.get(PersistentVolumeClaim, { namespace, name });
      return found?.status?.phase === "Bound" ? found : undefined;
    },
    token: (request) => boundToken(pod, request, hands),
    services: () => serviceEnvironment(servicesFor(pod, hands)),
    holders: (podIP) => hands.where(Pod, holders, podIP).map(uidOf),
  };
}

/** The server's own Service is known everywhere. */
function servicesFor({ metadata, spec }: Pod, hands: Hands<typeof Pod>): readonly Service[] {
  const server = hands.get(Service, { namespace: "default", name: "kubernetes" });
  const own = spec?.enableServiceLinks === false ? [] : hands.list(Service, { namespace: metadata?.namespace ?? "" });
  return [...(server === undefined ? [] : [server]), ...own];
}

async function boundToken(
  { metadata, spec }: Pod,
  { audience, expirationSeconds }: Parameters<References["token"]>[0],
  hands: Hands<typeof Pod>,
): ReturnType<References["token"]> {
  const { namespace = "", name = "", uid = "" } = metadata ?? {};
  const account: KubeObject = { metadata: { namespace, name: spec?.serviceAccountName || "default" } };
  const answer = await hands.post(ServiceAccount, account, "token", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {
      audiences: audience === undefined ? [] : [audience],
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
    },
  });
  return tokenIn(answer, `${namespace}/${account.metadata?.name ?? ""}`);
}

function tokenIn(answer: unknown, account: string): { readonly token: string; readonly expires: Instant } {
  const { status } = (answer ?? {}) as { status?: { token?: unknown; expirationTimestamp?: unknown } };
  const expires = typeof status?.expirationTimestamp === "string" ? parseTime(status.expirationTimestamp) : undefined;
  if (typeof status?.token !== "string" || expires === undefined) {
    throw new Error(
      `the server gave no token for ServiceAccount ${account}; look at its answer to serviceaccounts/token`,
    );
  }
  return { token: status.token, expires };
}
