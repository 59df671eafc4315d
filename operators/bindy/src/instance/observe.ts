// Reads what a pass has to know of one Bind9Instance, and tells the prober which pods there are.

import { isForbidden } from "@telltale/client";
import { Deployment, Pod, Secret, Service } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { text } from "@telltale/status";
import { isPodOf } from "../aggregate/pod-owner.ts";
import { podRecords } from "../aggregate/pod-records.ts";
import { isLive, podView } from "../aggregate/pod-view.ts";
import { keyFile, type Nameserver } from "../build/index.ts";
import type { Config } from "../config.ts";
import { Bind9Instance } from "../kinds/index.ts";
import { secretsUnreadable } from "../messages.ts";
import { labels, rndcSecretName } from "../names.ts";
import { type Prober, targetOf } from "../prober/index.ts";
import { attempted, Refusal } from "../refusal.ts";
import { parentOf } from "./parent.ts";
import type { Secrets } from "./secrets.ts";
import type { Sibling, Turns } from "./turns.ts";
import { askedBy } from "./wanted.ts";
import { type Keys, nothingMade, type Wanted, type World } from "./world.ts";

export interface Senses {
  readonly config: Config;
  readonly prober: Prober;
  readonly secrets: Secrets;
  readonly turns: Turns;
}

/** Pods by `namespace/instance`, and instances by `namespace/cluster`. */
export const byInstance = "instance";
export const byCluster = "cluster of an instance";

export async function observe(it: Bind9Instance, look: Look, senses: Senses): Promise<World> {
  const { name = "", namespace = "" } = it.metadata;
  const parent = parentOf(it, look);
  const deployment = look.get(Deployment, { namespace, name });
  const pods = look
    .where(Pod, byInstance, `${namespace}/${name}`)
    .filter((pod) => isLive(pod) && isPodOf(pod, it, look));
  const { zones = [] } = it.status ?? {};
  const names = zones.map(({ zoneName }) => zoneName);
  const records = podRecords(it.status);
  const targets = pods.map((pod) => targetOf(pod, records, names));
  senses.prober.keep({ namespace, name }, targets, zones);
  return {
    it,
    parent,
    wanted: await wantedOrUnread(it, look, senses),
    deployment,
    service: look.get(Service, { namespace, name }),
    pods,
    views: pods.map((pod) => podView(pod, senses.prober.finding(pod.metadata?.uid ?? ""))),
    siblings: siblingsOf(it, look),
    made: nothingMade,
  };
}

export const instanceOfPod = ({ metadata }: Pod): string =>
  `${metadata?.namespace ?? ""}/${metadata?.labels?.[labels.appInstance] ?? ""}`;

/** A read that fails leaves the running pods alone, and the instance unknown. */
async function wantedOrUnread(it: Bind9Instance, look: Look, senses: Senses): Promise<Wanted> {
  const wanted = await attempted(() => wantedOf(it, look, senses));
  if (!(wanted instanceof Refusal)) return wanted;
  const { namespace = "" } = it.metadata;
  return { is: "unread", why: isForbidden(wanted.cause) ? secretsUnreadable(namespace) : wanted.said };
}

async function wantedOf(it: Bind9Instance, look: Look, senses: Senses): Promise<Wanted> {
  const asked = askedBy(it, parentOf(it, look), senses.config);
  if (asked.is === "invalid") return asked;
  const { server } = asked;
  for (const [i, { name }] of server.moreKeys.entries()) {
    const secret = await look.live(Secret, { namespace: server.namespace, name });
    if (secret !== undefined && keyFile(secret) !== undefined) continue;
    const problem =
      secret === undefined
        ? text`Secret ${name} not found`
        : text`Secret ${name} holds no rndc.key that BIND could use`;
    return { is: "invalid", problem: { path: `spec.rndcSecretRefs[${i}]`, problem } };
  }
  return { is: "sound", server, keys: await keysOf(server, look, senses, (it.status?.observedGeneration ?? 0) < 1) };
}

/**
 * Our own from the watch; one that is not there, and those of others, from the server itself. A new instance has none as a rule:
 * whoever makes it finds out.
 */
async function keysOf(server: Nameserver, look: Look, { secrets }: Senses, isNew: boolean): Promise<Keys> {
  const { name, namespace, key } = server;
  const own = async (secret: string) =>
    secrets.get({ namespace, name: secret }) ??
    (isNew ? undefined : await look.live(Secret, { namespace, name: secret }));
  if (key.is === "generated") return { secret: await own(key.secret), copy: undefined };
  if (key.is === "inline") return { secret: await own(key.secret.metadata.name), copy: undefined };
  const secret = await look.live(Secret, { namespace, name: key.ref.name });
  return { secret, copy: secrets.get({ namespace, name: rndcSecretName(name) }) };
}

function siblingsOf(it: Bind9Instance, look: Look): readonly Sibling[] {
  const cluster = clusterKey(it);
  if (cluster === undefined) return [];
  const others = look
    .where(Bind9Instance, byCluster, cluster)
    .filter(({ metadata }) => metadata.uid !== it.metadata.uid);
  return others.map((instance) => {
    const { name = "", namespace = "" } = instance.metadata;
    return { instance, deployment: look.get(Deployment, { namespace, name }) };
  });
}

export function clusterKey({ metadata, spec }: Bind9Instance): string | undefined {
  return spec.clusterRef === "" ? undefined : `${metadata.namespace ?? ""}/${spec.clusterRef}`;
}
