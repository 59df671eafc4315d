// The parts of a status that grow with the set, cut so that all of it stays below 256 KiB. Which machines failed and how often they
// were tried comes first, since the next pass reads it back; then the machines, why they are not ready, and names. Pure.
import { cut } from "@telltale/status";
import type { VMSetFailedVM, VMSetUpdateStatus, VMSetVMStatus } from "../kinds/index.ts";

export interface Fitted {
  readonly vmStatus: VMSetVMStatus[];
  readonly updateStatus?: VMSetUpdateStatus;
}

/** The most that any list has. */
export const mostItems = 1_000;
const whole = 256 * 1024;
/** For counts and conditions, and for tries that are written down before their machines go. */
const aside = 16 * 1024;
/** So much at least is for reasons and messages, before there are rows and names of all. */
const words = 16 * 1024;
const longest = { reason: 64, failure: 128, row: 256 } as const;

export function fitted(
  rows: readonly VMSetVMStatus[],
  update: VMSetUpdateStatus | undefined,
  selector: string,
): Fitted {
  const room = whole - aside - bytes(selector);
  const short = shortened(rows, update);
  return bytes(short) <= room ? short : cutTo(room, short);
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;
const bytesOf = (items: readonly unknown[]): number => items.reduce<number>((sum, item) => sum + bytes(item), 0);

function shortened(rows: readonly VMSetVMStatus[], update: VMSetUpdateStatus | undefined): Fitted {
  const vmStatus = rows.slice(0, mostItems).map((row) => {
    return row.message === undefined ? row : { ...row, message: cut(row.message, longest.row) };
  });
  if (update === undefined) return { vmStatus };
  const { updatedVMs = [], pendingVMs = [], failedVMs = [] } = update;
  return {
    vmStatus,
    updateStatus: {
      ...update,
      updatedVMs: updatedVMs.slice(0, mostItems),
      pendingVMs: pendingVMs.slice(0, mostItems),
      failedVMs: failedVMs.slice(0, mostItems).map(shortFailure),
    },
  };
}

/** One that failed, as it is written. */
export const shortFailure = ({ reason, message, ...rest }: VMSetFailedVM): VMSetFailedVM => ({
  ...rest,
  ...(reason === undefined ? {} : { reason: cut(reason, longest.reason) }),
  ...(message === undefined ? {} : { message: cut(message, longest.failure) }),
});

function cutTo(room: number, { vmStatus, updateStatus }: Fitted): Fitted {
  const { updatedVMs = [], pendingVMs = [], failedVMs = [] } = updateStatus ?? {};
  const failures = failedVMs.map(({ reason: _reason, message: _message, ...bare }) => bare);
  const tried = bytesOf(failures);
  const rows = within(
    vmStatus.map(({ message: _message, ...bare }) => bare),
    room - tried - words,
  );
  const left = room - tried - bytesOf(rows);
  const talk = Math.max(words, left - bytesOf(updatedVMs) - bytesOf(pendingVMs));
  const first = told(failures, failedVMs, talk);
  const second = told(rows, vmStatus, talk - first.used);
  const shown = within(updatedVMs, left - first.used - second.used);
  const others = within(pendingVMs, left - first.used - second.used - bytesOf(shown));
  return {
    vmStatus: second.items,
    ...(updateStatus === undefined
      ? {}
      : { updateStatus: { ...updateStatus, failedVMs: first.items, updatedVMs: shown, pendingVMs: others } }),
  };
}

/** As many of the first as there is room for. */
function within<T>(items: readonly T[], room: number): T[] {
  let left = room;
  const end = items.findIndex((item) => {
    left -= bytes(item);
    return left < 0;
  });
  return items.slice(0, end < 0 ? items.length : end);
}

/** The first ones with all that they say, as far as there is room, and the others without. Often all say the same. */
function told<T>(
  bare: readonly T[],
  whole: readonly T[],
  room: number,
): { readonly items: T[]; readonly used: number } {
  let used = 0;
  let isFull = false;
  const items = bare.map((item, i) => {
    const full = whole[i] ?? item;
    const more = bytes(full) - bytes(item);
    isFull ||= used + more > room;
    if (isFull) return item;
    used += more;
    return full;
  });
  return { items, used };
}
