// What a Provider says of itself. Pure.
import { type Condition, formatTime, type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, findCondition, type SafeText, text } from "@telltale/status";
import type { Provider, ProviderStatus } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { healthCheckOf } from "./health.ts";
import { type RuntimeReady, type Standing, standingOf } from "./phase.ts";
import { rolloutOf } from "./rollout.ts";
import type { ProviderSettings } from "./settings.ts";
import { tlsPosture, tlsSaid } from "./tls.ts";
import { totalsIn, usageOf } from "./usage.ts";
import { versionOf } from "./version.ts";
import type { World } from "./world.ts";

type ProviderDraft = Draft<typeof Provider>;

export function status(world: World, draft: ProviderDraft, now: Instant, settings: ProviderSettings): void {
  const { it, machines } = world;
  const standing = standingOf(world);
  draft.set({
    runtime: runtimeOf(it, standing),
    version: versionOf(it.spec.runtime?.image),
    connectedVMs: machines.count,
  });
  draft.state({ type: "RuntimeReady", ...standing.ready });
  const rollout = rolloutOf(world);
  if (rollout === undefined) draft.without("RolloutComplete");
  else draft.state({ type: "RolloutComplete", ...rollout });
  draft.state({ type: "TLSConfigured", ...tlsSaid(tlsPosture(it)) });
  const health = healthOf(world);
  sayHealth(world, health, draft);
  sayAbilities(world, draft);
  draft.state({ type: "Ready", ...readyOf(standing.ready, health) });
  if (settings.legacyProviderConditions) {
    draft.state({ type: "ProviderRuntimeReady", ...standing.ready });
    if (health.healthy !== undefined) draft.state({ type: "ProviderAvailable", ...health.healthy });
  } else draft.without("ProviderRuntimeReady", "ProviderAvailable");
  const wait = waits[standing.phase];
  if (wait !== undefined || standing.ready.status === "False") draft.wake(plus(now, wait ?? 30_000));
}

/** Until it is looked at again, by phase: whoever runs is looked at after each probe. */
const waits: Readonly<Partial<Record<Standing["phase"], Ms>>> = { Pending: 30_000, Starting: 10_000, Failed: 60_000 };

function runtimeOf(it: Provider, standing: Standing): NonNullable<ProviderStatus["runtime"]> {
  const { phase, ready, endpoint, service, replicas } = standing;
  const isPaused = it.metadata.annotations?.[annotations.paused] === "true";
  return {
    mode: "Remote",
    phase,
    message: isPaused ? text`Paused: nothing is changed. ${ready.message}` : ready.message,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(service === undefined ? {} : { serviceRef: { name: service } }),
    ...(replicas === undefined ? {} : { readyReplicas: replicas.ready, availableReplicas: replicas.available }),
  };
}

interface Said {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: SafeText;
}

interface Health {
  /** The threshold of failures is not reached. */
  readonly isGood: boolean;
  readonly healthy: Said | undefined;
  readonly connected: Said | undefined;
}

const disabled: Said = {
  status: "Unknown",
  reason: "HealthCheckDisabled",
  message: text`Health checks are disabled`,
};

/** What the last probe says; before the first of this process, what is stored. */
function healthOf({ it, probed }: World): Health {
  const check = healthCheckOf(it);
  if (probed?.value === undefined) {
    const stored = storedOf(it, "Healthy");
    const isStale = (stored?.reason === "HealthCheckDisabled") === check.isEnabled;
    return {
      isGood: storedOf(it, "Ready")?.status !== "False",
      healthy: check.isEnabled ? (isStale ? undefined : stored) : disabled,
      connected: storedOf(it, "Connected"),
    };
  }
  const { answer, verdict } = probed.value;
  const isGood = verdict.verdict === "good";
  const [needed, what] = isGood ? [check.failures, "failures"] : [check.successes, "successes"];
  const doubt = verdict.against === 0 ? text`` : text`${verdict.against} of ${needed} ${what}: `;
  const message = text`${doubt}${answer.said}`;
  if (answer.is === "unreachable") {
    const connected: Said = { status: "False", reason: "ConnectionFailed", message: answer.said };
    const healthy: Said = { status: "Unknown", reason: "ConnectionFailed", message };
    return { isGood, healthy: check.isEnabled ? healthy : disabled, connected };
  }
  const connected: Said = { status: "True", reason: "Connected", message: text`The provider answers` };
  if (!check.isEnabled) return { isGood, healthy: disabled, connected };
  if (answer.is === "reached") return { isGood, healthy: undefined, connected };
  const healthy: Said = isGood
    ? { status: "True", reason: "ProviderHealthy", message }
    : { status: "False", reason: "HealthCheckFailed", message };
  return { isGood, healthy, connected };
}

