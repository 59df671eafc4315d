// What the stored conditions tell of work that was begun: read here and nowhere else, so that a restart goes on where it was.
import { type Instant, type Ms, parseGoDuration, parseTime, plus } from "@telltale/kinds";
import type { VirtualMachine } from "../kinds/index.ts";
import { isShutdownByMessage } from "./marks-from-message.ts";
import type { Told, World } from "./world.ts";

/** It was begun, and its end was not seen. Unknown: nor can the provider be asked now whether it has come to an end. */
const isOpen = (condition: Told["provisioning"]): boolean =>
  condition?.status === "True" || condition?.status === "Unknown";

/** The provider was asked to make it, and has not come to an end. */
export const isMaking = ({ provisioning }: Pick<Told, "provisioning">): boolean => isOpen(provisioning);

/** A change of its power, its size or its snapshot was begun, and has not come to an end. */
export const isChanging = ({ reconfiguring }: Pick<Told, "reconfiguring">): boolean => isOpen(reconfiguring);

/** It was asked to go back to a snapshot, and has not come to an end. */
export const isReverting = (told: Pick<Told, "reconfiguring">): boolean =>
  isChanging(told) && told.reconfiguring?.reason === "RevertingSnapshot";

/** An attempt to make it was begun, and it was neither seen nor told that nothing came of it. */
export const isCreationOpen = ({ record, told }: Pick<World, "record" | "told">): boolean =>
  record?.op === "Create" && told.provisioning?.status !== "False";

/** The guest was asked to go down, and has its time. */
export const isShuttingDown = ({ reconfiguring }: Pick<Told, "reconfiguring">): boolean =>
  isOpen(reconfiguring) && (reconfiguring?.reason === "ShuttingDown" || isShutdownByMessage(reconfiguring));

const standardGrace: Ms = 60_000;
const beyond: Ms = 30_000;

export function graceOf({ spec }: Pick<VirtualMachine, "spec">): Ms {
  const { gracefulShutdownTimeout: given } = spec.lifecycle ?? {};
  return (given === undefined ? undefined : parseGoDuration(given)) ?? standardGrace;
}

export const graceSeconds = (vm: VirtualMachine): number => Math.ceil(graceOf(vm) / 1_000);

/** When a guest has had its time. */
export function shutdownLimit(vm: VirtualMachine, told: Pick<Told, "reconfiguring">, now: Instant): Instant {
  const since = isShuttingDown(told) ? parseTime(told.reconfiguring?.lastTransitionTime) : undefined;
  return plus(since === undefined || since > now ? now : since, graceOf(vm) + beyond);
}
