// Namespaces that are going away: nothing new is made in them.
import { ApiError } from "@telltale/client";
import type { Namespace } from "@telltale/kinds/builtin";
import { isTerminating } from "../pods/facts.ts";

/** Makes something. That the namespace turns out to be going away is no failure: what would be in it goes too. */
export async function unlessEnding(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!isEndingError(error)) throw error;
  }
}

export function isEndingError(error: unknown): boolean {
  return error instanceof ApiError && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}

export const isEnding = (namespace: Namespace): boolean =>
  isTerminating(namespace) || namespace.status?.phase === "Terminating";
