// Where an image stands as a whole, out of where it stands on each provider: phase, `Ready`, and in words. Pure.
import type { Instant } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { ProviderImageStatus, VMImageStatus } from "../kinds/index.ts";
import { isReference, isUnheard, type Reason, standingOf, wordsOf } from "./entry.ts";
import { type PairState, stateOf } from "./plan.ts";
import type { Pair, World } from "./world.ts";

export interface Verdict {
  readonly phase: NonNullable<VMImageStatus["phase"]>;
  readonly ready: ReadySaid;
  readonly message: SafeText;
}

export type ReadySaid =
  | { readonly is: true; readonly reason: "Prepared" | "Reference"; readonly message: SafeText }
  | { readonly is: false; readonly reason: Missing; readonly message: SafeText };

type Missing = Reason | "Importing" | "MissingOnProvider" | "WaitingForImage" | "NotRequested";

export function verdictOf(world: World, now: Instant): Verdict {
  const { problem, memory } = world;
  if (problem !== undefined) return no("Failed", "ValidationError", problem);
  const there = available(world);
  const { flight } = memory;
  if (flight !== undefined) {
    const message = text`importing image into provider "${flight.key}"${afterword(world)}`;
    return { phase: flight.stage, message, ready: there ?? { is: false, reason: "Importing", message } };
  }
  const troubles = world.pairs.flatMap((pair) => troubleOf(pair, stateOf(pair, world, now), world) ?? []);
  if (there !== undefined) {
    const rest = troubles.filter(({ reason }) => reason !== "NotRequested").map(({ message }) => `; ${message}`);
    return { phase: "Ready", ready: there, message: text`${there.message}${rest.slice(0, 3).join("")}` };
  }
  const worst = troubles.find(({ isOver }) => !isOver) ?? troubles[0];
  if (worst === undefined) return no("Pending", "NotRequested", text`no machine wants it yet`);
  return no(worst.isOver ? "Failed" : "Pending", worst.reason, worst.message);
}

const no = (phase: Verdict["phase"], reason: Missing, message: SafeText): Verdict => ({
  phase,
  message,
  ready: { is: false, reason, message },
});

/** That some provider has it: the one that got it last. */
function available({ memory }: World): ReadySaid | undefined {
  const entries = Object.entries(memory.entries).filter(([, entry]) => entry.available);
  const [last, ...others] = entries.sort(([a, x], [b, y]) => later(x.lastUpdated, y.lastUpdated) || (a < b ? -1 : 1));
  if (last === undefined) return undefined;
  const [key, entry] = last;
  if (isReference(entry)) {
    const names = [key, ...others.map(([other]) => other)].sort();
    return { is: true, reason: "Reference", message: text`used as it is on provider "${names.join('", "')}"` };
  }
  return { is: true, reason: "Prepared", message: text`image prepared on provider "${key}"` };
}

const later = (a = "", b = ""): number => (a === b ? 0 : a > b ? -1 : 1);

/** What the last look at a running task came to, where nobody answered. */
const afterword = ({ finding }: World): SafeText =>
  finding.is === "unheard" ? text`; it does not answer: ${finding.said}` : text``;

interface Trouble {
  readonly reason: Missing;
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
    case "closed":
      return { reason: "ProviderError", message: text`provider "${key}": ${state.why}`, isOver: false };
    case "later":
    case "over":
      return told(key, entry, state.is === "over");
  }
}

/** What went wrong there, in the words of its entry. */
function told(key: string, entry: ProviderImageStatus | undefined, isOver: boolean): Trouble {
  const standing = entry === undefined ? undefined : standingOf(entry);
  const isKnown = standing?.is === "failed" || standing?.is === "refused";
  const message = text`provider "${key}": ${entry === undefined ? "" : wordsOf(entry)}`;
  return { reason: isKnown ? standing.reason : "ProviderError", message, isOver };
}
