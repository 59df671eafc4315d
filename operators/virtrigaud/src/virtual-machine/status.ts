// What a VirtualMachine says of itself: one row for each way in which a pass can end. Pure.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, type SafeText, text } from "@telltale/status";
import type { VirtualMachine } from "../kinds/index.ts";
import { type Failure, isUnreachable } from "../link/failure.ts";
import { unreachable } from "../reachable.ts";
import { isChanging, isMaking, isShuttingDown } from "./marks.ts";
import type { Rest } from "./step.ts";
import type { Held, Trouble, World } from "./world.ts";

type VMDraft = Draft<typeof VirtualMachine>;
type Phase = NonNullable<World["told"]["phase"]>;

const second: Ms = 1_000;
const soon = 5 * second;

export function status(world: World, draft: VMDraft, now: Instant): void {
  const { rest, snapshots } = world;
  if (rest === undefined) return;
  stand(world.told, draft);
  hold(world.held, draft);
  if (snapshots.length > 0) draft.set({ snapshots: [...snapshots] });
  else draft.unset("snapshots");
  const wake = say(rest, world, draft);
  draft.wake(typeof wake === "number" ? plus(now, wake) : wake?.at);
}

/** What was said stands, for this generation too, unless this pass says otherwise. */
export function stand({ ready, provisioning, reconfiguring }: World["told"], draft: VMDraft): void {
  if (ready !== undefined) draft.keep("Ready");
  if (provisioning !== undefined) draft.keep("Provisioning");
  if (reconfiguring !== undefined) draft.keep("Reconfiguring");
}

const fields = [
  "id",
  "powerState",
  "ips",
  "consoleURL",
  "provider",
  "lastTaskRef",
  "reconfigureTaskRef",
  "lastReconfigureTime",
  "currentResources",
] as const satisfies readonly (keyof Held)[];

function hold(held: Held, draft: VMDraft): void {
  draft.set(held);
  for (const field of fields) if (held[field] === undefined) draft.unset(field);
}

/** After so long, at a moment, or not before something changes. */
type Wake = Ms | { readonly at: Instant } | undefined;

