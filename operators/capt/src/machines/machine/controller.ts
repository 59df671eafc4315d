// The controller of CaptMachines: one apply each, and what its run says (14.1).
import { plus } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type Finalized, type Hands, type Look, waiting } from "@telltale/runtime";
import { type Draft, findCondition, text } from "@telltale/status";
import { isOtherApply, isOwned, observeChain } from "../../chain.ts";
import { CaptMachine } from "../../kinds/capt-machine.ts";
import { WorkspaceTemplate } from "../../kinds/workspace-template.ts";
import { WorkspaceTemplateApply } from "../../kinds/workspace-template-apply.ts";
import { finalizers, managers } from "../../names.ts";
import { completed } from "../../provider/deletion.ts";
import { noChain } from "../../provider/world.ts";
import { anyCluster } from "../../server.ts";
import { Streaks } from "../../streaks.ts";
import { isTrouble, quietly, untroubled } from "../../trouble.ts";
import { clusterIndex, clusterLabel, type MachineSenses, passageOf, recheck } from "../gate.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import { applyPlace, templatePlace, type World } from "./world.ts";

type MachineHands = Hands<typeof CaptMachine>;

export function captMachines(senses: MachineSenses): Controller {
  const { config, kinds } = senses;
  const Cluster = anyCluster(kinds);
  const streaks = new Streaks();
  return controller(CaptMachine, "captmachine")
    .on("generation", "deletion", "labels", "annotations", "finalizers", "ownerReferences")
    .owns(WorkspaceTemplateApply, { changed: isOtherApply })
    .reads(WorkspaceTemplate, Cluster)
    .index(Cluster, clusterIndex, clusterLabel)
    .gets(kinds.Workspace, Secret)
    .writes(CaptMachine, "patch")
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
    .finalize((it, hands, draft) => quietly(hands.log, () => finalize(it, hands, draft)))
    .gone((it) => streaks.end(it.metadata.uid ?? ""))
    .events("none")
    .status({ as: "apply", fieldManager: managers.infrastructure })
    .workers(config.concurrency)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.2 })
    .resync(36_000_000)
    .reconcile<World, Plan>({
      observe: (it, look) => observe(it, look, senses, streaks),
      plan,
      act: (planned, hands, world) => act(planned, hands, world, senses, streaks),
      status,
      after({ world }) {
        const { uid = "" } = world.it.metadata;
        if (world.trouble === undefined) streaks.end(uid);
        else streaks.count(uid);
      },
    });
}

async function observe(
  it: CaptMachine,
  look: Look,
  { config, kinds }: MachineSenses,
  streaks: Streaks,
): Promise<World> {
  const options = { kinds, allowed: config.allowedSecretNamespaces };
  const chain = await untroubled(look.log, () => observeChain(it, applyPlace(it), look, options));
  const hasTemplate = look.get(WorkspaceTemplate, templatePlace(it)) !== undefined;
  const { uid = "" } = it.metadata;
  if (isTrouble(chain)) return { it, chain: noChain, hasTemplate, trouble: chain, isBlind: streaks.isLasting(uid) };
  return { it, chain, hasTemplate };
}

async function act(
  { apply, providerID }: Plan,
  hands: MachineHands,
  world: World,
  senses: MachineSenses,
  streaks: Streaks,
): Promise<World> {
  let { it } = world;
  const ensured = apply === undefined ? "unchanged" : (await hands.ensure(WorkspaceTemplateApply, apply)).as;
  if (providerID !== undefined) {
    const { namespace = "", name = "", uid } = it.metadata;
    const metadata = { namespace, name, ...(uid === undefined ? {} : { uid }) };
    const { apiVersion, kind } = CaptMachine;
    it = await hands.apply(CaptMachine, { apiVersion, kind, metadata, spec: { providerID } }, { force: true });
  }
  return ensured === "unchanged" && providerID === undefined ? world : observe(it, hands, senses, streaks);
}

/** The machine goes with its apply. */
async function finalize(it: CaptMachine, hands: MachineHands, draft: Draft<typeof CaptMachine>): Promise<Finalized> {
  const apply = await hands.live(WorkspaceTemplateApply, applyPlace(it));
  if (apply === undefined || !isOwned(apply, it))
    return completed(it, draft, [finalizers.captMachine], ["Ready", "Deleting"]);
  if (apply.metadata.deletionTimestamp === undefined) await hands.remove(WorkspaceTemplateApply, apply, "Background");
  const why = findCondition(apply.status?.conditions, "Deleting");
  const more = why?.status === "True" && why.message !== "" ? `: ${why.message}` : "";
  const message = text`waiting for WorkspaceTemplateApply ${apply.metadata.name ?? ""}${more}`;
  draft
    .set({ ready: false })
    .condition("Ready", false, "Deleting", message)
    .condition("Deleting", true, "WaitingForWorkspaceTemplateApplyDeletion", message);
  return waiting(10_000);
}
