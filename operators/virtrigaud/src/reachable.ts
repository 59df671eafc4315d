// Whether a provider can be asked. One that is being deleted still can, as its pods stay until nothing refers to it: what is on it has
// to go first. Nothing new is made there.

import { findCondition, names, type SafeText, text } from "@telltale/status";
import type { Provider, VirtualMachine } from "./kinds/index.ts";

export function isReachable({ status }: Provider, use: "what exists" | "something new"): boolean {
  const { phase, endpoint = "" } = status?.runtime ?? {};
  return endpoint !== "" && (phase === "Running" || (phase === "Stopping" && use === "what exists"));
}

/** Whether it answered when it was asked last. Undefined: it has not been asked. */
export function isConnected({ status }: Pick<Provider, "status">): boolean | undefined {
  const connected = findCondition(status?.conditions, "Connected");
  return connected === undefined || connected.status === "Unknown" ? undefined : connected.status === "True";
}

/** Whether it answers. `unasked`: it runs, and nobody has asked it yet. */
export type Answering = "yes" | "away" | "unasked";

export function answering(provider: Provider): Answering {
  if (!isReachable(provider, "what exists")) return "away";
  const connected = isConnected(provider);
  return connected === undefined ? "unasked" : connected ? "yes" : "away";
}

/** Why nothing is known of what only these providers could do. Undefined: one of them answers. */
export function silence(
  providers: readonly { readonly key: string; readonly answers: Answering }[],
): { readonly reason: "NotAsked" | "ProviderUnreachable"; readonly message: SafeText } | undefined {
  if (providers.some(({ answers }) => answers === "yes")) return undefined;
  const unasked = providers.filter(({ answers }) => answers === "unasked").map(({ key }) => key);
  if (unasked.length > 0) {
    return { reason: "NotAsked", message: text`${list("Provider", unasked)} not been asked yet` };
  }
  const away = providers.map(({ key }) => key);
  const [only] = away;
  if (away.length === 1 && only !== undefined) return { reason: "ProviderUnreachable", message: unreachable(only) };
  return {
    reason: "ProviderUnreachable",
    message: text`Providers ${names(away)} cannot be reached: their conditions say why`,
  };
}

const list = (kind: string, keys: readonly string[]): SafeText =>
  keys.length === 1 ? text`${kind} ${names(keys)} has` : text`${kind}s ${names(keys)} have`;

/** Why nobody knows how a machine stands. Undefined: what its status says was seen, or nothing was asked yet. */
export function unknownBecause({ status }: VirtualMachine): SafeText | undefined {
  const ready = findCondition(status?.conditions, "Ready");
  return ready?.status === "Unknown" ? text`${ready.message}` : undefined;
}

/** The same words however it shows, and whatever the cause: what cannot be asked is written once. */
export const unreachable = (name: string): SafeText => text`Provider ${name} cannot be reached: its conditions say why`;
