// What a clone says of itself, row by row of how a pass can end (3.9). Pure.
import { formatGoDuration, formatTime, type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { type Draft, remaining, type SafeText, text, volatile } from "@telltale/status";
import type { VMClone, VMCloneStatus } from "../kinds/index.ts";
import { taskPolls } from "../link/task.ts";
import { nextPoll } from "../vm-snapshot/polls.ts";
import { ignoresCustomization, stepsOf } from "./customizing.ts";
import { timeoutOf } from "./retrying.ts";
import type { Rest } from "./step.ts";
import type { World } from "./world.ts";

type CloneDraft = Draft<typeof VMClone>;

const second: Ms = 1_000;

/** When to look again; undefined: when something changes. */
type Wake = Instant | undefined;

export function status(world: World, draft: CloneDraft): void {
  const { rest, told } = world;
  if (rest === undefined || rest.is === "done") return;
  if (rest.is === "stuck") {
    draft.keep("Ready", "Cloning", "Customizing", "Failed").set({ message: text`${told.ready?.message ?? ""}` });
    return;
  }
  if (told.phase === undefined) draft.phase("Pending");
  fields(world, draft);
  const wake = say(rest, world, draft);
  // What is not through by then has failed, whatever it waits for.
  if (rest.is !== "failed" && rest.is !== "ready") draft.wake(timeoutOf(world));
  draft.wake(wake);
}

const names = [
  "targetVMID",
  "taskRef",
  "actualCloneType",
  "startTime",
  "completionTime",
  "retryCount",
  "lastRetryTime",
  "customizationStatus",
  "progress",
  "targetRef",
] as const;

function fields({ held }: World, draft: CloneDraft): void {
  draft.set(held).unset(...names.filter((name) => held[name] === undefined));
}

function say(rest: Exclude<Rest, { is: "stuck" | "done" }>, world: World, draft: CloneDraft): Wake {
  const { now } = world;
  const after = (ms: Ms): Instant => plus(now, ms);
  const waits = (reason: "Cloning" | "SourceNotFound", why: SafeText) =>
    draft.condition("Ready", false, reason, why).set({ message: why });
  /** Nobody knows what the provider is at. */
  const unknown = (why: SafeText, isAway: boolean) => {
    const reason = isAway ? "ProviderUnreachable" : "ProviderError";
    draft.condition("Ready", "Unknown", reason, why).set({ message: why });
    if ((world.held.taskRef ?? "") !== "") draft.condition("Cloning", "Unknown", reason, why);
  };
  switch (rest.is) {
    case "failed":
      return sayFailed(rest, world, draft);
    case "noSource":
      waits("SourceNotFound", rest.why);
      return after(30 * second);
    case "waiting":
      waits("Cloning", rest.for);
      return after(rest.again);
    case "unreachable":
      unknown(rest.why, rest.isAway);
      return after(30 * second);
    case "copying":
      copying(world, draft, text`Clone operation initiated`);
      return after(taskPolls.clone);
    case "making":
      copying(world, draft, text`VirtualMachine ${world.clone.spec.target.name} is being made`);
      draft.set({ actualCloneType: "FullClone" });
      return after(taskPolls.clone);
    case "working":
      return sayWorking(world, draft);
    case "unheard":
      unknown(rest.why, rest.isAway);
      return after(taskPolls.clone);
    case "unsure":
      if (rest.why !== undefined) unknown(rest.why, false);
      // What was said before may be lost.
      else if (world.told.ready === undefined) waits("Cloning", text`It is looked up what became of the last request`);
      else draft.keep("Ready", "Cloning", "Failed");
      return rest.at;
    case "retrying": {
      const said = text`${rest.why}; it is tried again at ${volatile(formatTime(rest.at))}`;
      draft.unset("taskRef", "targetVMID").condition("Cloning", false, rest.reason, rest.why);
      draft
        .condition("Ready", false, "Retrying", said)
        .condition("Failed", false, "Retrying", said)
        .set({ message: said });
      return rest.at;
    }
    case "busy":
      draft.unset("taskRef", "targetVMID").condition("Cloning", false, "Busy", rest.why);
      draft.condition("Ready", false, "Busy", rest.why).set({ message: rest.why });
      return rest.at;
    case "customizing":
      copied(world, draft);
      sayCustomizing(world, draft);
      return after(10 * second);
    case "starting":
      copied(world, draft);
      customized(world, draft);
      draft.phase("Powering-On").condition("Ready", false, "Cloning", text`The copy is being switched on`);
      draft.set({ message: text`The copy is being switched on` });
      return after(10 * second);
    case "ready":
      return sayReady(world, draft);
  }
}

function sayFailed({ reason, why }: Rest & { is: "failed" }, { told, clone }: World, draft: CloneDraft): Wake {
  draft.phase("Failed").unset("taskRef").set({ message: why });
  draft.condition("Ready", false, reason, why).condition("Failed", true, reason, why);
  if (told.cloning?.status === "True" || told.cloning?.status === "Unknown")
    draft.condition("Cloning", false, reason, why);
  if (told.customizing?.status !== "True") return undefined;
  draft.condition("Customizing", false, reason === "Timeout" ? reason : "CustomizationFailed", why);
  draft.set({
    customizationStatus: { started: true, completed: false, failedSteps: [...stepsOf(clone)], message: why },
  });
  return undefined;
}

/** Through what it needs, to the copy. */
function prepared({ told }: World, draft: CloneDraft): void {
  if (told.phase === undefined || told.phase === "Pending") draft.phase("Preparing");
}

function copying(world: World, draft: CloneDraft, said: SafeText): void {
  prepared(world, draft);
  // What was said of a copy is lost: there is none as far as anybody knows.
  if (world.told.phase === "Customizing" || world.told.phase === "Powering-On") draft.phase("Failed");
  draft.phase("Cloning").condition("Cloning", true, "Cloning", said);
  draft.condition("Ready", false, "Cloning", said).set({ message: said });
}

/** The copy is there, and has no object yet. */
export function binding(world: World, draft: CloneDraft): void {
  if (world.told.phase === undefined) draft.phase("Pending");
  fields(world, draft);
  copying(world, draft, text`The copy gets its object`);
}

function sayWorking(world: World, draft: CloneDraft): Wake {
  const { heard, held, now, record, channel } = world;
  const task = heard.task?.is === "running" ? heard.task : { percent: undefined };
  const before = held.progress?.overallPercentage;
  // It never runs backwards.
  const percent = task.percent === undefined ? before : Math.max(task.percent, before ?? 0);
  const elapsed = Math.max(0, now - (parseTime(record?.at) ?? parseTime(held.startTime) ?? now));
  copying(
    world,
    draft,
    percent === undefined ? text`Cloning in progress` : text`Cloning in progress (${percent}% complete)`,
  );
  const left = percent === undefined ? undefined : remaining({ epoch: "", done: percent, total: 100 }, elapsed);
  draft.set({
    progress: {
      ...(percent !== undefined && { overallPercentage: percent }),
      ...disks(world, percent ?? 0, elapsed),
      ...(left !== undefined && { eta: formatGoDuration(left) }),
    },
  });
  return plus(now, nextPoll(taskPolls.clone, elapsed, channel));
}

type Progress = NonNullable<VMCloneStatus["progress"]>;

/** A provider tells of all disks together. */
function disks({ source, heard }: World, percentage: number, elapsed: Ms): Progress {
  const task = heard.task?.is === "running" ? heard.task : undefined;
  const { bytesTotal, bytesDone = 0 } = task ?? {};
  const totalDisks = source.is === "machine" ? 1 + (source.vm.spec.disks ?? []).length : undefined;
  return {
    ...(totalDisks !== undefined && { totalDisks, completedDisks: 0 }),
    ...(bytesTotal !== undefined && {
      currentDisk: {
        name: "all",
        percentage,
        totalBytes: bytesTotal,
        completedBytes: bytesDone,
        ...(elapsed > 0 && { transferRate: Math.floor((bytesDone * second) / elapsed) }),
      },
    }),
  };
}

/** The copy is there, and has its object. */
function copied(world: World, draft: CloneDraft): void {
  const { told, held, clone } = world;
  prepared(world, draft);
  if (told.phase !== "Customizing" && told.phase !== "Powering-On") draft.phase("Cloning");
  if (told.cloning?.reason !== "Completed")
    draft.condition("Cloning", false, "Completed", text`Clone operation completed`);
  draft.set({ targetRef: { name: clone.spec.target.name } });
  const { currentDisk: _disk, eta: _eta, totalDisks, ...progress } = held.progress ?? {};
  const all = totalDisks === undefined ? {} : { totalDisks, completedDisks: totalDisks };
  draft.set({ progress: { ...progress, ...all, overallPercentage: 100 } });
  if (told.failed?.status === "True" || told.failed?.reason === "Retrying") {
    draft.condition("Failed", false, "Completed", text`Clone operation completed`);
  }
}

function sayCustomizing({ clone }: World, draft: CloneDraft): void {
  const steps = stepsOf(clone);
  const said = text`Waiting until the guest reports ${steps.join(", ")}`;
  draft.phase("Customizing").condition("Customizing", true, "Customizing", said);
  draft.condition("Ready", false, "Customizing", said).set({ message: said });
  draft.set({ customizationStatus: { started: true, completed: false, currentStep: steps[0] ?? "", message: said } });
}

/** What became of what was to be changed in the guest. */
function customized({ clone, channel, told }: World, draft: CloneDraft): SafeText | undefined {
  const steps = [...stepsOf(clone)];
  if (steps.length === 0) return undefined;
  if (told.phase !== "Customizing" && told.phase !== "Powering-On") draft.phase("Customizing");
  if (told.customizing?.status === "False") return undefined;
  if (ignoresCustomization(channel.provider?.spec.type)) {
    const said = text`the provider ignores ${steps.join(", ")}`;
    draft.set({ customizationStatus: { started: true, completed: false, failedSteps: steps, message: said } });
    draft.condition("Customizing", false, "CustomizationFailed", said);
    return said;
  }
  const isRunning = clone.spec.options?.powerOn === true;
  const said = isRunning
    ? text`The guest reports what was asked for`
    : text`Sent with the copy: seen when it first starts`;
  draft.set({ customizationStatus: { started: true, completed: true, completedSteps: steps, message: said } });
  draft.condition("Customizing", false, "Completed", said);
  return undefined;
}

function sayReady(world: World, draft: CloneDraft): Wake {
  const { clone, held, now, told } = world;
  // What was said before holds for a spec that was changed on the way as well.
  draft.keep("Cloning", "Customizing", "Failed");
  copied(world, draft);
  const ignored = customized(world, draft) ?? storedIgnored(world);
  if (clone.spec.options?.powerOn === true && told.phase !== "Powering-On") draft.phase("Powering-On");
  draft.phase("Ready").set({ completionTime: held.completionTime ?? formatTime(now) });
  const said = text`Clone completed successfully`;
  draft
    .condition("Ready", true, "Completed", said)
    .set({ message: ignored === undefined ? said : text`${said}; ${ignored}` });
  return undefined;
}

const storedIgnored = ({ held }: World): SafeText | undefined =>
  (held.customizationStatus?.failedSteps ?? []).length > 0
    ? text`${held.customizationStatus?.message ?? ""}`
    : undefined;
