// The controller of LocustTests: what it owns and watches, and its steps in a row.
import { deepEqual, type Ms } from "@telltale/kinds";
import { Job, Pod, Service } from "@telltale/kinds/builtin";
import {
  type Controller,
  controller,
  done,
  type Hands,
  type MapLook,
  type Poller,
  type Source,
} from "@telltale/runtime";
import { nodeName } from "../build/index.ts";
import type { Role } from "../config.ts";
import { LocustTest, type LocustTestStatus } from "../kinds/locust-test.ts";
import type { Read } from "../telemetry/poller.ts";
import { act } from "./act.ts";
import { announce, eventsOf, isForTheLog, notesOf } from "./events.ts";
import { isTerminating } from "./jobs.ts";
import { observe, type Senses } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

const resync: Ms = 600_000;

/** What looks at the master, and how it asks for passes. */
export interface Following {
  readonly poller: Poller<LocustTest, Read>;
  readonly source: Source;
  forget(test: LocustTest): void;
}

export function locustTests(senses: Senses, following?: Following): Controller {
  const { config, memory } = senses;
  const declared = controller(LocustTest, "locusttest-controller")
    .on("generation", "deletion", "finalizers", "annotations")
    // One that was stored under another definition, without a spec: there is nothing to run.
    .gate(({ spec }: { readonly spec?: unknown }) => (spec === undefined ? "ignore" : "go"))
    .owns(Job, { changed: (a, b) => isOther(a as Job, b as Job), verbs: ["create", "patch", "delete"] })
    .owns(Service, { changed: () => false, verbs: ["create", "delete"] })
    .watches(Job, ({ old, new: next }) => (next === undefined && old !== undefined ? bury(old, senses) : []))
    .watches(Pod, ({ old, new: next }, look) => testsOf(next ?? old, look), {
      changed: (a, b) => !deepEqual(a.status, b.status) || isTerminating(a) !== isTerminating(b),
    })
    .finalize(
      async ({ metadata }, hands) => {
        // Whoever deletes a test may ask to keep what it owns.
        const isOrphaned = metadata.finalizers?.includes("orphan") === true;
        const left = isOrphaned ? "its resources stay, as that was asked for" : "its resources go with it";
        hands.event("Normal", "Deleting", `The test is being deleted; ${left}`);
        return done;
      },
      { quiet: true, add: config.finalizer },
    )
    .gone((test) => {
      memory.forget(test.metadata.uid ?? "");
      following?.forget(test);
    })
    .events("none")
    .status({ as: "patch", spacing: { detail: 0, volatile: config.telemetry.statusInterval } })
    .workers(4)
    .backoff({ first: 200, longest: 60_000, jitter: 0.2 })
    .resync(resync);
  // RBAC knows neither labels of pods nor their owners: it is every pod of the namespaces that are watched.
  const reading = config.telemetry.mode === "api-proxy" ? declared.requires(Pod, "get proxy") : declared;
  const polling = following === undefined ? reading : reading.polls(following.poller).hears(following.source);
  return polling.reconcile<World, Plan>({
    observe: (test, look) => observe(test, look, senses),
    plan,
    async act(planned, hands, world) {
      const after = await act(planned, hands, world, (test, now) => observe(test, now, senses));
      memory.made(world.test.metadata.uid ?? "", after.making);
      // Where the master is was not seen, and it is read where it was.
      if (after.unread === undefined) senses.follow?.(after);
      return after;
    },
    status,
    after({ world, before, status: after }, hands) {
      const { uid = "" } = world.test.metadata;
      const [then, now] = [(before ?? {}) as LocustTestStatus, after as LocustTestStatus];
      announce(eventsOf(world, then, now, memory.untold(uid)), hands as Hands<typeof LocustTest>);
      memory.told(uid, world.masterPod?.metadata?.uid);
      for (const note of notesOf(world, then, now)) if (isForTheLog(note)) hands.log.warn(note.message);
    },
  });
}

/** Only what a test goes by. */
const isOther = (a: Job, b: Job): boolean =>
  !deepEqual(a.status, b.status) ||
  a.spec?.suspend !== b.spec?.suspend ||
  a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp;

/** A Job that is gone may have had a result that nobody has seen. */
function bury(job: Job, { memory }: Senses): readonly { namespace: string; name: string }[] {
  const owner = job.metadata?.ownerReferences?.find(({ controller: is }) => is === true);
  if (owner?.kind !== LocustTest.kind) return [];
  const role = (["master", "worker"] as const).find((it: Role) => nodeName(owner.name, it) === job.metadata?.name);
  if (role === undefined) return [];
  memory.buried(owner.uid, role, job);
  return [{ namespace: job.metadata?.namespace ?? "", name: owner.name }];
}

/** The test of a pod, by its Job: labels can be anybody's. */
function* testsOf(pod: Pod | undefined, look: MapLook): Iterable<{ namespace: string; name: string }> {
  const namespace = pod?.metadata?.namespace ?? "";
  const owner = pod?.metadata?.ownerReferences?.find(({ controller: is }) => is === true);
  if (owner?.kind !== "Job") return;
  const job = look.get(Job, { namespace, name: owner.name });
  const test = job?.metadata?.ownerReferences?.find(({ controller: is }) => is === true);
  if (test?.kind === LocustTest.kind) yield { namespace, name: test.name };
}
