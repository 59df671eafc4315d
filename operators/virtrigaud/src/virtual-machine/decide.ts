// What comes next in a pass over a machine: the table of steps, row by row, in its order (3.1). Pure. A row either has something to
// say, or lets the next one speak.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { text } from "@telltale/status";
import { labels } from "../names.ts";
import { isConnected, unreachable as unreachableText } from "../reachable.ts";
import { awaited } from "./addresses.ts";
import { createBackoff, createLimit } from "./backoff.ts";
import { formOn } from "./image-form.ts";
import {
  graceSeconds,
  isChanging,
  isCreationOpen,
  isMaking,
  isReverting,
  isShuttingDown,
  shutdownLimit,
} from "./marks.ts";
import { anothers, nameOn } from "./name.ts";
import { reverting, revertLimit } from "./reverting.ts";
import { sizing } from "./sizing.ts";
import { ask, deed, rest, type Step } from "./step.ts";
import type { World } from "./world.ts";

export function decide(world: World): Step {
  for (const row of rows) {
    const step = row(world);
    if (step !== undefined) return step;
  }
  return rest({ is: "settled" });
}

type Row = (world: World) => Step | undefined;

/** 6: a spec that cannot work. */
const invalid: Row = ({ problem, needs }) => {
  if (problem !== undefined) return rest({ is: "invalid", why: problem });
  return needs.is === "refused" ? rest({ is: "invalid", why: needs.what }) : undefined;
};

/** 7: what it refers to is not there. */
const waiting: Row = ({ needs }) => (needs.is === "missing" ? rest({ is: "waiting", for: needs.what }) : undefined);

/** 8: nobody to ask. What failed for good is no news of the provider, and stays said. */
const unreachable: Row = (world) => {
  const { channel } = world;
  if (channel.is !== "closed") return undefined;
  return stuck(world) ?? rest({ is: "unreachable", why: channel.why, again: channel.again });
};

/** Something was tried and failed: the pass ends with it. */
const troubled: Row = ({ heard: { trouble, lacking, taken }, record }) => {
  if (lacking !== undefined) return rest({ is: "waiting", for: lacking });
  if (taken !== undefined) return rest({ is: "nameTaken", why: taken });
  if (trouble === undefined) return undefined;
  const { during, error, count } = trouble;
  if (during === "revert" && count >= revertLimit) return rest({ is: "revertFailed", why: error.said });
  const isCreating = during === "create" || during === "createTask";
  return rest({ is: "trouble", trouble, isFinal: isCreating && isFinal(error.failure, record?.attempt ?? 1) });
};

/** What does not get better by itself, and what has been tried often enough. */
function isFinal(failure: string, attempt: number): boolean {
  if (failure === "InvalidSpec" || failure === "NotSupported") return true;
  return failure === "Internal" && attempt % createLimit === 0;
}

/** Something was done: the pass ends with it, and the next one sees what became of it. */
const afterwards: Row = ({ heard: { done }, held, vm, told, now, revert }) => {
  const isTask = (held.lastTaskRef ?? "") !== "";
  switch (done?.is) {
    case undefined:
      return undefined;
    case "created":
      return rest({ is: isTask ? "creating" : "created" });
    case "forgotten":
      return rest({ is: "gone" });
    case "powered":
      return done.how === "graceful"
        ? rest({ is: "shuttingDown", until: shutdownLimit(vm, told, now) })
        : rest({ is: "powering", isTask });
    case "resized":
      return rest({ is: "resizing", isTask: (held.reconfigureTaskRef ?? "") !== "" });
    case "reverting":
      if (!isTask) return deed({ is: "markReverted" });
      return rest({ is: "reverting", name: revert.is === "wanted" ? revert.name : "" });
  }
};

/** 10: the provider is still at something. */
const task: Row = ({ held, heard, told }) => {
  if ((held.lastTaskRef ?? "") === "") return undefined;
  if (heard.task === undefined) return ask("task");
  if (heard.task.is !== "running") return undefined; // it ended: whoever asked has noted so
  if (isMaking(told)) return rest({ is: "creating" });
  if (isReverting(told)) return undefined; // row 20 knows more
  return isShuttingDown(told) ? undefined : rest({ is: "powering", isTask: true });
};

/** 11: the provider is still at a change of its size. */
const resizeTask: Row = ({ held, heard }) => {
  if ((held.reconfigureTaskRef ?? "") === "") return undefined;
  if (heard.resize === undefined) return ask("resize");
  return heard.resize.is === "running" ? rest({ is: "resizing", isTask: true }) : undefined;
};

