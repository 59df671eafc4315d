// An operator's ServiceAccount with its derived roles, made as `kubectl apply` would make them, and the way to the server for
// whoever has its token. What is sent that way is kept, with what was answered.
import { createClient, isNotFound, type Request, type Transport } from "@telltale/client";
import { type Clock, seededRandom } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount } from "@telltale/kinds/builtin";
import { type RbacManifest, type RbacOptions, rbacManifests } from "../../src/rbac.ts";
import type { World } from "../world.ts";

export interface Account {
  readonly manifests: readonly RbacManifest[];
  readonly transport: Transport;
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly request: Request;
  readonly status: number;
}

export interface Ground {
  readonly w: World;
  readonly clock: Clock;
  readonly as: (token: string) => Transport;
}

const kinds = { ServiceAccount, ClusterRole, ClusterRoleBinding, Role, RoleBinding };

export async function account({ w, clock, as }: Ground, options: RbacOptions): Promise<Account> {
  const { name, namespace, controllers } = options;
  const manifests = rbacManifests(options);
  for (const manifest of manifests) await w.client.apply<KubeObject>(kinds[manifest.kind ?? "Role"], manifest);
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const made = await w.client.subresource(ServiceAccount, { name, namespace }, "token", { method: "POST", body });
  const { token } = (made as { status: { token: string } }).status;
  const transport = as(token);
  // A server need not know of roles at once.
  const client = createClient({ transport, clock, random: seededRandom(1) });
  for (const kind of controllers.flatMap((it) => [it.kind, ...it.inputs.map((input) => input.kind)])) {
    const place = kind.scope === "Cluster" ? {} : { namespace: w.namespace };
    await w.until(() => client.get(kind, "none", place).then(() => true, isNotFound), `the role for ${kind.kind}`);
  }
  const exchanges: Exchange[] = [];
  return { manifests, exchanges, transport: kept(transport, exchanges) };
}

function kept(transport: Transport, exchanges: Exchange[]): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      exchanges.push({ request, status: response.status });
      return response;
    },
    close: () => transport.close(),
  };
}