function say(rest: Rest, world: World, draft: VMDraft): Wake {
  const isNew = (world.held.id ?? "") === "";
  const pending = (): void => {
    if (isNew) draft.phase("Pending");
  };
  switch (rest.is) {
    case "invalid":
      draft.phase("Failed").condition("Ready", false, "ValidationError", rest.why).set({ message: rest.why });
      return undefined;
    case "waiting":
      pending();
      draft.condition("Ready", false, "WaitingForDependencies", rest.for).set({ message: rest.for });
      return 30 * second;
    case "unreachable":
      sayUnreachable(rest.why, world, draft);
      return { at: rest.again };
    case "trouble":
      return sayTrouble(rest, world, draft);
    case "locked":
      if (isNew) pending();
      else draft.phase(phaseOf(world));
      draft.condition("Reconfiguring", false, "MigrationInProgress", text`VMMigration ${world.lock ?? ""} has it`);
      return 30 * second;
    case "unclaimed": {
      const said = text`Waiting for adoption/clone controller to set Status.ID`;
      draft.phase("Pending").condition("Provisioning", true, "WaitingForDependencies", said);
      draft.condition("Ready", false, "WaitingForDependencies", said).set({ message: said });
      return soon;
    }
    case "image":
      if (rest.isUnderWay) {
        draft.phase("Provisioning").condition("Provisioning", true, "TaskInProgress", rest.why);
        draft.condition("Ready", false, "TaskInProgress", rest.why);
      } else {
        draft.phase("Pending").condition("Ready", false, "WaitingForDependencies", rest.why);
        // Its preparation was under way, and has failed or was given up.
        const { status, reason = "" } = world.told.provisioning ?? {};
        if (status !== "False" && ["TaskInProgress", "ProviderUnreachable"].includes(reason))
          draft.condition("Provisioning", false, "WaitingForDependencies", rest.why);
      }
      draft.set({ message: rest.why });
      return soon;
    case "unplaced":
      draft.phase("Pending").condition("Ready", false, "PlacementFailed", rest.why).set({ message: rest.why });
      return 60 * second;
    case "nameTaken":
      // Failed after a creation that was refused is failed for good: this one is tried again.
      draft.phase(world.told.provisioning?.reason === "ProviderError" ? "Pending" : "Failed");
      draft.condition("Ready", false, "NameConflict", rest.why).set({ message: rest.why });
      return 60 * second;
    case "retrying":
      return { at: rest.at };
    case "stuck":
      return undefined;
    case "unsure":
      making(draft, "Creating", text`Waiting to see what became of the last attempt`);
      return { at: rest.at };
    case "creating":
      if (isMaking(world.told) && world.heard.done === undefined)
        making(draft, "TaskInProgress", text`Task in progress`);
      else making(draft, "Creating", text`VM creation initiated`);
      return soon;
    case "created":
      draft.phase("Provisioning").condition("Provisioning", false, "ReconcileSucceeded", text`VM created`);
      draft.condition("Ready", false, "Creating", text`VM created`).set({ message: text`VM created` });
      return soon;
    case "absent": {
      // Whoever begins anew does not doubt again what was found out before.
      if (world.told.phase === "Failed" && world.told.ready?.reason === "VMNotFound") return 15 * second;
      const said = text`The provider says that the machine does not exist`;
      draft.condition("Ready", false, "VMNotFound", said).set({ message: said });
      return 15 * second;
    }
    case "gone": {
      const said = text`The machine is gone from the provider and is made again`;
      draft.phase("Provisioning").condition("Ready", false, "VMNotFound", said).set({ message: said });
      return 0;
    }
    case "lost":
      draft.phase("Failed").condition("Ready", false, "VMNotFound", rest.why).set({ message: rest.why });
      return 300 * second;
    case "broken": {
      const said = text`Failed to create VM: ${rest.why}`;
      draft.phase("Failed").condition("Provisioning", false, "ProviderError", said);
      draft.condition("Ready", false, "ProviderError", said).set({ message: said });
      return undefined;
    }
    case "powering": {
      const said = text`Adjusting power state`;
      draft.phase(world.told.phase === "Provisioning" ? "Provisioning" : phaseOf(world));
      provisioned(world, draft);
      changing(draft, world.heard.task === undefined ? "Updating" : "TaskInProgress", said);
      return soon;
    }
    case "shuttingDown": {
      draft.phase(phaseOf(world));
      provisioned(world, draft);
      shuttingDown(draft);
      const left = rest.until - world.now;
      return Math.max(second, Math.min(soon, left));
    }
    case "resizing":
      return sayResizing(rest.isTask, world, draft);
    case "reverting":
      draft.phase("Reconfiguring");
      draft.condition("Reconfiguring", true, "RevertingSnapshot", text`Going back to VMSnapshot ${rest.name}`);
      draft.condition("Ready", false, "RevertingSnapshot", text`Going back to VMSnapshot ${rest.name}`);
      draft.set({ message: text`Going back to VMSnapshot ${rest.name}` });
      return soon;
    case "revertFailed":
      draft.phase(phaseOf(world)).condition("Reconfiguring", false, "RevertFailed", rest.why);
      draft.condition("Ready", false, "RevertFailed", rest.why).set({ message: rest.why });
      return steady(world);
    case "shrinking":
      draft.phase(phaseOf(world)).condition("Ready", false, "ValidationError", rest.why).set({ message: rest.why });
      return steady(world);
    case "settled":
      return saySettled(rest, world, draft);
  }
}