/** 5: whoever migrates it has it for themselves. */
const lockedOut: Row = (world) => (isNew(world) && world.lock !== undefined ? rest({ is: "locked" }) : undefined);

/** 12: somebody else made it, and says which it is. */
const unclaimed: Row = (world) => (isNew(world) && isAdopted(world) ? rest({ is: "unclaimed" }) : undefined);

/** 9: an attempt to make it whose end nobody saw. Its name was free before. After one that was refused, it may be somebody else's. */
const unknown: Row = (world) => {
  const { heard, now } = world;
  if (!isNew(world) || !isCreationOpen(world)) return undefined;
  if (heard.capabilities === undefined) return ask("capabilities");
  if (heard.listed === undefined) return ask("list");
  const [found, ...others] = candidates(world);
  if (others.length > 0) {
    const why = text`${others.length + 1} machines on the provider are named ${nameOn(world.vm)}`;
    return rest({ is: "nameTaken", why });
  }
  if (found !== undefined) return deed({ is: "claim", id: found });
  const until = surely(world);
  return now < until ? rest({ is: "unsure", at: until }) : undefined;
};

/**
 * One of its name that nobody remembers: a provider that knows requests again tells whether it is this one's, which needs no record. With
 * another provider nothing does, and a second request would make a second machine.
 */
const unproven: Row = (world) => {
  const { heard, vm } = world;
  if (!isNew(world) || isCreationOpen(world)) return undefined;
  if (heard.capabilities === undefined) return ask("capabilities");
  if (heard.listed === undefined) return ask("list");
  const [found] = namedLike(world);
  if (found === undefined) return undefined;
  if (isKnownAgain(heard.capabilities)) return deed({ is: "repeat", id: found });
  return rest({ is: "nameTaken", why: anothers(vm, found) });
};

/** The ids of machines that have its name. */
const namedLike = ({ heard, vm }: World): readonly string[] =>
  (heard.listed ?? []).filter(({ name }) => name === nameOn(vm)).map(({ id }) => id);

/** Those of them that nobody else has. */
const candidates = (world: World): readonly string[] => namedLike(world).filter((id) => !world.claimed.has(id));

/** Whether the provider gives the same machine for the same request. */
const isKnownAgain = ({ extensions }: NonNullable<World["heard"]["capabilities"]>): boolean =>
  extensions.includes("request-id");

/** So long a request whose answer was lost may still have an effect, where the provider does not tell repetitions by their id. */
const late: Ms = 60_000;

function surely({ recordAge, heard, now }: World): Instant {
  if (heard.capabilities !== undefined && isKnownAgain(heard.capabilities)) return now;
  return plus(now, Math.max(0, late - recordAge));
}

/** 13: what it is made of. */
const image: Row = (world) => {
  const { needs, vm, now } = world;
  if (!isNew(world) || needs.is !== "there") return undefined;
  const addresses = awaited(vm, needs.networks);
  if (addresses !== undefined) return rest({ is: "waiting", for: addresses });
  if (needs.image === undefined) return undefined;
  const form = formOn(needs.image, needs.provider, needs.key);
  if (form.is === "usable") return undefined;
  const { name = "" } = needs.image.metadata;
  const where = needs.provider.metadata.name ?? "";
  if (isConnected(needs.provider) === false) {
    const { namespace = "" } = needs.provider.metadata;
    return rest({ is: "unreachable", why: unreachableText(`${namespace}/${where}`), again: plus(now, minute) });
  }
  switch (form.is) {
    case "preparing":
      return rest({ is: "image", isUnderWay: true, why: text`Preparing image ${name} on provider ${where}` });
    case "unknown":
      return rest({
        is: "image",
        isUnderWay: false,
        why: text`Provider ${where} has not said whether it prepares images`,
      });
    case "missing":
      return rest({ is: "image", isUnderWay: false, why: text`Image ${name} not prepared on provider ${where}` });
  }
};

const minute: Ms = 60_000;

/** 14: where it goes. */
const placement: Row = (world) =>
  isNew(world) && world.placing?.is === "nowhere" ? rest({ is: "unplaced", why: world.placing.why }) : undefined;

/** 15: whose name it is. */
const namesake: Row = (world) => {
  const { namesake: other, vm } = world;
  if (!isNew(world) || other === undefined) return undefined;
  const { namespace = "", name = "" } = other.metadata;
  const why = text`VirtualMachine ${namespace}/${name} has the name ${nameOn(vm)} on this provider`;
  return rest({ is: "nameTaken", why });
};

