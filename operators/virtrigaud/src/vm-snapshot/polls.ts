// When to look again at work that a provider is at. Pure.
import type { Ms } from "@telltale/kinds";
import { pollAfter } from "../link/task.ts";
import { type Channel, isExact } from "./reach.ts";

/** By how long it has been going on. By a clock that was put back, it has only just begun. */
export function nextPoll(most: Ms, elapsed: Ms, channel: Channel): Ms {
  const polls = Math.floor(Math.log2(Math.max(0, elapsed) / 2_000 + 1));
  return pollAfter(most, polls, isExact(channel));
}
