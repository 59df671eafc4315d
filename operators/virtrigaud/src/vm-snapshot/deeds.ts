// What a pass can do to a snapshot, one function each. What the provider refuses becomes part of the world.
import { isConflict } from "@telltale/client";
import { formatTime, type Instant } from "@telltale/kinds";
import { annotationPatch, type EffectRecord } from "@telltale/runtime";
import { Failed, text } from "@telltale/status";
import { VirtualMachine, VMSnapshot } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import { ProviderError } from "../link/provider-error.ts";
import { annotations, labels } from "../names.ts";
import { callName, hearing, linkOf, type Outcome, type SnapshotHands, stamp, tried } from "./act.ts";
import { isListed, sent, takeOp } from "./decide.ts";
import { hintFor } from "./hint.ts";
import { gibibytes } from "./sizes.ts";
import { taking } from "./status.ts";
import type { Deed } from "./step.ts";
import { childName } from "./timetable.ts";
import { parentFor } from "./tree.ts";
import type { World } from "./world.ts";

export type Deeds = {
  readonly [D in Deed["is"]]: (deed: Extract<Deed, { is: D }>, world: World, hands: SnapshotHands) => Promise<World>;
};

const cannotQuiesce = "crash consistent: provider cannot quiesce";

export const deeds: Deeds = {
  async take(_deed, world, hands) {
    const next = begun(world, hands);
    // The name is stored before it is sent: every attempt sends the same, and whoever comes after a crash knows what to look for.
    await hands.checkpoint("taking", (draft) => taking(next, draft));
    const link = linkOf(world);
    let record: EffectRecord | undefined;
    await hands.once({
      op: takeOp,
      probe: async () => "none", // the table has looked already
      async call(it) {
        record = it;
        hands.call<Outcome>(callName(it.attempt), async (signal) => {
          try {
            const options = { deadline: deadlines.snapshotCreate, signal };
            return { is: "answered", answer: await link.ask("snapshotCreate", requestOf(next), options) };
          } catch (error) {
            if (error instanceof ProviderError) return { is: "refused", error };
            throw error;
          }
        });
      },
      goesOn: () => true,
    });
    return hearing({ ...next, record }, { request: { is: "running" } });
  },

  async drop(_deed, world) {
    const { taskRef: _task, snapshotID: _id, ...held } = world.held;
    const { task: _forgotten, disk: _disk, ...heard } = world.heard;
    return { ...world, held, heard };
  },

  async own({ id }, world, hands) {
    const { taskRef: _done, ...held } = world.held;
    const { disk: _old, ...heard } = world.heard;
    return { ...world, heard, held: { ...held, snapshotID: id, completionTime: held.completionTime ?? stamp(hands) } };
  },

  async mark(_deed, world, hands) {
    const { vm, snapshot } = world;
    if (vm !== undefined) await stand(vm, snapshot.metadata.name, hands);
    await hands.annotate({ [annotations.providerId]: world.held.snapshotID ?? "" });
    const { completionTime = stamp(hands) } = world.held;
    return hearing({ ...world, held: { ...world.held, completionTime } }, { isMarked: true });
  },

  async discard(_deed, world, hands) {
    const request = { vmId: world.vm?.status?.id ?? "", snapshotId: world.held.snapshotID ?? "" };
    const answer = await tried(linkOf(world), "snapshotDelete", request, hands.signal);
    if (answer instanceof ProviderError && answer.failure !== "NotFound") return hearing(world, { trouble: answer });
    await hands.annotate({ [annotations.providerId]: undefined });
    const { snapshotID: _id, taskRef: _task, size: _size, completionTime: _done, ...held } = world.held;
    return { ...world, held };
  },

  async look(_deed, world, hands) {
    const { disk } = world.heard;
    const isThere = isListed(world, world.held.snapshotID ?? "") !== false;
    const known = disk === undefined || disk === "missing" || disk === "unsupported" ? undefined : disk;
    const { state: _state, ...entry } = world.held.entry ?? { available: isThere };
    const virtual = known?.virtualSizeBytes ?? 0n;
    const actual = known?.actualSizeBytes ?? 0n;
    return hearing(
      {
        ...world,
        held: {
          ...world.held,
          ...(virtual > 0n && { virtualSize: gibibytes(virtual) }),
          ...(world.held.size === undefined && actual > 0n && { size: gibibytes(actual) }),
          entry: {
            ...entry,
            available: isThere,
            id: world.held.snapshotID ?? "",
            state: isThere ? "Ready" : "Missing",
            lastUpdated: stamp(hands),
          },
        },
      },
      { isLookedUp: true },
    );
  },

  async remove(_deed, world, hands) {
    await drop(hands, world.snapshot);
    return hearing(world, { isRemoved: true });
  },

  async rebase(_deed, world, hands) {
    return counted(world, hands.now, hands);
  },

  async skip({ run, why }, world, hands) {
    hands.event("Warning", "SnapshotSkipped", why);
    return counted(world, run, hands);
  },

  async run({ run, instead }, world, hands) {
    for (const child of instead) await drop(hands, child);
    const { vmRef, snapshotConfig, retentionPolicy, metadata } = world.snapshot.spec;
    const { name = "", namespace = "" } = world.snapshot.metadata;
    const ensured = await hands.ensure(
      VMSnapshot,
      {
        apiVersion: VMSnapshot.apiVersion,
        kind: VMSnapshot.kind,
        metadata: { name: childName(name, run), namespace, labels: { [labels.snapshotSchedule]: labelOf(name) } },
        spec: {
          vmRef,
          ...(snapshotConfig && { snapshotConfig }),
          ...(retentionPolicy && { retentionPolicy }),
          ...(metadata && { metadata }),
        },
      },
      { mode: "createOnly" },
    );
    const made = await counted(world, run, hands);
    return ensured.as === "foreign" || made.schedule === undefined
      ? made
      : { ...made, schedule: { ...made.schedule, children: hands.children(VMSnapshot, world.snapshot) } };
  },

  async prune({ surplus }, world, hands) {
    for (const child of surplus) await drop(hands, child);
    if (world.schedule === undefined) return world;
    return { ...world, schedule: { ...world.schedule, children: hands.children(VMSnapshot, world.snapshot) } };
  },
};

