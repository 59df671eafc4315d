// What was observed of a scenario: the states of each object in their order, and the Events. Read from a recorded file here;
// `symbols.ts` makes one of what a server did.
import { isObject, type JsonObject, merged, same, text } from "./json.ts";

export interface Recording {
  /** By object (`Kind/name`). */
  readonly objects: ReadonlyMap<string, readonly State[]>;
  /** What not every run showed, by object. */
  readonly varied: ReadonlyMap<string, readonly Varied[]>;
  readonly events: readonly Told[];
  readonly eventsVaried: readonly Told[];
}

export interface State {
  /** The last action before it, as an index into the steps. */
  readonly step: number;
  readonly event: "ADDED" | "MODIFIED" | "DELETED";
  /** metadata, spec, status and the rest; of a deletion metadata only. */
  readonly body: JsonObject;
}

export interface Varied extends State {
  /** It came after this common state: -1 is before the first. */
  readonly after: number;
}

export interface Told {
  readonly regarding: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly component: string;
}

/** Left out of a recorded state when equal to that of the state before. */
export const repeated: readonly string[] = ["spec", "data", "endpoints", "subsets", "ports"];
const frame = new Set(["record", "object", "n", "step", "event", "run", "after", "change"]);

export function readRecording(lines: readonly JsonObject[]): Recording {
  const objects = new Map<string, State[]>();
  const varied = new Map<string, Varied[]>();
  const events: Told[] = [];
  const eventsVaried: Told[] = [];
  for (const line of lines) {
    if (line["record"] === "state") {
      const states = listed(objects, text(line, "object"));
      states.push({ ...stepAndEvent(line), body: whole(line, states.at(-1)) });
    } else if (line["record"] === "event") events.push(toldOf(line));
    else if (line["record"] === "event-varied") eventsVaried.push(toldOf(line));
  }
  const lastOfRun = new Map<string, Varied>();
  for (const line of lines) {
    if (line["record"] !== "varied") continue;
    const object = text(line, "object");
    const after = Number(line["after"]);
    const run = `${object} ${line["run"]}`;
    const mine = lastOfRun.get(run);
    const before = mine?.after === after ? mine : objects.get(object)?.[after];
    const change = isObject(line["change"]) ? line["change"] : {};
    const body = merged(before?.body ?? {}, change);
    const state = { ...stepAndEvent(line), after, body: isObject(body) ? body : {} };
    lastOfRun.set(run, state);
    listed(varied, object).push(state);
  }
  return { objects, varied, events, eventsVaried };
}

export function listed<T>(map: Map<string, T[]>, key: string): T[] {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made: T[] = [];
  map.set(key, made);
  return made;
}

/** A recorded state with what was left out. Where nothing else differs from the state before, what is missing is gone. */
function whole(line: JsonObject, before: State | undefined): JsonObject {
  const said = Object.fromEntries(Object.entries(line).filter(([key]) => !frame.has(key)));
  if (line["event"] === "DELETED" || before === undefined || before.event === "DELETED") return said;
  const carried = repeated.filter((key) => !(key in said) && key in before.body);
  const full = { ...Object.fromEntries(carried.map((key) => [key, before.body[key] ?? null])), ...said };
  return same(full, before.body) ? said : full;
}

function stepAndEvent(line: JsonObject): Pick<State, "step" | "event"> {
  const event = line["event"];
  return {
    step: Number(line["step"]),
    event: event === "ADDED" || event === "DELETED" ? event : "MODIFIED",
  };
}

const toldOf = (line: JsonObject): Told => ({
  regarding: text(line, "regarding"),
  type: text(line, "type"),
  reason: text(line, "reason"),
  message: text(line, "message"),
  component: text(line, "component"),
});
