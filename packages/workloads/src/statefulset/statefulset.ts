// StatefulSet: pods with names and volumes that stay, made, updated and taken away in an order. `plan.ts` decides, `status.ts`
// tells; the templates it has had are in `../revisions`.
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type MapLook, type Name } from "@telltale/runtime";
import { type Claim, claim, claiming, inNamespace, orphans, settleClaim } from "../pods/claim.ts";
import { isTerminating, nameOf } from "../pods/facts.ts";
import { inRounds, nextPass, type Rounded } from "../pods/rounds.ts";
import { inOrder, superfluous } from "../revisions/history.ts";
import { revise } from "../revisions/revise.ts";
import { isClaimOf } from "./claims.ts";
import { ordinalOf } from "./ordinals.ts";
import { perform } from "./perform.ts";
import { plan, type View } from "./plan.ts";
import { type Revisions, revisionOfPod } from "./pod.ts";
import { dueAt, statusOf } from "./status.ts";

const hashLabel = "controller.kubernetes.io/hash";

interface World extends Rounded {
  readonly set: StatefulSet;
  readonly pods: Claim<Pod>;
  readonly revisions: Claim<ControllerRevision>;
  readonly claims: View["claims"];
  /** What the pass made sure of. Undefined of a set that is going away. */
  readonly between?: Revisions & { readonly collisions: number };
}

export function statefulSets(): Controller {
  const begun = controller(StatefulSet, "statefulset-controller").owns(Pod, ControllerRevision);
  return claiming(claiming(begun, StatefulSet, Pod), StatefulSet, ControllerRevision)
    .watches(PersistentVolumeClaim, ({ old, new: next }, look) => claimants(next ?? old, look), {
      changed: (a, b) => isTerminating(a) !== isTerminating(b),
    })
    .writes(PersistentVolumeClaim, "create", "patch")
    .untilGone()
    .reconcile<World>({
      observe,
      act: (_nothing, hands, world) => act(hands, world),
      status: (world, _set, now) => {
        const { set, pods, between } = world;
        const status = statusOf(set, pods.mine, namesOf(world), now);
        const due = between === undefined ? undefined : dueAt(set, pods.mine, now);
        return { status, ...nextPass(world, due, now) };
      },
      after: ({ world, object }, hands) => truncate({ ...world, set: object }, hands),
    });
}

/** The sets that a claim is for, by its name: they wait for one to go, or for one that is missed. */
function* claimants(it: PersistentVolumeClaim | undefined, look: MapLook): Iterable<Name> {
  const namespace = it?.metadata?.namespace ?? "";
  for (const set of look.where(StatefulSet, inNamespace, namespace)) {
    if (isClaimOf(set, nameOf(it ?? {}))) yield { namespace, name: nameOf(set) };
  }
}

function observe(set: StatefulSet, look: Look): World {
  const namespace = set.metadata?.namespace ?? "";
  const selector = set.spec?.selector;
  const isMember = (pod: Pod) => ordinalOf(set, pod) !== undefined;
  const pods = claim(set, selector, look.children(Pod), look.where(Pod, orphans, namespace), isMember);
  const kept = look.where(ControllerRevision, orphans, namespace);
  return {
    set,
    pods,
    revisions: claim(set, selector, look.children(ControllerRevision), kept),
    claims: { get: (name) => look.get(PersistentVolumeClaim, { namespace, name }) },
  };
}

async function act(hands: Hands<typeof StatefulSet>, world: World): Promise<World> {
  const { set } = world;
  const template = set.spec?.template;
  if (isTerminating(set) || template === undefined) return world;
  const owner = { kind: StatefulSet, object: set };
  await settleClaim(hands, Pod, owner, world.pods);
  await settleClaim(hands, ControllerRevision, owner, world.revisions);
  const revisions = inOrder(world.revisions.mine);
  const { collisionCount, currentRevision } = set.status ?? {};
  const revised = await revise(hands, set, template, { revisions, collisions: collisionCount, hashLabel });
  const update = revised.revision;
  // The current one may be gone: then there is nothing to go back to.
  const current = revisions.find((it) => nameOf(it) === currentRevision) ?? update;
  const between = { current, update, collisions: revised.collisions };
  const now = (): World => ({ ...observe(set, hands), between });
  return inRounds(
    now(),
    (it) => plan(viewOf(it, between), hands.now),
    async (todo, it) => {
      const failure = await perform(todo, hands, viewOf(it, between));
      return failure === undefined ? now() : { ...now(), failure };
    },
  );
}

const viewOf = ({ set, pods, claims }: World, revisions: Revisions): View => ({
  set,
  revisions,
  pods: pods.mine,
  claims,
});

function namesOf({ set, between }: World): Parameters<typeof statusOf>[2] {
  const { currentRevision, updateRevision, collisionCount } = set.status ?? {};
  if (between === undefined)
    return { current: currentRevision, update: updateRevision, collisions: collisionCount ?? 0 };
  return { current: nameOf(between.current), update: nameOf(between.update), collisions: between.collisions };
}

/** Only once the status says which revisions it stands between; those of an update that is complete are history. */
async function truncate({ set, pods, revisions, between }: World, hands: Hands): Promise<void> {
  if (between === undefined) return;
  const { currentRevision, updateRevision } = set.status ?? {};
  const live = new Set([currentRevision, updateRevision, ...pods.mine.map(revisionOfPod)]);
  const unused = inOrder(revisions.mine).filter((it) => !live.has(nameOf(it)));
  for (const it of superfluous(unused, unused.length, set.spec?.revisionHistoryLimit))
    await hands.remove(ControllerRevision, it, "Background");
}
