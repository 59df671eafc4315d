// Whether a provider can be asked. One that is being deleted still can, as its pods stay until nothing refers to it: what is on it has
// to go first. Nothing new is made there.

import { findCondition, type SafeText, text } from "@telltale/status";
import type { Provider } from "./kinds/index.ts";

export function isReachable({ status }: Provider, use: "what exists" | "something new"): boolean {
  const { phase, endpoint = "" } = status?.runtime ?? {};
  return endpoint !== "" && (phase === "Running" || (phase === "Stopping" && use === "what exists"));
}

/** Whether it answered when it was asked last. Undefined: it has not been asked. */
export function isConnected({ status }: Pick<Provider, "status">): boolean | undefined {
  const connected = findCondition(status?.conditions, "Connected");
  return connected === undefined || connected.status === "Unknown" ? undefined : connected.status === "True";
}

/** The same words however it shows, and whatever the cause: what cannot be asked is written once. */
export const unreachable = (name: string): SafeText => text`Provider ${name} cannot be reached: its conditions say why`;
