// Where following a kind stands, and every arrow between the states. Pure: what happened goes in, the next state comes out.
import { jitter, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { WatchHappening } from "../samples.ts";

export type FollowState =
  | { readonly at: "listing"; readonly how: "stream" | "pages"; readonly attempt: number } // reading the world
  | { readonly at: "watching"; readonly from: string; readonly attempt: number } // following it from a version
  | { readonly at: "waiting"; readonly for: Ms; readonly then: Exclude<FollowState, { at: "waiting" }> } // after trouble
  | { readonly at: "stopped" }; // for good

/** How a list or a stream ended. */
export interface Ended {
  /** Undefined: the server closed it in good order, or the list was read to its end. */
  readonly trouble?: Trouble;
  /** Up to which version we know everything. Undefined: a list that was not finished. */
  readonly version?: string;
  /** Whether anything came that was not known before. */
  readonly progress: boolean;
  /** How long the server asked to be left alone. */
  readonly retryAfter?: Ms;
}

export type Trouble = Exclude<WatchHappening, "listed" | "resumed"> | "unsupported"; // the server cannot stream a list

const first = 100;
const longest = 30_000;
/** A kind that the server does not know: somebody has to install it, and hardly within a second. */
const missing = 2_000;
/** So often a version that cannot be got past is tried again before the world is read anew. */
const patience = 3;

export function begin(how: "stream" | "pages"): FollowState {
  return { at: "listing", how, attempt: 0 };
}

/** The state that follows a list or a stream that ended. */
export function afterwards(state: FollowState, ended: Ended, how: "stream" | "pages", random: Random): FollowState {
  if (state.at === "stopped" || state.at === "waiting") return state;
  const attempt = ended.progress ? 0 : state.attempt + 1;
  const from = ended.version;
  const list = { at: "listing", how, attempt } as const;
  const pause = Math.max(backoff(attempt, random), ended.retryAfter ?? 0);
  const { trouble } = ended;
  if (trouble === undefined) {
    return from === undefined ? wait(pause, list) : wait(ended.progress ? 0 : pause, { at: "watching", from, attempt });
  }
  switch (trouble) {
    case "unsupported":
      return { at: "listing", how: "pages", attempt: state.attempt };
    case "missing":
      return wait(Math.max(pause, jitter(random, missing, 0.5)), list);
    case "expired":
    case "rewound":
      return wait(pause, list);
    case "garbled":
      return wait(pause, from === undefined || attempt >= patience ? list : { at: "watching", from, attempt });
    case "stalled":
    case "cut":
    case "failed":
      return wait(pause, from === undefined ? list : { at: "watching", from, attempt });
  }
}

function wait(length: Ms, then: Exclude<FollowState, { at: "waiting" }>): FollowState {
  return length <= 0 ? then : { at: "waiting", for: length, then };
}

function backoff(attempt: number, random: Random): Ms {
  return attempt === 0 ? 0 : jitter(random, Math.min(longest, first * 2 ** (attempt - 1)), 0.5);
}
