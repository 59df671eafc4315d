// Where following a kind stands, and every arrow between the states. Pure: what happened goes in, the next state comes out.
import { jitter, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { WatchHappening } from "../samples.ts";

/** How the world is read: as the beginning of a stream, or page by page. */
export type How = "stream" | "pages";

/** Whose word counts. */
export type Trust =
  | "newest" // the newest version
  | "content" // the same, but a server that was behind may have given out versions twice: only what they hold tells
  | "server"; // that of a server which was put back to an older state

/** `attempt`: streams and lists in a row that brought nothing. `asked`: questions in a row without a good answer. */
export type Following =
  | { readonly at: "listing"; readonly how: How; readonly attempt: number; readonly trust: Trust } // reading the world
  | { readonly at: "watching"; readonly how: How; readonly attempt: number; readonly from: string } // following it from a version
  | {
      readonly at: "asking"; // before it goes on from a version: whether the server still is as far
      readonly how: How;
      readonly attempt: number;
      readonly from: string;
      readonly asked: number;
    }
  | {
      readonly at: "behind"; // it is not: asking until it is again, or was seen to be behind for long enough
      readonly how: How;
      readonly attempt: number;
      readonly times: number;
      readonly asked: number;
    };

export type FollowState =
  | Following
  | { readonly at: "waiting"; readonly for: Ms; readonly then: Following } // after trouble
  | { readonly at: "stopped" }; // for good

/** How a list, a stream or a question ended. */
export interface Ended {
  /** Undefined: the server closed it in good order, or it was read to its end. */
  readonly trouble?: Trouble;
  /** Up to which version a list and a stream brought everything. Undefined: the list was not finished. */
  readonly version?: string;
  /** Whether a stream brought anything new, or held for a while. */
  readonly progress: boolean;
  /** How long the server asked to be left alone. */
  readonly retryAfter?: Ms;
}

export type Trouble =
  | Exclude<WatchHappening, "listed" | "resumed">
  | "refused" // answered with an error that waiting does not change
  | "unsupported"; // the server cannot stream a list

const first = 100;
const longest = 30_000;
/** A question costs the server next to nothing, and whoever waits for its answer is blind. */
const longestQuestion = 6_400;
/** A kind that the server does not know: somebody has to install it, hardly within a second, and will wait for us then. */
const missing = { first: 2_000, longest: 10_000 };
/** Whoever asks to be left alone for longer than this is not believed. */
const longestAsked = 300_000;

/** So often a list breaks off as a stream before it is read in pages. */
const streamed = 3;
/** So often a stream brings nothing before the world is read anew, by how it ended. The others are hardly the version's fault. */
const patience: Partial<Record<Trouble, number>> = { stalled: 2, garbled: 3, refused: 3 };
const longestPatience = 8;
/** A server that lags catches up. One that is still behind after so many questions, in 6 s or more, was put back. */
const settled = 8;

export function begin(how: How): Following {
  return { at: "listing", how, attempt: 0, trust: "newest" };
}

/** The state that follows a list, a stream or a question that ended. */
export function afterwards(state: Following, ended: Ended, random: Random): FollowState {
  const then = next(state, ended);
  const pause = pauseBefore(then, ended, random);
  return pause <= 0 ? then : { at: "waiting", for: pause, then };
}

/**
 * The same, where somebody has found meanwhile that the server may have been put back: the world is read anew. How and when is
 * as it would be after the last attempt at that, unless this is news.
 */
export function anew(next: FollowState, told: Trust, isNews: boolean): FollowState {
  if (next.at === "stopped") return next;
  const then = next.at === "waiting" ? next.then : next;
  if (then.at === "behind" && !isNews) return next;
  const trust = then.at === "listing" && then.trust === "server" ? "server" : told;
  const list: Following = { at: "listing", how: then.how, attempt: isNews ? 0 : then.attempt, trust };
  return next.at === "waiting" && !isNews ? { ...next, then: list } : list;
}

function next(state: Following, ended: Ended): Following {
  const { trouble, version } = ended;
  const { how } = state;
  const attempt = attemptsAfter(state, ended);
  const list: Following = { at: "listing", how, attempt, trust: "newest" };
  if (trouble === "missing" || (trouble === "expired" && version !== undefined)) return list;
  switch (state.at) {
    case "asking":
      if (trouble === "rewound") return { at: "behind", how, attempt, times: 1, asked: 1 };
      // Where it cannot be asked, the stream has to tell.
      if (trouble === undefined || trouble === "refused") return { at: "watching", how, attempt, from: state.from };
      return { ...state, asked: state.asked + 1 };
    case "behind": {
      // It may have been put back and have come as far again with other objects: only a list tells.
      if (trouble === undefined) return { ...list, trust: "content" };
      const times = state.times + (trouble === "rewound" ? 1 : 0);
      return times >= settled ? { ...list, trust: "server" } : { ...state, times, asked: state.asked + 1 };
    }
    case "listing":
      if (version === undefined) {
        if (trouble === "rewound") return { at: "behind", how, attempt, times: 1, asked: 1 };
        const isAway = trouble === "failed" || trouble === "refused";
        const inPages = trouble === "unsupported" || (!isAway && attempt >= streamed);
        return { ...list, how: inPages ? "pages" : how, trust: state.trust };
      }
      if (how === "pages") return { at: "watching", how, attempt, from: version };
      break;
    case "watching":
      break;
  }
  const limit = (trouble && patience[trouble]) ?? longestPatience;
  if (version === undefined || trouble === "rewound" || attempt >= limit) return list;
  return { at: "asking", how, attempt, from: version, asked: 0 };
}

/** What is read in pages or asked for says nothing of streams: they alone count. */
function attemptsAfter({ at, how, attempt }: Following, { progress, trouble }: Ended): number {
  if (progress) return 0;
  if (at === "asking" || at === "behind" || trouble === "unsupported") return attempt;
  return at === "listing" && how === "pages" && trouble === undefined ? attempt : attempt + 1;
}

function pauseBefore(then: Following, { trouble, retryAfter }: Ended, random: Random): Ms {
  if (trouble === "unsupported" || then.at === "watching") return 0;
  const isQuestion = "asked" in then && then.asked > 0;
  const pause = isQuestion ? backoff(then.asked, random, longestQuestion) : backoff(then.attempt, random, longest);
  if (trouble === "missing") {
    return Math.max(Math.min(pause, missing.longest), jitter(random, missing.first, 0.5));
  }
  // Many find out at the same moment that they have to read the world anew, or were told the same second.
  const spread = Math.max(pause, jitter(random, first, 0.5));
  if (retryAfter !== undefined) return Math.min(retryAfter, longestAsked) + spread;
  return trouble === "expired" ? spread : pause;
}

function backoff(attempt: number, random: Random, most: Ms): Ms {
  return attempt === 0 ? 0 : jitter(random, Math.min(most, first * 2 ** (attempt - 1)), 0.5);
}
