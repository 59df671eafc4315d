// The end of a snapshot: whoever needs it is waited for, then the provider removes it and says itself that it is gone, and its
// children become its parent's (3.6, "Deletion").
import { isConflict } from "@telltale/client";
import { type Ms, parseTime } from "@telltale/kinds";
import { done, type Finalized, waiting } from "@telltale/runtime";
import { Failed, type SafeText, text } from "@telltale/status";
import { VirtualMachine, VMSnapshot } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import type { Link } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask, taskPolls } from "../link/task.ts";
import { busyDelay } from "../link/wait.ts";
import { annotations } from "../names.ts";
import { callName, diskOf, type Outcome, type SnapshotHands } from "./act.ts";
import { sent, surely, takeOp } from "./decide.ts";
import { stand } from "./deeds.ts";
import { observe } from "./observe.ts";
import { nextPoll } from "./polls.ts";
import type { Ways } from "./reach.ts";
import type { SnapshotDraft } from "./status.ts";
import { childrenOf } from "./tree.ts";
import type { World } from "./world.ts";

type Obstacle =
  | { readonly reason: "Deleting" | "InUse" | "Busy" | "ProviderError"; readonly why: SafeText; readonly again: Ms }
  | undefined;

export async function finalize(
  snapshot: VMSnapshot,
  hands: SnapshotHands,
  draft: SnapshotDraft,
  ways: Ways,
): Promise<Finalized> {
  const world = await observe(snapshot, hands, ways);
  if (world.told.phase !== "Deleting") hands.event("Normal", "SnapshotDeleting", "Snapshot deletion initiated");
  draft.phase("Deleting");
  const obstacle = await inTheWay(world, hands, draft);
  if (obstacle === undefined) return ended(world, hands);
  const { reason, why, again } = obstacle;
  if (snapshot.metadata.annotations?.[annotations.forceDelete] === "true" && reason !== "Deleting") {
    const id = world.held.snapshotID ?? "";
    hands.event("Warning", "ForceDeleted", `${why}; left on the provider: ${id === "" ? "nothing known" : id}`);
    return ended(world, hands);
  }
  if (reason === "ProviderError") hands.event("Warning", "SnapshotDeleteFailed", why);
  draft.condition("Deleting", true, reason, why).condition("Ready", false, "Deleting", why).set({ message: why });
  return waiting(again);
}

async function inTheWay(world: World, hands: SnapshotHands, draft: SnapshotDraft): Promise<Obstacle> {
  if (world.user !== undefined) return { reason: "InUse", why: world.user, again: 30_000 };
  const { held, vm, channel, record } = world;
  const isUnknown = record?.op === takeOp || (held.taskRef ?? "") !== "";
  if (vm === undefined || idOf(vm) === "") return undefined;
  if ((held.snapshotID ?? "") === "" && !isUnknown) return undefined;
  if (channel.is === "closed") return { reason: "ProviderError", why: channel.why, again: 30_000 };
  try {
    return await onProvider(world, channel.link, hands, draft);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure === "Busy") return { reason: "Busy", why: error.said, again: busyDelay(waitedFor(world)) };
    return { reason: "ProviderError", why: text`Failed to delete snapshot: ${error.said}`, again: again(world) };
  }
}

/** What the provider calls the machine: a status may be lost, and the snapshot would stay there for ever. */
const idOf = ({ metadata, status }: VirtualMachine): string =>
  status?.id ?? metadata.annotations?.[annotations.providerId] ?? "";

/** 30 s doubling to 5 min: as long again as it has been tried. */
const again = (world: World): Ms => Math.min(300_000, Math.max(30_000, waitedFor(world)));

const waitedFor = ({ snapshot, now }: World): Ms => now - (parseTime(snapshot.metadata.deletionTimestamp) ?? now);

const underWay = (world: World): Obstacle => {
  const again = nextPoll(taskPolls.snapshot, waitedFor(world), world.channel);
  return { reason: "Deleting", why: text`Snapshot deletion initiated`, again };
};

