// The servers of an instance: its live pods, and where each is reached. Not by a Service: a pod that is not in service because
// it lacks its zones is the one that needs them (L-52).
import { Pod } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { type Claim, claimOf } from "../aggregate/pod-owner.ts";
import { isLive } from "../aggregate/pod-view.ts";
import { endpointText, endpointOf as parsed } from "../bindcar/address.ts";
import { dnsPort, generatedKeyName } from "../build/index.ts";
import type { KeyReference } from "../dns-update/client.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import { annotations, containers, labels } from "../names.ts";
import { targetOf } from "../prober/index.ts";

export interface Server {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Where its Bindcar listens: `ip:port`. Absent: it does not run. */
  readonly http?: string;
  /** Where it answers DNS, and from where it asks: `ip:port`. Absent: it has no address yet. */
  readonly dns?: string;
  /** What the key is called that updates are signed with. */
  readonly keyName: string;
  /** Where that key is. Absent: the pod does not say. */
  readonly key?: KeyReference;
}

export type UpServer = Server & { readonly http: string; readonly dns: string };

export const isUp = (server: Server): server is UpServer => server.http !== undefined && server.dns !== undefined;

export const serversOf = (instance: Bind9Instance, look: Pick<Look, "get" | "list">): readonly Server[] =>
  claimedAs("its", instance, look);

export function claimedAs(claim: Claim, instance: Bind9Instance, look: Pick<Look, "get" | "list">): readonly Server[] {
  const { name = "", namespace = "" } = instance.metadata;
  const select = { namespace, labels: { matchLabels: { [labels.appInstance]: name } } };
  return look
    .list(Pod, select)
    .filter((pod) => isLive(pod) && claimOf(pod, instance, look) === claim)
    .map(serverOf);
}

export function serverOf(pod: Pod): Server {
  const { uid = "", name = "", namespace = "" } = pod.metadata ?? {};
  const http = targetOf(pod).endpoint;
  const dns = dnsOf(pod);
  const key = keyOf(pod);
  return {
    uid,
    name,
    namespace,
    ...(http !== undefined && { http }),
    ...(dns !== undefined && { dns }),
    keyName: keyNameOf(pod),
    ...(key !== undefined && { key }),
  };
}

function dnsOf({ metadata, status }: Pod): string | undefined {
  const found = parsed(metadata?.annotations?.[annotations.endpointDns] ?? status?.podIP ?? "");
  return found === undefined ? undefined : endpointText({ port: dnsPort, ...found });
}

/** The pod says it to its Bindcar: so nobody has to read a Secret for it. */
const keyNameOf = (pod: Pod): string => toldOf(pod, "NSUPDATE_KEY_NAME")?.value ?? generatedKeyName;

/** The key itself is read where a Bindcar has no way to change a zone in place, and nowhere else. */
function keyOf(pod: Pod): KeyReference | undefined {
  const from = toldOf(pod, "RNDC_SECRET")?.valueFrom?.secretKeyRef;
  const { name: secret, key: field } = from ?? {};
  if (secret === undefined || field === undefined) return undefined;
  const algorithm = (toldOf(pod, "RNDC_ALGORITHM")?.value ?? "hmac-sha256").toLowerCase();
  return { namespace: pod.metadata?.namespace ?? "", secret, field, name: keyNameOf(pod), algorithm };
}

function toldOf({ spec }: Pod, variable: string) {
  const api = spec?.containers.find(({ name }) => name === containers.api);
  return api?.env?.find(({ name }) => name === variable);
}

/** The address alone, for lists that take no ports. */
export function addressIn(endpoint: string): string {
  return parsed(endpoint)?.text ?? endpoint;
}
