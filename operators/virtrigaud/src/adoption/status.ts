// What a Provider says of the machines that were adopted: `status.adoption`, and nothing else of it. Pure.
import { formatTime, type Instant, plus } from "@telltale/kinds";
import { type Draft, names, type SafeText, text } from "@telltale/status";
import type { Adoption, Provider } from "../kinds/index.ts";
import { shown } from "./listing.ts";
import { shortest, usual } from "./observe.ts";
import type { Outcome, World } from "./world.ts";

type ProviderDraft = Draft<typeof Provider>;

/** Until a provider that gave no answer is asked again. */
const retry = 60_000;

export function status(world: World, draft: ProviderDraft, now: Instant): void {
  // The rest of the status is another controller's, and so is the generation that it speaks for.
  draft.aside();
  const { it, state, outcome } = world;
  const before: Adoption = it.status?.adoption ?? {};
  if (state.is === "unwanted") draft.unset("adoption");
  else if (state.is === "waiting") {
    draft.set({ adoption: { ...before, message: state.said } }).wake(plus(now, state.again));
  } else if (state.is === "recent") draft.wake(plus(now, state.again));
  else if (outcome?.is === "refused") {
    const message = text`Failed to list VMs: ${outcome.said}`;
    draft.set({ adoption: { ...before, message } }).wake(plus(now, retry));
  } else if (outcome?.is === "discovered") {
    draft.set({ adoption: discovered(world.adopted, outcome) });
    draft.wake(plus(now, outcome.left > 0 ? shortest : usual));
  }
}

type Discovered = Extract<Outcome, { is: "discovered" }>;

function discovered(total: number, outcome: Discovered): Adoption {
  return {
    discoveredVMs: outcome.found,
    adoptedVMs: total,
    failedAdoptions: outcome.failed.length,
    lastDiscoveryTime: formatTime(outcome.at),
    message: messageOf(outcome),
  };
}

function messageOf({ found, adopted, left, taken, failed }: Discovered): SafeText {
  if (found === 0) return text`Nothing to adopt`;
  const more = left > 0 ? text`; ${left} more follow` : text``;
  const [first] = failed;
  const trouble = first === undefined ? text`` : text`; ${failed.length} failed: ${shown(first.name)}: ${first.why}`;
  const others = taken.length === 0 ? text`` : text`; names that other objects have: ${names(taken.map(shown))}`;
  return text`Adopted ${adopted} of ${found} machines${more}${trouble}${others}`;
}