/** Nothing is known of it now: what was seen last is kept, and in the same words as long as it is so. */
function sayUnreachable(why: SafeText, { told, held }: World, draft: VMDraft): void {
  const wasSeen = told.phase === "Running" || told.phase === "Stopped";
  if (told.phase === undefined || (wasSeen && held.id === undefined)) draft.phase("Pending");
  draft.condition("Ready", "Unknown", "ProviderUnreachable", why).set({ message: why });
  // That it was asked for stays true; whether the provider is at work on it is not known.
  const { status, reason } = told.provisioning ?? {};
  if (status === "True" && reason === "TaskInProgress") {
    draft.condition("Provisioning", "Unknown", "ProviderUnreachable", why);
  }
  // The reason tells the next pass what was begun.
  if (isChanging(told)) draft.condition("Reconfiguring", "Unknown", changeOf(told), why);
}

const changes = ["ShuttingDown", "TaskInProgress", "RevertingSnapshot"] as const;

const changeOf = (told: World["told"]) =>
  isShuttingDown(told) ? "ShuttingDown" : (changes.find((it) => it === told.reconfiguring?.reason) ?? "Updating");

function making(draft: VMDraft, reason: "Creating" | "TaskInProgress", said: SafeText): void {
  draft.phase("Provisioning").condition("Provisioning", true, reason, said);
  draft.condition("Ready", false, reason, said).set({ message: said });
}

export function changing(draft: VMDraft, reason: "Updating" | "TaskInProgress", said: SafeText): void {
  draft.condition("Reconfiguring", true, reason, said);
  draft.condition("Ready", false, reason, said).set({ message: said });
}

/** The reason tells the next pass that the guest was asked. */
export function shuttingDown(draft: VMDraft, options: { readonly restamp?: boolean } = {}): void {
  const said = text`Graceful shutdown requested`;
  draft.condition("Reconfiguring", true, "ShuttingDown", said, options);
  draft.condition("Ready", false, "Updating", said).set({ message: said });
}

/** It was described: it exists. */
function provisioned({ told }: World, draft: VMDraft): void {
  if (told.provisioning?.reason !== "ReconcileSucceeded") {
    draft.condition("Provisioning", false, "ReconcileSucceeded", text`VM provisioned`);
  }
}

/** By what was seen; where nothing was, as it was. */
function phaseOf({ held, told, heard }: World): Phase {
  if (heard.seen?.is !== "there" && told.phase !== undefined) return told.phase;
  return held.powerState === "On" ? "Running" : "Stopped";
}

function sayResizing(isTask: boolean, world: World, draft: VMDraft): Wake {
  provisioned(world, draft);
  if (!isTask) {
    draft.phase(phaseOf(world));
    const said = text`VM reconfigured successfully`;
    draft.condition("Reconfiguring", false, "ReconcileSucceeded", said).set({ message: said });
    return soon;
  }
  const isNew = world.heard.resize === undefined;
  const said = isNew ? text`VM reconfiguration in progress` : text`Reconfiguration in progress`;
  draft.phase("Reconfiguring").condition("Reconfiguring", true, isNew ? "Updating" : "TaskInProgress", said);
  draft.set({ message: said });
  return soon;
}

function saySettled({ restart, classless }: Rest & { is: "settled" }, world: World, draft: VMDraft): Wake {
  const phase = phaseOf(world);
  draft.phase(phase).condition("Ready", true, "ReconcileSucceeded", text`VM synchronized successfully`);
  draft.condition("Provisioning", false, "ReconcileSucceeded", text`VM provisioned`);
  if (restart === undefined) {
    draft.condition("Reconfiguring", false, "ReconcileSucceeded", text`The machine is as the spec says`);
  } else draft.condition("Reconfiguring", false, "RestartRequired", restart);
  draft.set({ message: classless ?? restart ?? (phase === "Running" ? text`VM is running` : text`VM is stopped`) });
  return steady(world);
}

/** Spread, so that not all are looked at at once. */
function steady({ held, heard, chance }: World): Ms {
  const spread = (ms: Ms) => Math.round(ms * (0.8 + 0.4 * chance));
  if (heard.seen?.is !== "there" || heard.seen.power === "Unknown") return 10 * second;
  if (held.powerState === "On") return (held.ips ?? []).length === 0 ? 10 * second : spread(120 * second);
  return spread(300 * second);
}

