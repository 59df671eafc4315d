// Whether somebody holds a Lease of others, as far as it says itself. A process that wants the Lease for itself counts with its own
// clock, in `lease.ts`. Pure.
import { type Instant, parseTime, plus } from "@telltale/kinds";
import type { Lease } from "@telltale/kinds/builtin";

/** What client-go writes, where a Lease does not say it. */
const defaultSeconds = 15;
/** An age that a Lease may have, in its own durations: clocks differ, and a renewal may be late. */
const durations = 2;

/** One that does not say when it was renewed is not known to be over; one without a duration is not over by that alone. */
export function isLeaseActive({ spec }: Lease, now: Instant): boolean {
  if ((spec?.holderIdentity ?? "") === "") return false;
  const renewed = parseTime(spec?.renewTime ?? undefined);
  const seconds = spec?.leaseDurationSeconds ?? defaultSeconds;
  return renewed === undefined || now < plus(renewed, durations * seconds * 1000);
}
