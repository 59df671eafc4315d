// Whether a provider can be asked. One that is being deleted still can, as its pods stay until nothing refers to it: what is on it has
// to go first. Nothing new is made there.
import type { Provider } from "./kinds/index.ts";

export function isReachable({ status }: Provider, use: "what exists" | "something new"): boolean {
  const { phase, endpoint = "" } = status?.runtime ?? {};
  return endpoint !== "" && (phase === "Running" || (phase === "Stopping" && use === "what exists"));
}
