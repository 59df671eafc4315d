// How long an answer is waited for, by method (4.1). Three methods depend on what is asked: those are functions.
import type { Ms } from "@telltale/kinds";

const second = 1_000;
const minute = 60 * second;

export const deadlines = {
  validate: 30 * second,
  create: 5 * minute,
  delete: 5 * minute,
  reconfigure: 5 * minute,
  hardwareUpgrade: 5 * minute,
  describe: 30 * second,
  taskStatus: 10 * second,
  snapshotCreate: 5 * minute,
  snapshotDelete: 5 * minute,
  snapshotRevert: 5 * minute,
  clone: 30 * minute,
  getCapabilities: 10 * second,
  getDiskInfo: 2 * minute,
  listVMs: 2 * minute,
  cleanupStaged: 5 * minute,
} as const satisfies Readonly<Record<string, Ms>>;

/** A machine that is busy with something else is waited for so long, where the spec has no timeout of its own. */
export const busyDeadline: Ms = 60 * minute;

/** A guest that is asked to go down has its time, and a minute more. */
export const powerDeadline = (graceful: Ms = 0): Ms => Math.max(2 * minute, graceful + minute);

/** `prepare.timeout`, an hour at most. */
export const prepareDeadline = (timeout: Ms): Ms => Math.min(timeout, 60 * minute);

/** Of an export or an import: what is left of the migration, as long as one connection lives. */
export const transferDeadline = (left: Ms): Ms => Math.max(0, Math.min(left, 120 * minute));

/** A command in a guest has its time, and a little for the way. */
export const guestDeadline = (timeout: Ms): Ms => timeout + 10 * second;
