// Events under both of their names. They are one thing in the store; `event-conversion.ts` goes between.
import { CoreEvent, Event } from "@telltale/kinds/builtin";
import { at, type JsonObject, text } from "../json.ts";
import { type FieldError, invalidField, required } from "../status.ts";
import { isEmpty, qualifiedProblems, told } from "./checks.ts";
import { given } from "./edit.ts";
import { type Fields, type Strategy, strategy } from "./strategy.ts";

type Found = FieldError[];

const references = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const common = { allowCreateOnUpdate: true, defaultPropagation: "unsupported" as const };

export const coreEventStrategy: Strategy = strategy(CoreEvent, "core.Event", {
  ...common,
  validate: (event) => reported(event, coreNames),
  fields: fieldsOf("involvedObject", "reportingComponent", (event) => ({
    source: text(at(event, "source", "component")) || text(event["reportingComponent"]),
  })),
});

export const eventStrategy: Strategy = strategy(Event, "events.Event", {
  ...common,
  validate: (event) => [...reported(event, newNames), ...complete(event)],
  fields: fieldsOf("regarding", "reportingController", () => ({})),
});

interface Names {
  readonly object: string;
  readonly controller: string;
  readonly note: string;
}

const coreNames: Names = { object: "involvedObject", controller: "reportingComponent", note: "message" };
const newNames: Names = { object: "regarding", controller: "reportingController", note: "note" };

function fieldsOf(object: string, controller: string, more: Fields["read"]): Fields {
  const read: Fields["read"] = (event) => ({
    ...Object.fromEntries(references.map((name) => [`${object}.${name}`, text(at(event, object, name))])),
    reason: text(event["reason"]),
    type: text(event["type"]),
    [controller]: text(event[controller]),
    ...more(event),
  });
  return { names: Object.keys(read({})), read };
}

/** An event belongs to the namespace of what it is about; one with an `eventTime` says who saw it and what they did. */
function reported(event: JsonObject, names: Names): Found {
  const own = text(at(event, "metadata", "namespace"));
  const about = text(at(event, names.object, "namespace"));
  const fits = about === "" ? own === "" || own === "default" : about === own;
  // The path is that of the core kind, whichever was written.
  const found: Found = fits ? [] : [invalidField("involvedObject.namespace", about, "does not match event.namespace")];
  if (isEmpty(event["eventTime"])) return found;
  const controller = text(event[names.controller]);
  if (controller === "") found.push(required(names.controller));
  found.push(...told(names.controller, controller, qualifiedProblems(controller)));
  const instance = text(event["reportingInstance"]);
  if (instance === "") found.push(required("reportingInstance"));
  if (instance.length > 128) found.push(invalidField("reportingInstance", "", "can have at most 128 characters"));
  for (const name of ["action", "reason"]) {
    if (text(event[name]) === "") found.push(required(name));
    if (text(event[name]).length > 128) found.push(invalidField(name, "", "can have at most 128 characters"));
  }
  if (text(event[names.note]).length > 1024)
    found.push(invalidField(names.note, "", "can have at most 1024 characters"));
  return found;
}

/** What only the newer kind insists on. */
function complete(event: JsonObject): Found {
  const found: Found = isEmpty(event["eventTime"]) ? [required("eventTime")] : [];
  const type = text(event["type"]);
  if (type !== "Normal" && type !== "Warning") found.push(invalidField("type", "", `has invalid value: ${type}`));
  const old: readonly [string, string][] = [
    ["deprecatedFirstTimestamp", "firstTimestamp"],
    ["deprecatedLastTimestamp", "lastTimestamp"],
    ["deprecatedCount", "count"],
  ];
  for (const [name, field] of old) if (!isEmpty(event[name])) found.push(invalidField(field, "", "needs to be unset"));
  if (!isEmpty(given(event, "deprecatedSource"))) found.push(invalidField("source", "", "needs to be unset"));
  return found;
}
