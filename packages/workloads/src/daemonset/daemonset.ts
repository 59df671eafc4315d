// DaemonSet: a pod on every node that it is for. `plan.ts` and `update.ts` decide, `status.ts` tells; the templates it has had
// are in `../revisions`.
import { deepEqual, type Instant } from "@telltale/kinds";
import { ControllerRevision, DaemonSet, Node, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import { isEndingError } from "../objects/ending.ts";
import { slowStart } from "../pods/batch.ts";
import { type Claim, claim, claiming, orphans, settleClaim } from "../pods/claim.ts";
import { nameOf } from "../pods/facts.ts";
import { inRounds, nextPass, type Rounded } from "../pods/rounds.ts";
import { wordsOf } from "../pods/words.ts";
import { inOrder, superfluous, tells } from "../revisions/history.ts";
import { revise } from "../revisions/revise.ts";
import { Failures } from "./failures.ts";
import { type Held, heldUntil, type Plan, plan, type Removal } from "./plan.ts";
import { daemonPod, hashLabel } from "./pod.ts";
import { dueAt, statusOf } from "./status.ts";
import { type View, view } from "./view.ts";

interface World extends Rounded {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: Claim<Pod>;
  readonly revisions: Claim<ControllerRevision>;
  /** What the pass made sure of. */
  readonly present?: Present;
}

interface Present {
  /** What new pods carry. */
  readonly hash: string;
  /** Of all revisions that say what the template says. */
  readonly hashes: ReadonlySet<string>;
  readonly collisions: number;
}

/** As many as one pass makes, and as many as it removes. */
const burst = 250;

export function daemonSets(): Controller {
  const failures = new Failures();
  const begun = controller(DaemonSet, "daemonset-controller").owns(Pod, ControllerRevision);
  return claiming(claiming(begun, DaemonSet, Pod), DaemonSet, ControllerRevision)
    .watches(Node, (_change, look) => look.list(DaemonSet).map(refOf), {
      changed: (a, b) =>
        !deepEqual(a.metadata?.labels, b.metadata?.labels) || !deepEqual(a.spec?.taints, b.spec?.taints),
    })
    .reconcile<World>({
      observe,
      act: (_nothing, hands, world) => act(hands, world, failures),
      status: (world, _set, now) => {
        const seen = viewOf(world);
        const wake = earliest(dueAt(seen, now), heldUntil(seen, heldBy(failures, world.set), now));
        return { status: statusOf(seen, world.present?.collisions, now), ...nextPass(world, wake, now) };
      },
      after: ({ world }, hands) => truncate(world, hands),
    });
}

const refOf = ({ metadata }: DaemonSet) => ({ namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" });

function observe(set: DaemonSet, look: Look): World {
  const namespace = set.metadata?.namespace ?? "";
  const selector = set.spec?.selector;
  const kept = look.where(ControllerRevision, orphans, namespace);
  return {
    set,
    nodes: look.list(Node),
    pods: claim(set, selector, look.children(Pod), look.where(Pod, orphans, namespace)),
    revisions: claim(set, selector, look.children(ControllerRevision), kept),
  };
}

const viewOf = ({ set, nodes, pods, present }: World): View =>
  view(set, nodes, pods.mine, present?.hashes ?? new Set());

/** A new generation gets a new chance at once. */
const keyOf = ({ metadata, status }: DaemonSet, node: string): string =>
  `${metadata?.uid}/${status?.observedGeneration ?? 0}/${node}`;

const heldBy =
  (failures: Failures, set: DaemonSet): Held =>
  (node) =>
    failures.heldUntil(keyOf(set, node));

const earliest = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

async function act(hands: Hands<typeof DaemonSet>, world: World, failures: Failures): Promise<World> {
  const { set } = world;
  const template = set.spec?.template;
  if (template === undefined) return world;
  const owner = { kind: DaemonSet, object: set };
  await settleClaim(hands, Pod, owner, world.pods);
  await settleClaim(hands, ControllerRevision, owner, world.revisions);
  const revisions = inOrder(world.revisions.mine);
  const { collisionCount: collisions } = set.status ?? {};
  const revised = await revise(hands, set, template, { revisions, collisions, hashLabel });
  const same = [...revisions.filter((it) => tells(it, template)), revised.revision];
  const present = {
    hash: hashOfRevision(revised.revision),
    hashes: new Set(same.map(hashOfRevision)),
    collisions: revised.collisions,
  };
  const now = (): World => ({ ...observe(set, hands), present });
  return inRounds(
    now(),
    (it) => plan(viewOf(it), hands.now, heldBy(failures, set)),
    async (todo) => {
      const failure = await perform(todo, hands, set, present.hash, failures);
      return failure === undefined ? now() : { ...now(), failure };
    },
  );
}

/** A revision that somebody else made may lack the label. */
const hashOfRevision = (revision: ControllerRevision): string =>
  revision.metadata?.labels?.[hashLabel] ?? nameOf(revision);

async function perform(
  { create, remove }: Plan,
  hands: Hands,
  set: DaemonSet,
  hash: string,
  failures: Failures,
): Promise<string | undefined> {
  const made = await slowStart(Math.min(create.length, burst), async (i) => {
    const pod = await hands.create(Pod, daemonPod(set, create[i] ?? "", hash));
    hands.event("Normal", "SuccessfulCreate", `Created pod: ${nameOf(pod)}`);
  });
  const removed = await slowStart(Math.min(remove.length, burst), async (i) => {
    const removal = remove[i];
    if (removal === undefined) return;
    announce(removal, hands);
    if (removal.because === "failed") failures.replaced(keyOf(set, removal.node), hands.now);
    await hands.remove(Pod, removal.pod, "Background");
    hands.event("Normal", "SuccessfulDelete", `Deleted pod: ${nameOf(removal.pod)}`);
  });
  if (made.error !== undefined && !isEndingError(made.error))
    hands.event("Warning", "FailedCreate", `Error creating: ${wordsOf(made.error)}`);
  if (removed.error !== undefined) hands.event("Warning", "FailedDelete", `Error deleting: ${wordsOf(removed.error)}`);
  const error = made.error ?? removed.error;
  return error === undefined ? undefined : wordsOf(error);
}

function announce({ pod, node, because }: Removal, hands: Hands): void {
  const what = `daemon pod ${pod.metadata?.namespace}/${nameOf(pod)} on node ${node}`;
  if (because === "failed") hands.event("Warning", "FailedDaemonPod", `Found failed ${what}, will try to kill it`);
  if (because === "succeeded")
    hands.event("Normal", "SucceededDaemonPod", `Found succeeded ${what}, will try to delete it`);
}

/** Only once the status is written: nobody needs the old ones for it. */
async function truncate({ set, pods, revisions, present }: World, hands: Hands): Promise<void> {
  if (present === undefined) return;
  const old = inOrder(revisions.mine).filter((it) => !present.hashes.has(hashOfRevision(it)));
  const live = new Set(pods.mine.map((pod) => pod.metadata?.labels?.[hashLabel]));
  const unused = old.filter((it) => !live.has(hashOfRevision(it)));
  for (const it of superfluous(unused, old.length, set.spec?.revisionHistoryLimit))
    await hands.remove(ControllerRevision, it, "Background");
}
