// Whether the source of a migration that is through may be deleted (3.3, F3). It is the last copy until the new machine is proven: what
// was not checked has not passed, and what is not known now is waited for. Pure.
import { findCondition, type SafeText, text } from "@telltale/status";
import { isConvertedAndVerified } from "./verified.ts";
import type { World } from "./world.ts";

export type SourceRemoval =
  | { readonly is: "safe" }
  | { readonly is: "waits"; readonly why: SafeText }
  | { readonly is: "refused"; readonly why: SafeText; readonly isTargetGone: boolean };

export function sourceRemoval(world: World): SourceRemoval {
  const { target, held } = world;
  const { object, at, isOurs } = target;
  const name = text`VirtualMachine ${at.namespace}/${at.name}`;
  if (object === undefined) return { is: "refused", why: text`${name} is gone`, isTargetGone: true };
  const { metadata, status = {} } = object;
  if (!isOurs || (status.id ?? "") !== (held.targetVMID ?? "")) {
    return { is: "refused", why: text`${name} is not the one that was checked`, isTargetGone: false };
  }
  const unproven = unprovenIn(world);
  if (unproven !== undefined) return { is: "refused", why: unproven, isTargetGone: false };
  if (metadata.deletionTimestamp !== undefined) return { is: "waits", why: text`${name} is going away` };
  const ready = findCondition(status.conditions, "Ready");
  const isCurrent = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (ready?.status === "True" && isCurrent) return { is: "safe" };
  const how = ready === undefined || !isCurrent ? text`not observed yet` : text`${ready.reason}`;
  return { is: "waits", why: text`${name} is not Ready (${how})` };
}

/** A check that is asked for and could not be made. */
function unprovenIn(world: World): SafeText | undefined {
  const { checkDiskSize = true, checkChecksum = true } = world.migration.spec.options?.validationChecks ?? {};
  const { diskSizeMatch, checksumMatch } = world.held.validationResults ?? {};
  if (checkDiskSize && diskSizeMatch !== true) {
    return text`the size of the new disk could not be checked (spec.options.validationChecks.checkDiskSize)`;
  }
  if (checkChecksum && checksumMatch !== true && !isConvertedAndVerified(world)) {
    return text`the new disk could not be checked by a checksum (spec.options.validationChecks.checkChecksum)`;
  }
  return undefined;
}
