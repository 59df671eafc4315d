// Time for those who are in a hurry.
import type { Clock } from "@telltale/clock";
import { plus } from "@telltale/kinds";

/** A clock that goes so many times as fast, and is never put elsewhere. */
export function scaled(clock: Clock, times: number): Clock {
  const began = { now: clock.now(), uptime: clock.uptime() };
  return {
    now: () => plus(began.now, (clock.uptime() - began.uptime) * times),
    uptime: () => (clock.uptime() - began.uptime) * times,
    after: (delay, call) => clock.after(delay / times, call),
  };
}
