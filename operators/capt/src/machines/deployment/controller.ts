// The controller of CaptMachineDeployments: one set for each template, and machines that move between them (14.3).
import { deepEqual, type KubeObject, plus } from "@telltale/kinds";
import { type Controller, controller, type Finalized, type Hands, type Look, waiting } from "@telltale/runtime";
import { type Draft, text } from "@telltale/status";
import { CaptMachine } from "../../kinds/capt-machine.ts";
import { CaptMachineDeployment } from "../../kinds/capt-machine-deployment.ts";
import { CaptMachineSet } from "../../kinds/capt-machine-set.ts";
import { finalizers, labels, managers } from "../../names.ts";
import { completed } from "../../provider/deletion.ts";
import { anyCluster } from "../../server.ts";
import { clusterIndex, clusterLabel, inherited, type MachineSenses, passageOf, recheck } from "../gate.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import { hashOf, setName, type World } from "./world.ts";

type DeploymentHands = Hands<typeof CaptMachineDeployment>;

export function captMachineDeployments(senses: MachineSenses): Controller {
  const { config, kinds } = senses;
  const Cluster = anyCluster(kinds);
  return controller(CaptMachineDeployment, "captmachinedeployment")
    .on("generation", "deletion", "labels", "annotations", "finalizers", "ownerReferences")
    .owns(CaptMachineSet, { changed: isOther })
    .reads(CaptMachine, Cluster)
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
    .reconcile<World, Plan>({ observe, plan, act, status });
}

function observe(it: CaptMachineDeployment, look: Look): World {
  const sets = look.children(CaptMachineSet).map((set) => ({ set, machines: look.children(CaptMachine, set) }));
  return { it, sets, isCrossed: false };
}

async function act({ next, scale, remove }: Plan, hands: DeploymentHands, { it }: World): Promise<World> {
  const ensured = next === undefined ? undefined : await hands.ensure(CaptMachineSet, setOf(it, next));
  for (const { set, replicas } of scale) {
    await hands.patch(CaptMachineSet, set, [{ op: "add", path: "/spec/replicas", value: replicas }]);
  }
  for (const set of remove) await hands.remove(CaptMachineSet, set, "Background");
  return { ...observe(it, hands), isCrossed: ensured?.as === "foreign" };
}

function setOf(it: CaptMachineDeployment, replicas: number) {
  const mark = { [labels.deploymentHash]: hashOf(it) };
  const { template, selector } = it.spec;
  const metadata = { ...template.metadata, labels: { ...template.metadata?.labels, ...mark } };
  return {
    metadata: { name: setName(it), labels: { ...inherited(it), ...mark } },
    spec: { replicas, template: { ...template, metadata }, ...(selector === undefined ? {} : { selector }) },
  };
}

/** A set tells of its machines in numbers: they change whenever one of them does. */
const isOther = (a: KubeObject, b: KubeObject): boolean => {
  const [old, next] = [a as CaptMachineSet, b as CaptMachineSet]; // as whoever declares it says
  return (
    !deepEqual(old.status, next.status) ||
    old.metadata.generation !== next.metadata.generation ||
    old.metadata.deletionTimestamp !== next.metadata.deletionTimestamp
  );
};

async function finalize(
  it: CaptMachineDeployment,
  hands: DeploymentHands,
  draft: Draft<typeof CaptMachineDeployment>,
): Promise<Finalized> {
  for (const set of hands.children(CaptMachineSet)) {
    if (set.metadata.deletionTimestamp === undefined) await hands.remove(CaptMachineSet, set, "Background");
  }
  const left = hands.children(CaptMachineSet);
  if (left.length === 0) return completed(it, draft, [finalizers.captMachineDeployment], ["Ready", "Deleting"]);
  const message = text`waiting for ${left.length} sets of machines`;
  draft
    .condition("Ready", false, "Deleting", message)
    .condition("Deleting", true, "WaitingForMachineSetDeletion", message);
  return waiting(10_000);
}