function storedOf({ status: is }: Provider, type: string): Said | undefined {
  const found: Condition | undefined = findCondition(is?.conditions, type);
  return found === undefined
    ? undefined
    : { status: found.status, reason: found.reason, message: text`${found.message}` };
}

function sayHealth({ it, probed }: World, { healthy, connected }: Health, draft: ProviderDraft): void {
  if (healthy === undefined || healthy.status === "Unknown") draft.unset("healthy");
  else draft.set({ healthy: healthy.status === "True" });
  if (probed?.value !== undefined && healthCheckOf(it).isEnabled)
    draft.set({ lastHealthCheck: formatTime(probed.value.at) });
  if (healthy === undefined) draft.without("Healthy");
  else draft.state({ type: "Healthy", ...healthy });
  if (connected === undefined) draft.without("Connected");
  else draft.state({ type: "Connected", ...connected });
}

/** Until it was asked by this process, what is stored counts. */
function sayAbilities({ it, probed, machines }: World, draft: ProviderDraft): void {
  const last = probed?.value;
  const told = last?.abilities;
  // Who does not answer is not asked: what it said last still counts.
  const trouble = last?.answer.is === "unreachable" ? last.answer.said : told?.trouble;
  if (told !== undefined && trouble !== undefined)
    draft.condition("CapabilitiesReported", false, "CapabilitiesUnavailable", trouble);
  else if (told !== undefined) {
    draft.condition("CapabilitiesReported", true, "CapabilitiesFetched", "The provider has said what it can do");
  } else draft.keep("CapabilitiesReported");
  const reported = told?.known?.reported ?? it.status?.reportedCapabilities;
  if (told?.known !== undefined) draft.set({ reportedCapabilities: told.known.reported });
  if (last !== undefined) {
    const isWell = last.answer.is === "well";
    const { hasConsole } = machines;
    draft.set({ capabilities: capabilitiesOf({ reported, isWell, hasConsole }) });
  }
  const totals = told?.known?.totals ?? totalsIn(it.status?.resourceUsage);
  // Of a provider that has never answered nobody knows what is on it.
  const isKnown =
    machines.count > 0 || reported !== undefined || (last !== undefined && last.answer.is !== "unreachable");
  if (isKnown) draft.set({ resourceUsage: usageOf(machines.used, totals) });
  else draft.unset("resourceUsage");
}

function readyOf(runtime: RuntimeReady, { isGood, healthy, connected }: Health): Said {
  if (runtime.status === "False" || runtime.reason === "NotObserved") return runtime;
  if (connected === undefined) {
    return { status: "Unknown", reason: "NotAsked", message: text`The provider has not been asked yet` };
  }
  if (connected.status !== "True") {
    // What was well is asked a few times more before it is said not to be.
    const isKnown = !isGood && healthy?.reason !== "HealthCheckDisabled";
    return { ...connected, status: isKnown ? "False" : "Unknown" };
  }
  if (healthy?.status === "True") {
    return { status: "True", reason: "ProviderHealthy", message: text`Provider is healthy and ready` };
  }
  if (healthy?.reason === "HealthCheckDisabled") {
    const message = text`The provider answers; health checks are disabled`;
    return { status: "Unknown", reason: "HealthCheckDisabled", message };
  }
  if (healthy?.status === "False") return healthy;
  return { status: "Unknown", reason: "NotAsked", message: text`The provider has not been asked yet` };
}
