// What a network says of itself: whether it can work, on which providers, and who has which address. Pure.
import { formatTime, type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, names, type SafeText, text } from "@telltale/status";
import type { Provider, ProviderNetworkStatus, VMNetworkAttachment } from "../kinds/index.ts";
import { answering, silence } from "../reachable.ts";
import { ignoredBy, isDeclaredFor } from "./ignored.ts";
import type { World } from "./world.ts";

export type NetworkDraft = Draft<typeof VMNetworkAttachment>;

/** How long until it is looked at again although nothing happened. */
const interval: Ms = 600_000;

export function status(world: World, draft: NetworkDraft, now: Instant): void {
  const { network, connected, addresses } = world;
  const entries = entriesOf(world, now);
  const availableOn = Object.keys(entries).filter((key) => entries[key]?.available === true);
  draft.unset("providerStatus", "availableOn", "ipAllocations");
  draft.set({
    connectedVMs: connected,
    ...(Object.keys(entries).length === 0 ? {} : { providerStatus: entries }),
    ...(availableOn.length === 0 ? {} : { availableOn }),
    ...(addresses.allocations.length === 0 ? {} : { ipAllocations: [...addresses.allocations] }),
  });
  const verdict = verdictOf(world);
  const { message } = verdict;
  draft.phase(verdict.phase).set({ message });
  if (isUnknown(verdict.reason)) draft.unset("ready").condition("Ready", "Unknown", verdict.reason, message);
  else draft.set({ ready: verdict.phase === "Ready" });
  if (verdict.reason === "Valid") draft.condition("Ready", true, "Valid", message);
  else if (!isUnknown(verdict.reason)) draft.condition("Ready", false, verdict.reason, message);
  if (verdict.reason === "Invalid" || verdict.reason === "IPConflict") {
    draft.condition("Validated", false, verdict.reason, message);
  } else draft.condition("Validated", true, "Valid", "the spec keeps the rules");
  if (verdict.reason === "PoolNotFound" || verdict.reason === "PoolExhausted") {
    draft.condition("Configuring", true, verdict.reason, message);
  } else if (verdict.phase === "Failed") draft.condition("Configuring", false, "Invalid", message);
  else draft.condition("Configuring", false, "Valid", text`${network.metadata.name ?? ""} has what it needs`);
  draft.wake(plus(now, interval));
}

type Unanswered = "NoProviders" | "NotAsked" | "ProviderUnreachable";

const isUnknown = (reason: Verdict["reason"]): reason is Unanswered =>
  reason === "NoProviders" || reason === "NotAsked" || reason === "ProviderUnreachable";

interface Verdict {
  readonly phase: "Pending" | "Configuring" | "Ready" | "Failed";
  readonly reason: "Valid" | "Invalid" | "IPConflict" | "PoolNotFound" | "PoolExhausted" | "Unsupported" | Unanswered;
  readonly message: SafeText;
}

function verdictOf({ network, problem, poolTrouble, addresses, providers }: World): Verdict {
  const { conflicts, waiting } = addresses;
  if (problem !== undefined) return { phase: "Failed", reason: "Invalid", message: problem };
  if (conflicts.length > 0) {
    const told = conflicts.map(({ ip, vm, holder }) => `${vm} asks for ${ip}, which ${holder} has`);
    return { phase: "Failed", reason: "IPConflict", message: text`${names(told, { more: "; and {k} more" })}` };
  }
  if (poolTrouble !== undefined) return { phase: "Configuring", reason: "PoolNotFound", message: poolTrouble };
  if (waiting.length > 0) {
    const message = text`no address is left for ${names(waiting)}`;
    return { phase: "Configuring", reason: "PoolExhausted", message };
  }
  if (providers.size === 0) {
    const message = text`there is no Provider in its namespace, and none of a machine on it`;
    return { phase: "Pending", reason: "NoProviders", message };
  }
  const able = [...providers].filter(([, { spec }]) => isDeclaredFor(network.spec, spec.type));
  if (able.length === 0) {
    const message = text`no Provider can do it: ${names([...providers.keys()])}`;
    return { phase: "Pending", reason: "Unsupported", message };
  }
  const unheard = silence(able.map(([key, provider]) => ({ key, answers: answering(provider) })));
  if (unheard !== undefined) return { phase: "Pending", ...unheard };
  return { phase: "Ready", reason: "Valid", message: text`machines can be put on it` };
}

/** What is found again as it was keeps its time. */
function entriesOf({ network, providers }: World, now: Instant): Record<string, ProviderNetworkStatus> {
  const before = network.status?.providerStatus ?? {};
  const entries: Record<string, ProviderNetworkStatus> = {};
  for (const [key, provider] of providers) {
    const entry = entryOf(network, provider);
    if (entry === undefined) continue;
    const { message, ...fresh } = entry;
    const old = before[key];
    const isSame = old?.available === fresh.available && old.state === fresh.state && old.message === message;
    const lastUpdated = isSame ? old.lastUpdated : undefined;
    entries[key] = {
      ...fresh,
      ...(message === undefined ? {} : { message }),
      lastUpdated: lastUpdated ?? formatTime(now),
    };
  }
  return entries;
}

/** Undefined: it could do it, and does not answer. */
function entryOf({ spec }: VMNetworkAttachment, provider: Provider): ProviderNetworkStatus | undefined {
  const { type } = provider.spec;
  if (!isDeclaredFor(spec, type)) {
    const block = type === "qemu" ? "network.type nat or isolated, or network.libvirt" : `network.${type}`;
    return { available: false, state: "unsupported", message: `${type} needs ${block}` };
  }
  if (answering(provider) !== "yes") return undefined;
  const ignored = ignoredBy(spec, type);
  if (ignored.length === 0) return { available: true, state: "declared" };
  return { available: true, state: "declared", message: `ignored: ${names(ignored, { max: 15 })}` };
}
