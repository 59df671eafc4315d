// core/v1 Event and events.k8s.io/v1 Event: the same fields under other names.
import type { JsonObject } from "../json.ts";

/** The core Event as the newer kind shows it. */
export function toNewEvent(event: JsonObject): JsonObject {
  return renamed(event, names, "events.k8s.io/v1");
}

/** The newer kind as a core Event. */
export function toCoreEvent(event: JsonObject): JsonObject {
  return renamed(event, new Map([...names].map(([core, other]) => [other, core])), "v1");
}

/** Core name to newer name; what is not here is called the same. */
const names: ReadonlyMap<string, string> = new Map([
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
]);

function renamed(event: JsonObject, by: ReadonlyMap<string, string>, apiVersion: string): JsonObject {
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(event)) converted[by.get(name) ?? name] = value;
  return { ...converted, apiVersion, kind: "Event" };
}
