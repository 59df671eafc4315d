// How far a preparation is, out of what the provider says of its task. Pure.
import { formatGoDuration, formatTime, type Instant } from "@telltale/kinds";
import type { ImageImportProgress } from "../kinds/index.ts";
import type { Task } from "../link/task.ts";

type Running = Extract<Task, { is: "running" }>;

/** What the provider leaves out is worked out where it can be, and stays as it was where it cannot. */
export function progressOf(
  before: ImageImportProgress | undefined,
  { percent, bytesDone, bytesTotal }: Running,
  since: Instant,
  now: Instant,
): ImageImportProgress {
  const startTime = before?.startTime ?? formatTime(since);
  const share =
    percent ?? (bytesDone !== undefined && bytesTotal !== undefined ? (100 * bytesDone) / bytesTotal : undefined);
  if (share === undefined) return { ...before, startTime };
  const seconds = (now - since) / 1_000;
  const rate = bytesDone === undefined || seconds <= 0 ? undefined : Math.round(bytesDone / seconds);
  const left = rate === undefined || rate === 0 || bytesTotal === undefined ? undefined : bytesTotal - (bytesDone ?? 0);
  return {
    startTime,
    percentage: Math.max(0, Math.min(100, Math.floor(share))),
    ...(bytesTotal === undefined ? {} : { totalBytes: bytesTotal }),
    ...(bytesDone === undefined ? {} : { transferredBytes: bytesDone }),
    ...(rate === undefined ? {} : { transferRate: rate }),
    ...(left === undefined || rate === undefined ? {} : { eta: formatGoDuration((1_000 * Math.max(0, left)) / rate) }),
  };
}
