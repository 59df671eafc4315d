// What comes next in a pass over a clone: the rows of its state machine, in their order (3.9). Pure. A row either has something to
// say, or lets the next one speak.
import { type Instant, instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { text } from "@telltale/status";
import { isUnreachable } from "../link/failure.ts";
import { isExact, unanswered } from "../vm-snapshot/reach.ts";
import { ignoresCustomization, isReported, stepsOf } from "./customizing.ts";
import { afterFailure, askedAgainAt, busyUntil, isRetryable, pendingRetry, timeoutOf } from "./retrying.ts";
import { ask, deed, type FailReason, failed, rest, type Step } from "./step.ts";
import { hostName, machineIdOf } from "./target.ts";
import type { World } from "./world.ts";

export const copyOp = "Clone";

export function decide(world: World): Step {
  for (const row of rows) {
    const step = row(world);
    if (step !== undefined) return step;
  }
  return rest({ is: "ready" });
}

type Row = (world: World) => Step | undefined;

const over: Row = ({ told }) => {
  if (told.phase === "Ready") return rest({ is: "done" });
  if (told.phase !== "Failed") return undefined;
  return told.isSameSpec ? rest({ is: "stuck" }) : deed({ is: "renew" });
};

const invalid: Row = ({ problem, source }) => {
  if (problem !== undefined) return failed("ValidationError", problem);
  return source.is === "refused" ? failed("ValidationError", source.what) : undefined;
};

const late: Row = (world) => {
  if (world.now < timeoutOf(world)) return undefined;
  const { ready } = world.told;
  const cause = ready?.reason === "Busy" ? text`: ${ready.message}` : "";
  return failed("Timeout", text`it took longer than ${timeoutText(world)}${cause}`);
};

const timeoutText = ({ clone }: World): string => clone.spec.options?.timeout ?? "30m";

/** What no provider can, or this one not. */
const unable: Row = (world) => {
  const { clone, source, channel } = world;
  const { type = "FullClone" } = clone.spec.options ?? {};
  if (type === "InstantClone") return failed("Unsupported", text`no provider makes instant clones`);
  if (isBegun(world) || source.is !== "machine") return undefined;
  const { providerRef } = clone.spec.target;
  const { namespace = "" } = clone.metadata;
  const isOther =
    providerRef !== undefined &&
    (providerRef.name !== source.provider.name || (providerRef.namespace ?? namespace) !== source.provider.namespace);
  if (isOther) return failed("Unsupported", text`use a VMMigration to change provider`);
  const isLinked = channel.provider?.status?.reportedCapabilities?.supportsLinkedClones !== false;
  return type === "LinkedClone" && !isLinked
    ? failed("Unsupported", text`provider does not support linked clones`)
    : undefined;
};

/** The copy has its object, and only what was said of it is lost: by a restore that leaves statuses out, for example. */
const known: Row = (world) => {
  const { target, source } = world;
  if (isBegun(world) || !target.isOurs || source.is === "image") return undefined;
  const id = target.object === undefined ? "" : machineIdOf(target.object);
  return id === "" ? undefined : deed({ is: "own", id });
};

/** Nothing is asked of anybody before all that it needs is there. */
const needs: Row = (world) => {
  const { source, target, vmClass, placing } = world;
  if (isBegun(world)) return undefined;
  if (source.is === "missing") return rest({ is: "noSource", why: source.what });
  if (source.is === "waiting") return rest({ is: "waiting", for: source.what, again: 30_000 });
  if (target.object !== undefined && !(target.isOurs && source.is === "image")) {
    return failed(
      "TargetExists",
      text`VirtualMachine ${target.object.metadata.namespace ?? ""}/${target.object.metadata.name ?? ""} exists`,
    );
  }
  if (target.namesake !== undefined) {
    const { namespace = "", name = "" } = target.namesake.metadata;
    return failed("TargetExists", text`VirtualMachine ${namespace}/${name} has the name on this provider`);
  }
  if (vmClass.is === "missing") return failed("ValidationError", vmClass.what);
  return placing?.is === "nowhere" ? rest({ is: "waiting", for: placing.why, again: 60_000 }) : undefined;
};

/** No copy: a machine of its own, which the other controller makes. */
const image: Row = ({ source, target, heard, held }) => {
  if (source.is !== "image" || (held.targetVMID ?? "") !== "") return undefined;
  if (typeof heard.bound === "object") return failed("TargetExists", heard.bound.foreign);
  if (target.object === undefined) return heard.bound === "yes" ? rest({ is: "making" }) : deed({ is: "bind" });
  const { id = "", phase } = target.object.status ?? {};
  if (phase === "Failed")
    return failed("ProviderError", text`the machine could not be made: look at the VirtualMachine`);
  return id === "" ? rest({ is: "making" }) : deed({ is: "own", id });
};

const unreachable: Row = (world) =>
  world.channel.is === "closed" && !isCopied(world)
    ? rest({ is: "unreachable", why: world.channel.why, isAway: true })
    : undefined;

/** The provider is at it. */
const task: Row = (world) => {
  const { held, heard } = world;
  if ((held.taskRef ?? "") === "") return undefined;
  if (heard.trouble !== undefined) return rest({ is: "unheard", ...unanswered(heard.trouble, world) });
  if (heard.task === undefined) return ask("task");
  switch (heard.task.is) {
    case "running":
      return rest({ is: "working" });
    case "failed":
      return afterFailure(world, "ProviderError", heard.task.said);
    case "done": {
      const { id: given } = heard.task.result ?? {};
      const known = typeof given === "string" && given !== "" ? given : (held.targetVMID ?? "");
      return known === "" ? listed(world) : deed({ is: "own", id: known });
    }
    case "forgotten":
      return listed(world);
  }
};

/** The copy by its id or its name; where it is not there, nothing came of the request. */
function listed(world: World): Step {
  const { heard, held, claimed } = world;
  if (heard.listed === undefined) return ask("list");
  const name = hostName(world.clone);
  const found =
    heard.listed.find((it) => it.id === held.targetVMID) ??
    heard.listed.find((it) => it.name === name && !claimed.has(it.id));
  return found === undefined ? deed({ is: "drop" }) : deed({ is: "own", id: found.id });
}

/** The provider refused because the machine had other work: it is asked again after a while. */
const busy: Row = (world) => {
  const { told, heard, now } = world;
  const at = busyUntil(world);
  if (at === undefined || now >= at || heard.request !== undefined || heard.isSent === true) return undefined;
  return rest({ is: "busy", why: text`${told.ready?.message ?? ""}`, at });
};

/** A request of which nobody has stored what it came to. */
const requested: Row = (world) => {
  const { record, told, heard, now, held } = world;
  if (record?.op !== copyOp || (held.targetVMID ?? "") !== "") return undefined;
  if (heard.isSent === true) return rest({ is: "copying" });
  const at = pendingRetry(world);
  if (at !== undefined && now < at) {
    const [why, reason] = [text`${told.cloning?.message ?? ""}`, failReason(told.cloning?.reason)];
    return rest({ is: "retrying", reason, why, at });
  }
  if (heard.request === undefined) return ask("request");
  const { request } = heard;
  switch (request.is) {
    case "running": {
      // That a request failed is not taken back while it is looked up what became of it.
      const isKept = told.cloning?.status !== "True" || told.ready?.reason === "ProviderError";
      return rest(isKept ? { is: "unsure", why: undefined, at: plus(now, 10_000) } : { is: "copying" });
    }
    case "unsure":
      return rest({ is: "unsure", why: request.error.said, at: plus(now, 30_000) });
    case "many":
      return failed("TargetExists", text`several machines on the provider are named ${hostName(world.clone)}`);
    case "found":
      // Nobody has heard of a task, or that was lost: what is listed may be half a copy.
      if ((told.phase ?? "Pending") === "Pending" && now < openUntil(world)) return waits(world);
      // What an attempt left that failed is no copy.
      return at === undefined
        ? deed({ is: "own", id: request.id })
        : failed("ProviderError", text`a failed attempt left machine ${request.id} on the provider`);
    case "refused":
      return refused(world, request.error);
    case "lost":
      return lost(world, at !== undefined);
  }
};

function refused(world: World, error: NonNullable<World["heard"]["trouble"]>): Step {
  const { failure, said } = error;
  const { heard, record, claimed } = world;
  if (failure === "InvalidSpec") return failed("ValidationError", said);
  if (failure === "NotSupported") return failed("Unsupported", said);
  if (!isRetryable(failure)) return failed("ProviderError", said);
  if (failure === "Busy") return rest({ is: "busy", why: said, at: askedAgainAt(world, world.now) });
  if (isUnreachable(failure)) return rest({ is: "unsure", why: said, at: plus(world.now, 10_000) });
  if (failure === "Conflict") {
    if (heard.listed === undefined && heard.trouble === undefined) return ask("list");
    const name = hostName(world.clone);
    const found = heard.listed?.find((it) => it.name === name && !claimed.has(it.id));
    // At the first attempt the name was free a moment ago: somebody else was faster.
    if (found !== undefined && (record?.attempt ?? 1) > 1) return deed({ is: "own", id: found.id });
    if (heard.listed?.some((it) => it.name === name) === true) {
      return failed("TargetExists", text`the provider has a machine named ${name}`);
    }
  }
  return afterFailure(world, failure === "QuotaExceeded" ? "InsufficientResources" : "ProviderError", said);
}

/** So long after it was sent, a request of which nobody has heard may still have an effect. */
const patience: Ms = 300_000;
/** How often it is begun again where nobody knows that it failed. */
const crashes = 3;

const openUntil = ({ recordAge, now }: World): Instant => plus(now, Math.max(0, patience - recordAge));

const waits = (world: World): Step =>
  rest({ is: "unsure", why: undefined, at: plus(world.now, Math.min(10_000, openUntil(world) - world.now)) });

function lost(world: World, isRetry: boolean): Step | undefined {
  const { record, told, now, channel } = world;
  if (isRetry || told.ready?.reason === "Busy") return undefined;
  if (!isExact(channel) && now < openUntil(world)) return waits(world);
  if (told.ready?.reason === "ProviderError") {
    return afterFailure(world, "ProviderError", text`${told.ready.message}`);
  }
  return (record?.attempt ?? 1) < crashes
    ? undefined
    : afterFailure(world, "ProviderError", text`nothing came of ${crashes} requests`);
}

/** The name is free, and the provider can. */
const free: Row = (world) => {
  const { held, heard, source, clone, record } = world;
  if ((held.targetVMID ?? "") !== "" || source.is === "image") return undefined;
  if (source.is === "waiting") return rest({ is: "waiting", for: source.what, again: 30_000 });
  if (source.is !== "machine") return rest({ is: "noSource", why: source.what });
  if (heard.trouble !== undefined) return rest({ is: "unreachable", ...unanswered(heard.trouble, world) });
  if (source.snapshotId !== "") {
    if (heard.capabilities === undefined) return ask("capabilities");
    if (!heard.capabilities.extensions.includes("clone-from-snapshot")) {
      return failed("Unsupported", text`provider does not clone from snapshots`);
    }
  }
  if (record === undefined) {
    if (heard.listed === undefined) return ask("list");
    const name = hostName(clone);
    // It may be our own, and the cache older than the record of it.
    if (heard.listed.some((it) => it.name === name)) {
      return heard.isFresh === true
        ? failed("TargetExists", text`the provider has a machine named ${name}`)
        : ask("self");
    }
  }
  if (heard.lacking !== undefined) return rest({ is: "waiting", for: heard.lacking, again: 30_000 });
  return deed({ is: "copy", isRetry: pendingRetry(world) !== undefined });
};

/** The copy gets its object, and the object its id. */
const bind: Row = ({ target, held, heard }) => {
  if (typeof heard.bound === "object") return failed("TargetExists", heard.bound.foreign);
  if (heard.bound === "yes") return undefined;
  return target.isOurs && target.object?.status?.id === held.targetVMID ? undefined : deed({ is: "bind" });
};

const longest: Ms = 600_000;

const customize: Row = ({ clone, target, channel, told, now }) => {
  if (stepsOf(clone).length === 0) return undefined;
  if (told.customizing?.status === "False" || told.phase === "Powering-On") return undefined;
  // Nobody reports anything of a guest that does not run.
  if (ignoresCustomization(channel.provider?.spec.type) || clone.spec.options?.powerOn !== true) return undefined;
  if (isReported(clone, target.object)) return undefined;
  const since = told.customizing?.status === "True" ? (parseTime(told.customizing.lastTransitionTime) ?? now) : now;
  const until = plus(instant(Math.min(since, now)), longest);
  return now < until
    ? rest({ is: "customizing", until })
    : failed("CustomizationFailed", text`the guest did not report what was asked for within 10m`);
};

const power: Row = ({ clone, target }) =>
  clone.spec.options?.powerOn === true && target.object?.status?.phase !== "Running"
    ? rest({ is: "starting" })
    : undefined;

/** What is there may be known from the cache only, and the server may have been put back: it says so itself before this is the end. */
const sure: Row = ({ heard }) => (heard.bound === "yes" ? undefined : deed({ is: "bind" }));

const rows: readonly Row[] = [
  over,
  invalid,
  late,
  unable,
  known,
  needs,
  image,
  unreachable,
  task,
  busy,
  requested,
  free,
  bind,
  customize,
  power,
  sure,
];

/** Something was asked of the provider. */
export const isBegun = ({ held, record }: World): boolean =>
  (held.targetVMID ?? "") !== "" || (held.taskRef ?? "") !== "" || record?.op === copyOp;

/** The copy is there, and only its object is looked at. */
const isCopied = ({ held }: World): boolean => (held.targetVMID ?? "") !== "" && (held.taskRef ?? "") === "";

const failReason = (reason: string | undefined): FailReason =>
  reason === "InsufficientResources" ? reason : "ProviderError";
