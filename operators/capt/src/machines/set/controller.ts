// The controller of CaptMachineSets: so many machines of one kind (14.2).
import { deepEqual, type KubeObject, plus } from "@telltale/kinds";
import { type Controller, controller, type Finalized, type Hands, type Look, waiting } from "@telltale/runtime";
import { type Draft, text } from "@telltale/status";
import { CaptMachine } from "../../kinds/capt-machine.ts";
import { CaptMachineSet } from "../../kinds/capt-machine-set.ts";
import { finalizers, managers } from "../../names.ts";
import { completed } from "../../provider/deletion.ts";
import { anyCluster } from "../../server.ts";
import { asking, untroubled } from "../../trouble.ts";
import { clusterIndex, clusterLabel, inherited, type MachineSenses, passageOf, recheck } from "../gate.ts";
import { isStaying, type Plan, plan, stateOf, type World } from "./plan.ts";
import { status } from "./status.ts";

type SetHands = Hands<typeof CaptMachineSet>;

export function captMachineSets(senses: MachineSenses): Controller {
  const { config, kinds } = senses;
  const Cluster = anyCluster(kinds);
  return controller(CaptMachineSet, "captmachineset")
    .on("generation", "deletion", "labels", "annotations", "finalizers", "ownerReferences")
    .owns(CaptMachine, { changed: isOther })
    .reads(Cluster)
    .index(Cluster, clusterIndex, clusterLabel)
    .gate((it, look) => {
      const passage = passageOf(it, look, senses);
      if (typeof passage === "string" || "again" in passage) return passage;
      const { paused } = passage;
      return {
        only(_it, draft, now) {
          draft.aside().condition("Paused", true, "Paused", paused).wake(plus(now, recheck));
        },
      };
    })
    .finalize(finalize)
    .events("none")
    .status({ as: "apply", fieldManager: managers.infrastructure })
    .workers(config.concurrency)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.2 })
    .resync(36_000_000)
    .reconcile<World, Plan>({
      observe,
      plan,
      act: (planned, hands, { it }) => act(planned, hands, it),
      status,
    });
}

function observe(it: CaptMachineSet, look: Look): World {
  const { namespace = "" } = it.metadata;
  const taken = new Set(look.list(CaptMachine, { namespace }).map(({ metadata }) => metadata.name ?? ""));
  return { it, machines: look.children(CaptMachine), taken };
}

async function act({ make, remove }: Plan, hands: SetHands, it: CaptMachineSet): Promise<World> {
  const { plural } = CaptMachine;
  const found = await untroubled(hands.log, async () => {
    for (const name of make) {
      await asking("create", plural, () => hands.ensure(CaptMachine, machineOf(it, name), { mode: "createOnly" }));
    }
    for (const machine of remove)
      await asking("delete", plural, () => hands.remove(CaptMachine, machine, "Background"));
    return undefined;
  });
  return { ...observe(it, hands), ...(found === undefined ? {} : { trouble: found }) };
}

function machineOf(it: CaptMachineSet, name: string) {
  const { metadata, spec } = it.spec.template;
  return {
    metadata: {
      name,
      labels: { ...inherited(it), ...metadata?.labels },
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
    },
    spec,
  };
}

/** Only what a set goes by. */
const isOther = (a: KubeObject, b: KubeObject): boolean => {
  const [old, next] = [a as CaptMachine, b as CaptMachine]; // as whoever declares it says
  return (
    stateOf(old) !== stateOf(next) ||
    old.metadata.deletionTimestamp !== next.metadata.deletionTimestamp ||
    !deepEqual(old.metadata.labels, next.metadata.labels) ||
    !deepEqual(old.metadata.ownerReferences, next.metadata.ownerReferences)
  );
};

async function finalize(it: CaptMachineSet, hands: SetHands, draft: Draft<typeof CaptMachineSet>): Promise<Finalized> {
  const machines = hands.children(CaptMachine);
  for (const machine of machines.filter(isStaying)) await hands.remove(CaptMachine, machine, "Background");
  const left = hands.children(CaptMachine);
  if (left.length === 0) return completed(it, draft, [finalizers.captMachineSet], ["Ready", "Deleting"]);
  const message = text`waiting for ${left.length} machines`;
  draft
    .set({ replicas: left.filter(isStaying).length })
    .condition("Ready", false, "Deleting", message)
    .condition("Deleting", true, "WaitingForMachineDeletion", message);
  return waiting(10_000);
}
