// Whether the new machine is as the old one (3.3, "Validating-Target"). Pure.
import { type Instant, type Ms, parseQuantity, parseTime, plus, quantityToBytes } from "@telltale/kinds";
import { findCondition, text } from "@telltale/status";
import type { ValidationResults } from "../kinds/vm-migration-status.ts";
import { sha256In, stagedObject } from "./staging.ts";
import { ask, deed, failed, learn, move, type Step, wait } from "./step.ts";
import { mustRun } from "./target.ts";
import type { World } from "./world.ts";

const second: Ms = 1_000;
const poll = 15 * second;
const gibibyte = 2n ** 30n;

export function checking(world: World): Step {
  const { held, target, migration } = world;
  if (target.object === undefined) return failed("ProviderError", text`the new VM ${target.at.name} is gone`);
  const results = held.validationResults;
  if (results === undefined) return disk(world);
  if (results.diskSizeMatch === false || results.checksumMatch === false) {
    return failed("ValidationFailed", text`${(results.validationErrors ?? []).join("; ")}`);
  }
  const step = running(world, results);
  if (step !== undefined) return step;
  const isOn = target.object.spec.powerState === "On";
  if (mustRun(migration) && migration.spec.target.powerOn !== true && isOn) return deed({ is: "switchOff" });
  return move("Ready");
}

function disk(world: World): Step {
  const { heard, held, migration } = world;
  const { checkDiskSize = true, checkChecksum = true } = migration.spec.options?.validationChecks ?? {};
  if (checkDiskSize && heard.trouble !== undefined) return wait(heard.trouble.said, poll);
  if (checkDiskSize && heard.targetDisk === undefined) return ask("targetDisk");
  const { sourceSize, sourceChecksum, targetChecksum } = held.diskInfo ?? {};
  const parsed = sourceSize === undefined ? undefined : parseQuantity(sourceSize);
  const before = parsed === undefined ? undefined : BigInt(quantityToBytes(parsed));
  const now = heard.targetDisk === undefined || heard.targetDisk === "untold" ? undefined : heard.targetDisk;
  const size = now?.virtualSizeBytes;
  const isSame =
    checkDiskSize && size !== undefined && before !== undefined
      ? size >= before && size < before + gibibyte
      : undefined;
  const isVerified = checkChecksum ? checksumVerdict(world) : undefined;
  const errors = [
    ...(isSame === false ? [`the disk has ${size} bytes, and the source ${before}`] : []),
    ...(isVerified === false
      ? [`the imported disk has the checksum ${targetChecksum}, and the exported ${sourceChecksum}`]
      : []),
  ];
  const results: ValidationResults = {
    ...(isSame !== undefined && { diskSizeMatch: isSame }),
    ...(isVerified !== undefined && { checksumMatch: isVerified }),
    ...(errors.length > 0 && { validationErrors: errors }),
  };
  return learn({ ...held, validationResults: results });
}

/** Undefined: they do not tell. A disk that was converted, by us or by the provider that imports it, has another one than was exported. */
function checksumVerdict({ held, migration, staged, from }: World): boolean | undefined {
  const { sourceChecksum, targetChecksum, targetFormat } = held.diskInfo ?? {};
  if (sourceChecksum === undefined || targetChecksum === undefined) return undefined;
  if (sourceChecksum === targetChecksum) return true;
  const [before, after] = [sha256In(sourceChecksum), sha256In(targetChecksum)];
  if (before !== undefined && before === after) return true;
  const { format, isConverted } = stagedObject(migration, staged, held, from.channel.provider?.spec.type);
  const isComparable = before !== undefined && after !== undefined && !isConverted && format === targetFormat;
  return isComparable ? false : undefined;
}

/** What needs it to run: it stays on for a minute or has an address, and it answers. */
function running(world: World, results: ValidationResults): Step | undefined {
  const { held, now, migration, heard } = world;
  const { checkBoot = false, checkConnectivity = false } = migration.spec.options?.validationChecks ?? {};
  const began = parseTime(held.progress?.phaseStartTime) ?? now;
  const with_ = (more: Partial<ValidationResults>): Step =>
    learn({ ...held, validationResults: { ...results, ...more } });
  if (checkBoot && results.bootSuccess !== true) {
    if (results.bootSuccess === false) return failed("ValidationFailed", text`the new VM did not boot in 10 minutes`);
    if (hasBooted(world, began)) return with_({ bootSuccess: true });
    if (now < plus(began, 600 * second)) return wait(text`Waiting until the new VM has booted`, poll);
    return with_({ bootSuccess: false, validationErrors: [...(results.validationErrors ?? []), "it did not boot"] });
  }
  if (!checkConnectivity || results.connectivitySuccess === true) return undefined;
  if (results.connectivitySuccess === false) {
    return failed("ValidationFailed", text`the new VM answers on none of the ports 22, 3389 and 443`);
  }
  if (heard.isAnswering === undefined) return ask("knock");
  if (heard.isAnswering) return with_({ connectivitySuccess: true });
  const limit = plus(onSince(world, began) ?? began, 300 * second);
  if (now < limit) return wait(text`Waiting until the new VM answers`, poll);
  const errors = [...(results.validationErrors ?? []), "it does not answer"];
  return with_({ connectivitySuccess: false, validationErrors: errors });
}

function hasBooted(world: World, began: Instant): boolean {
  if ((world.target.object?.status?.ips ?? []).length > 0) return true;
  const since = onSince(world, began);
  return since !== undefined && world.now >= plus(since, 60 * second);
}

/** A machine that loses its power is not ready meanwhile. */
function onSince({ target }: World, began: Instant): Instant | undefined {
  const { powerState, conditions } = target.object?.status ?? {};
  const ready = findCondition(conditions, "Ready");
  if (powerState !== "On" || ready?.status !== "True") return undefined;
  const since = parseTime(ready.lastTransitionTime) ?? began;
  return since > began ? since : began;
}
