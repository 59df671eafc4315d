// Where an image stands as a whole, out of where it stands on each provider: phase, `Ready`, and in words. Pure.
import type { Instant } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { ProviderImageStatus, VMImageStatus } from "../kinds/index.ts";
import { unreachable } from "../reachable.ts";
import { isUnheard, type Reason, standingOf, wordsOf } from "./entry.ts";
import { isAway, type PairState, stateOf } from "./plan.ts";
import type { Pair, World } from "./world.ts";

export interface Verdict {
  readonly phase: NonNullable<VMImageStatus["phase"]>;
  readonly ready: ReadySaid;
  readonly message: SafeText;
}

export type ReadySaid =
  | { readonly status: "True"; readonly reason: "Prepared"; readonly message: SafeText }
  | { readonly status: "Unknown"; readonly reason: Unasked; readonly message: SafeText }
  | { readonly status: "False"; readonly reason: Missing; readonly message: SafeText };

type Missing = Reason | "Importing" | "MissingOnProvider" | "WaitingForImage" | "NotRequested";
type Unasked = "Reference" | "NotAsked" | "ProviderUnreachable";

export function verdictOf(world: World, now: Instant): Verdict {
  const { problem, memory } = world;
  if (problem !== undefined) return no("Failed", "ValidationError", problem);
  const there = available(world);
  const { flight } = memory;
  if (flight !== undefined) {
    const importing = text`importing image into provider "${flight.key}"`;
    const message = isUnanswered(world) ? text`${importing}: ${unreachable(flight.key)}` : importing;
    const ready: ReadySaid = isUnanswered(world)
      ? { status: "Unknown", reason: "ProviderUnreachable", message }
      : { status: "False", reason: "Importing", message };
    return { phase: flight.stage, message, ready: there ?? ready };
  }
  const troubles = world.pairs.flatMap((pair) => troubleOf(pair, stateOf(pair, world, now), world) ?? []);
  if (there !== undefined && there.status !== "True") return { phase: "Pending", ready: there, message: there.message };
  if (there !== undefined) {
    const rest = troubles.filter(({ reason }) => reason !== "NotRequested").map(({ message }) => `; ${message}`);
    return { phase: "Ready", ready: there, message: text`${there.message}${rest.slice(0, 3).join("")}` };
  }
  const worst = troubles.find(({ isOver }) => !isOver) ?? troubles[0];
  if (worst === undefined && world.source.is === "reference") {
    const message = text`used as it is: no provider is asked whether it has it`;
    return { phase: "Pending", message, ready: { status: "Unknown", reason: "Reference", message } };
  }
  if (worst === undefined) return no("Pending", "NotRequested", text`no machine wants it yet`);
  const { reason, message, isOver } = worst;
  if (isUnasked(reason)) return { phase: "Pending", message, ready: { status: "Unknown", reason, message } };
  return no(isOver ? "Failed" : "Pending", reason, message);
}

const isUnasked = (reason: Missing | Unasked): reason is Unasked =>
  reason === "Reference" || reason === "NotAsked" || reason === "ProviderUnreachable";

const no = (phase: Verdict["phase"], reason: Missing, message: SafeText): Verdict => ({
  phase,
  message,
  ready: { status: "False", reason, message },
});

/** Whether a provider that was seen to have it answers: of others it is not known that they still do. */
export const isHeld = ({ pairs }: World, key: string): boolean => {
  const provider = pairs.find((pair) => pair.key === key)?.provider;
  return provider !== undefined && !isAway(provider);
};

/** That some provider has it: the one that got it last. */
function available(world: World): ReadySaid | undefined {
  const all = Object.entries(world.memory.entries).filter(([, entry]) => entry.available);
  const entries = all.filter(([key]) => isHeld(world, key));
  const [away] = all;
  if (entries.length === 0 && away !== undefined) {
    const message = text`${unreachable(away[0])}; it was prepared there`;
    return { status: "Unknown", reason: "ProviderUnreachable", message };
  }
  const [last] = entries.sort(([a, x], [b, y]) => later(x.lastUpdated, y.lastUpdated) || (a < b ? -1 : 1));
  if (last === undefined) return undefined;
  const [key] = last;
  return { status: "True", reason: "Prepared", message: text`image prepared on provider "${key}"` };
}

const later = (a = "", b = ""): number => (a === b ? 0 : a > b ? -1 : 1);

/** Whether nobody answers for the preparation that is under way. */
export function isUnanswered({ memory: { flight }, pairs, finding }: World): boolean {
  if (flight === undefined) return false;
  const provider = pairs.find(({ key }) => key === flight.key)?.provider;
  return finding.is === "unheard" || provider === undefined || isAway(provider);
}

interface Trouble {
  readonly reason: Missing | Unasked;
  readonly message: SafeText;
  /** Nobody goes on trying. */
  readonly isOver: boolean;
}

function troubleOf({ key }: Pair, state: PairState, { memory }: World): Trouble | undefined {
  const entry = memory.entries[key];
  switch (state.is) {
    case "idle":
    case "available":
    case "under way":
      return undefined;
    case "due":
      if (isUnheard(entry)) return told(key, entry, false);
      return { reason: "Importing", message: text`it is next on provider "${key}"`, isOver: false };
    case "missing": {
      const message = text`image not available on provider "${key}" and Prepare.OnMissing=Fail`;
      return { reason: "MissingOnProvider", message, isOver: true };
    }
    case "waiting": {
      const message = text`image not available on provider "${key}" and Prepare.OnMissing=Wait`;
      return { reason: "WaitingForImage", message, isOver: false };
    }
    case "not offered": {
      const message = text`provider "${key}" does not say that it imports images; machines there use the source as it is`;
      return { reason: "Unsupported", message, isOver: false };
    }
    case "reference": {
      const message = text`used as it is on provider "${key}", which is not asked whether it has it`;
      return { reason: "Reference", message, isOver: false };
    }
    case "not asked": {
      const message = text`provider "${key}" has not said yet whether it imports images`;
      return { reason: "NotAsked", message, isOver: false };
    }
    case "away":
      return { reason: "ProviderUnreachable", message: unreachable(key), isOver: false };
    case "missing provider":
      return { reason: "ProviderError", message: text`provider "${key}": Provider ${key} not found`, isOver: false };
    case "later":
    case "over":
      return told(key, entry, state.is === "over");
  }
}

/** What went wrong there, in the words of its entry. */
function told(key: string, entry: ProviderImageStatus | undefined, isOver: boolean): Trouble {
  const standing = entry === undefined ? undefined : standingOf(entry);
  // In the same words at each try: the entry counts them.
  if (standing?.is === "unheard" && standing.failure === "Unavailable")
    return { reason: "ProviderUnreachable", message: unreachable(key), isOver };
  const isKnown = standing?.is === "failed" || standing?.is === "refused";
  const message = text`provider "${key}": ${entry === undefined ? "" : wordsOf(entry)}`;
  return { reason: isKnown ? standing.reason : "ProviderError", message, isOver };
}
