// The end of an instance: zones leave it first, for a minute at most, then everything that was made for it (8.4, step 14).
import { type Instant, type KindRef, type KubeObject, type Ms, parseTime } from "@telltale/kinds";
import { ConfigMap, Deployment, Secret, Service, ServiceAccount } from "@telltale/kinds/builtin";
import { done, type Finalized, type Hands, type Name, waiting } from "@telltale/runtime";
import type { Draft } from "@telltale/status";
import { Bind9Instance, DNSZone } from "../kinds/index.ts";
import { beingDeleted } from "../messages.ts";
import { configMapName, podServiceAccount, rndcSecretName } from "../names.ts";
import type { Senses } from "./observe.ts";

/** Who serves a zone leaves it in good order, or not. */
export const zoneLimit: Ms = 60_000;

export async function finalize(
  it: Bind9Instance,
  hands: Hands<typeof Bind9Instance>,
  draft: Draft<typeof Bind9Instance>,
  { prober, secrets }: Senses,
): Promise<Finalized> {
  const { name = "", namespace = "" } = it.metadata;
  draft.condition("Ready", false, "Progressing", beingDeleted(Bind9Instance.kind, name));
  const since = parseTime(it.metadata.deletionTimestamp) ?? hands.now;
  if (isServing(it, hands) && hands.now - since < zoneLimit) return waiting(again(since, hands.now));
  prober.forget({ namespace, name });
  // Who has just begun, or was told of an older state, may not know what is there. Nobody else takes it away.
  const remove = async <T extends KubeObject>(kind: KindRef<T>, of: Name, known: T | undefined) => {
    let found = known ?? (await hands.live(kind, of));
    // Somebody may have made another one.
    while (found !== undefined && isOwned(found, it)) found = await hands.remove(kind, found, "Background");
  };
  const parts: readonly (readonly [KindRef, string])[] = [
    [Service, name],
    [Deployment, name],
    [ConfigMap, configMapName(name)],
  ];
  for (const [kind, part] of parts) {
    const of = { namespace, name: part };
    await remove(kind, of, hands.get(kind, of));
  }
  for (const secret of new Set([rndcSecretName(name), inlineName(it)])) {
    if (secret === undefined) continue;
    const of = { namespace, name: secret };
    await remove(Secret, of, secrets.get(of));
  }
  const others = hands.list(Bind9Instance, { namespace }).filter(({ metadata }) => metadata.uid !== it.metadata.uid);
  const account = hands.get(ServiceAccount, { namespace, name: podServiceAccount });
  if (account !== undefined && !others.some((other) => hasPods(other, hands)))
    await hands.remove(ServiceAccount, account, "Background");
  return done;
}

/** Of two that go at the same time each sees the other to the end: whoever has taken its pods away last is the last. */
function hasPods({ metadata }: Bind9Instance, hands: Pick<Hands, "get">): boolean {
  const { name = "", namespace = "", deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) return true;
  const deployment = hands.get(Deployment, { namespace, name });
  return deployment !== undefined && deployment.metadata?.deletionTimestamp === undefined;
}

const again = (since: Instant, now: Instant): Ms => Math.min(5_000, Math.max(100, since + zoneLimit - now));

/** A zone that is still there says that it is configured here. */
const isServing = ({ metadata }: Bind9Instance, hands: Pick<Hands, "list">): boolean =>
  hands
    .list(DNSZone)
    .some(({ status }) =>
      status?.bind9Instances?.some(
        (at) => at.name === metadata.name && at.namespace === metadata.namespace && at.status === "Configured",
      ),
    );

const inlineName = ({ spec }: Bind9Instance): string | undefined => spec.rndcKey?.secret?.metadata.name;

/** Somebody else's object of the same name is not touched. */
const isOwned = ({ metadata }: KubeObject, it: Bind9Instance): boolean =>
  metadata?.ownerReferences?.some(({ uid }) => uid === it.metadata.uid) ?? false;