async function onProvider(world: World, link: Link, hands: SnapshotHands, draft: SnapshotDraft): Promise<Obstacle> {
  const { held, record, vm } = world;
  const { signal } = hands;
  // What is still being taken comes to its end first: it could not be removed before, and would stay for ever.
  if (record?.op === takeOp && (held.taskRef ?? "") === "" && (held.snapshotID ?? "") === "") {
    const called = hands.call<Outcome>(callName(record.attempt), async () => ({ is: "lost" }));
    if (called.as === "running")
      return { reason: "Deleting", why: text`Waiting until it has been taken`, again: 10_000 };
    if (called.as === "done" && called.result.is === "answered") {
      const { snapshotId, task } = called.result.answer;
      const fields = { snapshotID: snapshotId === "" ? sent(world) : snapshotId, taskRef: task?.id ?? "" };
      draft.set({ snapshotID: fields.snapshotID, ...(fields.taskRef !== "" && { taskRef: fields.taskRef }) });
      hands.settled();
      return onProvider({ ...world, record: undefined, held: { ...held, ...fields } }, link, hands, draft);
    }
  }
  const vmId = vm === undefined ? "" : idOf(vm);
  const taskRef = held.taskRef ?? "";
  if (taskRef !== "") {
    const options = { deadline: deadlines.taskStatus, signal };
    const task = await lookAtTask(() => link.ask("taskStatus", { task: { id: taskRef } }, options));
    if (task.is === "running") return underWay(world);
    draft.unset("taskRef");
  }
  const snapshotId = (held.snapshotID ?? "") === "" ? sent(world) : (held.snapshotID ?? "");
  const found = await diskOf(link, vmId, signal);
  if ("trouble" in found && found.trouble !== undefined) throw found.trouble;
  const disk = "disk" in found ? found.disk : undefined;
  const isGone =
    disk === "missing" ||
    (typeof disk === "object" && !disk.snapshots.some((it) => it === snapshotId || it === sent(world)));
  if (isGone) {
    const isOpen = record?.op === takeOp && taskRef === "" && world.now < surely(world);
    return isOpen
      ? { reason: "Deleting", why: text`Waiting to see what became of the last attempt to take it`, again: 10_000 }
      : undefined;
  }
  // Where the provider does not tell which there are, its word counts.
  if (disk === "unsupported" && taskRef !== "" && world.told.phase === "Deleting") return undefined;
  // One of the same name that nobody remembers, as after a restore, is as much this one's.
  return removed(world, vmId, [snapshotId, sent(world)], disk === "unsupported", link, hands, draft);
}

/** Asks for it in the background: a merge of disks takes its time. */
async function removed(
  world: World,
  vmId: string,
  names: readonly string[],
  isTrusted: boolean,
  link: Link,
  hands: SnapshotHands,
  draft: SnapshotDraft,
): Promise<Obstacle> {
  const called = hands.call("remove", async (signal) => {
    const options = { deadline: deadlines.snapshotDelete, signal };
    for (const snapshotId of new Set(names.filter((it) => it !== ""))) {
      try {
        const { task } = await link.ask("snapshotDelete", { vmId, snapshotId }, options);
        if ((task?.id ?? "") !== "") return { task: task?.id ?? "" };
      } catch (error) {
        if (!(error instanceof ProviderError) || error.failure !== "NotFound") throw error;
      }
    }
    return { task: "" };
  });
  if (called.as === "failed") throw called.error;
  if (called.as === "running") return underWay(world);
  if (called.result.task !== "") {
    draft.set({ taskRef: called.result.task });
    return underWay(world);
  }
  // It says so itself before the object goes.
  return isTrusted ? undefined : underWay(world);
}

/** The tree is put right, and then nothing holds it any more. */
async function ended(world: World, hands: SnapshotHands): Promise<Finalized> {
  const { snapshot, siblings } = world;
  const { parent } = snapshot.status ?? {};
  for (const child of childrenOf(snapshot, siblings)) {
    const test = { op: "test", path: "/status/parent/uid", value: snapshot.metadata.uid } as const;
    const change =
      parent === undefined
        ? ({ op: "remove", path: "/status/parent" } as const)
        : ({ op: "replace", path: "/status/parent", value: parent } as const);
    try {
      await hands.patchStatus(VMSnapshot, child, [test, change]);
    } catch (error) {
      if (!isConflict(error)) throw error;
      throw new Failed({ class: "conflict", reason: "Outdated", message: text`a child has changed meanwhile` });
    }
  }
  const { namespace = "", name } = snapshot.metadata;
  const vm = hands.get(VirtualMachine, { namespace, name: snapshot.spec.vmRef.name });
  if (vm !== undefined && vm.metadata.annotations?.[annotations.currentSnapshot] === name)
    await stand(vm, parent?.name, hands);
  hands.event("Normal", "SnapshotDeleted", "Snapshot deleted");
  return done;
}
