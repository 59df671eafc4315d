// What is kept of a step's answer, before anything is normalised.
import { at, isObject, type Json, type JsonObject } from "../../src/json.ts";
import { byCanonical, find, remove } from "./json.ts";
import type { EventsResult, Part, ResponseResult } from "./run.ts";

export interface Kept {
  status?: number;
  headers?: Record<string, readonly string[]>;
  body?: Json;
  text?: string;
  binary?: string;
  /** By pointer; undefined where there is nothing. */
  pointers?: Record<string, Json | undefined>;
  /** The pointers are into a list: its version is not one of an object. */
  list: boolean;
  events?: Json[];
  ended?: boolean;
  elapsed?: string;
}

export const select = (part: Part): Kept => (part.kind === "events" ? selectEvents(part) : selectResponse(part));

const usual = ["status", "headers:content-type", "headers:warning", "headers:retry-after", "body"];

function selectResponse(result: ResponseResult): Kept {
  const { spec, status, headers, body } = result;
  const opened = spec.watch !== undefined && body.as === "none";
  const wanted = [...(spec.compare ?? (opened ? usual.slice(0, 2) : usual)), ...(spec.compare_also ?? [])];
  const json = body.as === "json" ? body.json : undefined;
  const kept: Kept = { list: Array.isArray(at(json, "items")) || Array.isArray(at(json, "rows")) };
  for (const item of wanted) {
    const [, what, name = ""] = /^(headers|present|text):(.*)$/s.exec(item) ?? [undefined, item];
    const header = headers[name.toLowerCase()];
    if (what === "status") kept.status = status;
    else if (what === "headers") {
      if (header !== undefined) kept.headers = { ...kept.headers, [name.toLowerCase()]: header };
    } else if (what === "present") {
      kept.headers = { ...kept.headers, [`${name.toLowerCase()} present`]: [String(header !== undefined)] };
    } else if (what === "body") keepBody(kept, result);
    else if (what === "elapsed") kept.elapsed = span(result);
    else if (what === "text")
      kept.pointers = { ...kept.pointers, [item]: new RegExp(name, "m").exec(result.bytes.toString("utf8"))?.[0] };
    else kept.pointers = { ...kept.pointers, [item]: find(json, item) };
  }
  return kept;
}

function keepBody(kept: Kept, { body, spec }: ResponseResult): void {
  if (body.as === "text") kept.text = body.text;
  if (body.as === "binary") {
    const size = body.bytes.length > 4 ? "non-empty" : `${body.bytes.length} bytes`;
    kept.binary = `<${size}, starts ${body.bytes.subarray(0, 4).toString("hex")}>`;
  }
  if (body.as !== "json") return;
  const copy = structuredClone(body.json);
  for (const pointer of spec.drop ?? []) remove(copy, pointer);
  kept.body = spec.unordered_errors === true ? sortErrors(copy) : copy;
}

function selectEvents(result: EventsResult): Kept {
  const { spec, ended } = result;
  const events = result.events.map((event) => {
    const copy = structuredClone(event);
    for (const pointer of spec.drop ?? []) remove(copy, pointer);
    if (spec.pick === undefined) return copy;
    const picked: JsonObject = {};
    for (const pointer of spec.pick) {
      const value = find(copy, pointer);
      // Under its own name, so that it counts as the version of an object.
      const name = pointer === "/object/metadata/resourceVersion" ? "resourceVersion" : pointer;
      if (value !== undefined) picked[name] = value;
    }
    return picked;
  });
  return {
    list: false,
    events: spec.sorted === true ? byCanonical(events) : events,
    ended,
    ...(spec.elapsed === undefined ? {} : { elapsed: span(result) }),
  };
}

function span({ spec, elapsed }: Part): string {
  const [least, most] = spec.elapsed ?? [0, -1];
  return elapsed >= least && elapsed <= most ? `within ${least}-${most} ms` : `${elapsed} ms`;
}

/** Where the real server walks a map, the order of field errors is chance: they are sorted and the message is made again. */
function sortErrors(status: Json): Json {
  const causes = at(status, "details", "causes");
  if (!isObject(status) || status["kind"] !== "Status" || !Array.isArray(causes) || causes.length < 2) return status;
  const sorted = byCanonical(causes);
  const lines = [...new Set(sorted.map((cause) => `${at(cause, "field")}: ${at(cause, "message")}`))];
  const head = /^.*? is invalid: /s.exec(String(status["message"] ?? ""))?.[0];
  const message = head === undefined || lines.length < 2 ? {} : { message: `${head}[${lines.join(", ")}]` };
  const details = { ...(isObject(status["details"]) ? status["details"] : {}), causes: sorted };
  return { ...status, details, ...message };
}
