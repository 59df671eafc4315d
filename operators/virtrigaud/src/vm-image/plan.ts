// What is done next about an image: one preparation at a time, the providers in the order of their keys. Pure.
import { type Instant, plus } from "@telltale/kinds";
import { findCondition, type SafeText, text } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";
import { isConnected } from "../reachable.ts";
import { dueAt } from "./entry.ts";
import type { Flight, Pair, World } from "./world.ts";

export type Plan =
  | { readonly do: "nothing" }
  | { readonly do: "prepare"; readonly provider: Provider; readonly key: string } // begins it, or finds what became of it
  | { readonly do: "poll"; readonly provider: Provider; readonly flight: Flight }
  | { readonly do: "giveUp"; readonly key: string }; // it took too long

export function plan(world: World, now: Instant): Plan {
  const { problem, source, memory, pairs, rules } = world;
  if (problem !== undefined || source.is !== "import") return { do: "nothing" };
  const { flight } = memory;
  if (flight !== undefined) {
    const since = memory.since ?? now;
    if (plus(since, rules.timeout) <= now) return { do: "giveUp", key: flight.key };
    const provider = pairs.find(({ key }) => key === flight.key)?.provider;
    if (provider === undefined || closed(provider) !== undefined) return { do: "nothing" };
    return flight.task === "" ? { do: "prepare", provider, key: flight.key } : { do: "poll", provider, flight };
  }
  for (const pair of pairs) {
    const state = stateOf(pair, world, now);
    if (state.is === "due") return { do: "prepare", provider: state.provider, key: pair.key };
  }
  return { do: "nothing" };
}

/** Where an image stands on one provider, seen from who decides. */
export type PairState =
  | { readonly is: "idle" } // nobody wants it there
  | { readonly is: "available" }
  | { readonly is: "under way" }
  | { readonly is: "due"; readonly provider: Provider }
  | { readonly is: "later"; readonly at: Instant } // it went wrong, and is tried again then
  | { readonly is: "over" } // it went wrong for good
  | { readonly is: "missing" } // `onMissing: Fail`
  | { readonly is: "waiting" } // `onMissing: Wait`
  | { readonly is: "reference" } // nobody asks for it: a machine is made from it, or cannot be
  | { readonly is: "not asked" } // the provider has not said yet whether it imports images
  | { readonly is: "not offered" } // the provider imports no images
  | { readonly is: "away" } // the provider does not run, or does not answer
  | { readonly is: "missing provider" };

export function stateOf({ key, provider, isWanted }: Pair, world: World, now: Instant): PairState {
  const { image, memory, rules, source } = world;
  const entry = memory.entries[key];
  if (memory.flight?.key === key) return { is: "under way" };
  if (entry?.available === true) return { is: "available" };
  if (!isWanted) return { is: "idle" };
  if (provider === undefined) return { is: "missing provider" };
  if (source.is === "reference") return { is: "reference" };
  if (!hasAbilities(provider)) return { is: isAway(provider) ? "away" : "not asked" };
  if (provider.status?.reportedCapabilities?.supportsImageImport !== true) return { is: "not offered" };
  if (rules.onMissing === "Fail") return { is: "missing" };
  if (rules.onMissing === "Wait") return { is: "waiting" };
  const at = entry === undefined ? now : dueAt(entry, rules.retries, `${image.metadata.uid} ${key}`, now);
  if (at === "never") return { is: "over" };
  if (at > now) return { is: "later", at };
  return closed(provider) === undefined ? { is: "due", provider } : { is: "away" };
}

/** Whether it was asked what it can do, and answered. */
function hasAbilities(provider: Provider): boolean {
  const { status } = provider;
  if (status?.reportedCapabilities !== undefined) return true;
  return findCondition(status?.conditions, "CapabilitiesReported") !== undefined && isConnected(provider) !== false;
}

/** Whether it is known that a provider does not answer now. */
export const isAway = (provider: Provider): boolean =>
  closed(provider) !== undefined || isConnected(provider) === false;

/** Why a provider cannot be asked at all. */
export function closed({ metadata, status }: Provider): SafeText | undefined {
  const { phase, endpoint = "" } = status?.runtime ?? {};
  if (phase === "Running" && endpoint !== "") return undefined;
  return text`Provider ${metadata.namespace ?? ""}/${metadata.name ?? ""} is not running`;
}