/** Nobody asked for it to go: one that was pinned meanwhile, or is not as it looks, stays. */
async function drop(hands: SnapshotHands, it: VMSnapshot): Promise<void> {
  const { resourceVersion } = it.metadata;
  await hands.remove(VMSnapshot, it, "Background", { ...(resourceVersion !== undefined && { resourceVersion }) });
}

/** As the value of a label: a name may be longer. */
const labelOf = (name: string): string => name.slice(0, 63).replace(/[^A-Za-z0-9]+$/, "");

/** Notes a run as done with. */
async function counted(world: World, run: Instant, hands: SnapshotHands): Promise<World> {
  await hands.annotate({ [annotations.lastScheduleTime]: formatTime(run) });
  return world.schedule === undefined ? world : { ...world, schedule: { ...world.schedule, last: run } };
}

/** What is said of it before the provider is asked. */
function begun(world: World, hands: SnapshotHands): World {
  const { vm, siblings, snapshot, held, told, heard } = world;
  const isAgain = told.phase === "Creating";
  const since = isAgain ? held.creationTime : undefined;
  const name = (isAgain ? held.entry?.path : undefined) ?? hintFor(snapshot, siblings);
  const { quiesce = true, consistencyLevel = "FilesystemConsistent" } = snapshot.spec.snapshotConfig ?? {};
  const isWished = quiesce && consistencyLevel !== "CrashConsistent";
  const can = heard.capabilities?.extensions.includes("quiesce") === true;
  const at = since ?? stamp(hands);
  const parent = isAgain ? held.parent : vm === undefined ? undefined : parentFor(vm, siblings);
  const { parent: _old, progress: _progress, completionTime: _done, ...rest } = held;
  return {
    ...world,
    told: { ...told, phase: "Creating", creating: undefined },
    held: {
      ...rest,
      creationTime: at,
      progress: { startTime: (isAgain ? held.progress?.startTime : undefined) ?? at },
      ...(parent && { parent }),
      entry: {
        available: false,
        path: name,
        state: can && isWished ? "Quiescing" : "Creating",
        ...(isWished && !can && { message: cannotQuiesce }),
      },
    },
  };
}

function requestOf(world: World) {
  const { includeMemory = false, description = "" } = world.snapshot.spec.snapshotConfig ?? {};
  return {
    vmId: world.vm?.status?.id ?? "",
    nameHint: sent(world),
    includeMemory,
    description,
    quiesce: world.held.entry?.state === "Quiescing",
  };
}

/** The machine stands on a snapshot, or on none. Who else writes there was later. */
export async function stand(vm: VirtualMachine, name: string | undefined, hands: SnapshotHands): Promise<void> {
  const operations = annotationPatch(vm, { [annotations.currentSnapshot]: name });
  if (operations.length === 0) return;
  try {
    await hands.patch(VirtualMachine, vm, operations);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new Failed({ class: "conflict", reason: "Outdated", message: text`the machine has changed meanwhile` });
  }
}