const reasons = {
  InvalidSpec: "ValidationError",
  NotSupported: "UnsupportedByProvider",
  QuotaExceeded: "QuotaExceeded",
  Unauthorized: "Unauthorized",
} as const;

const reasonOf = (failure: Failure) =>
  failure in reasons ? reasons[failure as keyof typeof reasons] : "ProviderError";

function sayTrouble({ trouble, isFinal }: Rest & { is: "trouble" }, world: World, draft: VMDraft): Wake {
  const { during, error } = trouble;
  if (isUnreachable(error.failure)) {
    sayUnreachable(unreachable(providerOf(world)), world, draft);
    if (during === "create") sayUnanswered(trouble, world, draft);
    return trouble.again === undefined ? 300 * second : { at: trouble.again };
  }
  switch (during) {
    case "create":
    case "createTask":
      return sayNotMade(trouble, isFinal, draft);
    case "look": {
      // Held back by the limits of the provider: it was not asked, and a few times in a row that is no news.
      if (error.failure === "RateLimit" && trouble.count < 3 && world.told.ready !== undefined) break;
      const said = text`Failed to describe VM: ${error.said}`;
      if ((world.held.id ?? "") === "") draft.phase(world.told.phase ?? "Pending");
      draft.condition("Ready", "Unknown", "ProviderError", said).set({ message: said });
      break;
    }
    case "power": {
      const said = text`Failed to adjust power state: ${error.said}`;
      draft.phase(world.told.phase === "Provisioning" ? "Provisioning" : phaseOf(world));
      provisioned(world, draft);
      draft.condition("Ready", false, "ProviderError", said).set({ message: said });
      break;
    }
    case "reconfigure": {
      const said = text`Failed to reconfigure VM: ${error.said}`;
      draft.phase(phaseOf(world)).condition("Reconfiguring", false, "ProviderError", said);
      draft.condition("Ready", false, "ProviderError", said).set({ message: said });
      break;
    }
    case "revert": {
      const said = text`Failed to go back to the snapshot: ${error.said}`;
      draft.phase(phaseOf(world)).condition("Ready", false, "ProviderError", said).set({ message: said });
      break;
    }
  }
  return trouble.again === undefined ? 300 * second : { at: trouble.again };
}

const providerOf = ({ needs, vm }: World): string =>
  needs.is === "there" ? keyOf(needs.provider.metadata) : vm.spec.providerRef.name;

const keyOf = ({ namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string }): string =>
  `${namespace}/${name}`;

/** A request to make it had no answer: it may be being made, or it was never sent, which tells nothing of one before it. */
function sayUnanswered({ error }: Trouble, { told }: World, draft: VMDraft): void {
  if (error.isOutcomeUnknown || (isMaking(told) && told.provisioning?.reason === "Creating")) {
    const said = text`The provider was asked to make it, and has not answered`;
    draft.phase("Provisioning").condition("Provisioning", true, "Creating", said);
  } else {
    draft
      .phase("Pending")
      .condition("Provisioning", false, "ProviderError", text`The provider was not asked to make it`);
  }
}

/** E1 */
function sayNotMade({ error, again, isNameTaken = false }: Trouble, isFinal: boolean, draft: VMDraft): Wake {
  const said = text`Failed to create VM: ${error.said}`;
  const reason = isNameTaken ? "NameConflict" : reasonOf(error.failure);
  draft.set({ message: said }).condition("Ready", false, reason, said);
  if (isFinal) {
    draft.phase("Failed").condition("Provisioning", false, "ProviderError", said);
    return undefined;
  }
  const isPending = ["QuotaExceeded", "Unauthorized", "Conflict", "FailedPrecondition", "Busy"].includes(error.failure);
  draft.phase(isPending ? "Pending" : "Provisioning");
  draft.condition("Provisioning", false, "ProviderError", said);
  return again === undefined ? 60 * second : { at: again };
}
