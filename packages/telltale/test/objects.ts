// Objects as a server has them, for tests of what is made of them.
import type { KubeObject } from "@telltale/kinds";

export const at = "2026-01-01T00:00:00Z";

export interface Made {
  readonly name: string;
  readonly namespace?: string;
  readonly owner?: KubeObject;
  readonly spec?: object;
  readonly status?: object;
  readonly gone?: boolean;
}

/** `object("apps/v1 Deployment", { name: "web" })` */
export function object(what: string, { name, namespace = "default", owner, spec, status, gone }: Made): KubeObject {
  const [apiVersion = "", kind = ""] = what.split(" ");
  const uid = (it: { kind?: string; name: string }) => `${it.kind}-${it.name}`;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== "" && { namespace }),
      uid: uid({ kind, name }),
      generation: 1,
      creationTimestamp: at,
      ...(gone && { deletionTimestamp: at }),
      ...(owner && {
        ownerReferences: [
          {
            apiVersion: owner.apiVersion ?? "",
            kind: owner.kind ?? "",
            name: owner.metadata?.name ?? "",
            uid: owner.metadata?.uid ?? "",
            controller: true,
          },
        ],
      }),
    },
    ...(spec && { spec }),
    ...(status && { status }),
  } as KubeObject;
}

export const condition = (type: string, status: string, reason: string, message = "", since = at) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: since,
});