/** It could not be made, and a person has to do something about it. */
const stuck: Row = ({ told, vm }) => {
  const isSame = told.observedGeneration === (vm.metadata.generation ?? 0);
  const isOver = told.phase === "Failed" && told.provisioning?.reason === "ProviderError";
  return isSame && isOver ? rest({ is: "stuck" }) : undefined;
};

/** 16: it is made. */
const create: Row = (world) => {
  const { record, told, vm, now } = world;
  if (!isNew(world)) return undefined;
  const isSame = told.observedGeneration === (vm.metadata.generation ?? 0);
  const at = isSame && record?.op === "Create" ? createBackoff(record, told.ready?.reason) : undefined;
  if (at !== undefined && now < at) return rest({ is: "retrying", at });
  return deed({ is: "create" });
};

/** 10, E1: a creation failed outside. Where something is left of it a person decides: it may hold somebody's disk. */
const failedTask: Row = ({ heard, held, told }) => {
  if (heard.task?.is !== "failed" || !isMaking(told) || (held.id ?? "") === "") return undefined;
  if (heard.seen === undefined) return ask("describe");
  if (heard.seen.is === "missing") return deed({ is: "forget" });
  return rest({ is: "broken", why: heard.task.said });
};

/** 17 */
const describe: Row = ({ heard }) => (heard.seen === undefined ? ask("describe") : undefined);

/** 18: one answer proves nothing. */
const vanished: Row = (world) => {
  const { heard, held, vm, now, lock } = world;
  if (heard.seen?.is !== "missing") return undefined;
  const { count = 1, since = now } = heard.misses ?? {};
  if (lock !== undefined || count < 3 || now - since < believedAfter) return rest({ is: "absent" });
  if (heard.listed === undefined) return ask("list");
  if (heard.listed.some(({ id }) => id === held.id)) return rest({ is: "absent" });
  const other = heard.listed.find(({ name }) => name === nameOn(vm));
  if (other !== undefined) {
    return rest({ is: "lost", why: text`The provider has a machine of this name with another id: ${other.id}` });
  }
  const isMadeAnew = vm.spec.imageRef !== undefined && !isAdopted(world);
  return isMadeAnew ? deed({ is: "forget" }) : rest({ is: "lost", why: text`The machine is gone from the provider` });
};

const believedAfter: Ms = 45_000;

/** 5: from here on things are changed. */
const locked: Row = ({ lock }) => (lock === undefined ? undefined : rest({ is: "locked" }));

/** 21: on or off. */
const power: Row = ({ vm, heard, told, now }) => {
  const { seen } = heard;
  if (seen?.is !== "there" || seen.power === "Unknown") return undefined;
  const wanted = vm.spec.powerState ?? "On";
  if (wanted === "On") return seen.power === "On" ? undefined : deed({ is: "power", to: "On", isForced: false });
  if (seen.power === "Off") return undefined;
  if (vm.spec.lifecycle?.preStop !== undefined && !isChanging(told) && heard.hooked === undefined)
    return deed({ is: "hook", at: "preStop" });
  if (wanted === "Off") return deed({ is: "power", to: "Off", isForced: false });
  if (!isShuttingDown(told)) return deed({ is: "shutDown", seconds: graceSeconds(vm) });
  const until = shutdownLimit(vm, told, now);
  return now < until ? rest({ is: "shuttingDown", until }) : deed({ is: "power", to: "Off", isForced: true });
};

/** 23: it has just been switched on. */
const started: Row = ({ vm, heard, held, told }) => {
  const isFirst = heard.seen?.is === "there" && held.powerState === "On" && told.phase !== undefined;
  if (!isFirst || vm.spec.lifecycle?.postStart === undefined || heard.hooked !== undefined) return undefined;
  return vm.status?.powerState === "On" ? undefined : deed({ is: "hook", at: "postStart" });
};

const rows: readonly Row[] = [
  invalid,
  waiting,
  unreachable,
  troubled,
  afterwards,
  task,
  failedTask,
  stuck,
  resizeTask,
  lockedOut,
  unclaimed,
  unknown,
  image,
  placement,
  namesake,
  unproven,
  create,
  describe,
  vanished,
  locked,
  reverting,
  power,
  sizing,
  started,
];

const isNew = ({ held }: World): boolean => (held.id ?? "") === "";
const isAdopted = ({ vm }: World): boolean => vm.metadata.labels?.[labels.adopted] === "true";
