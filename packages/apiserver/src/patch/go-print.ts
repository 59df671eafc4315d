// Values as Go's `%v` prints them, for messages that show a map.
import { isObject, type Json } from "../json.ts";

export function goPrint(value: Json): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goPrint).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goPrint(value[name] ?? null)}`);
  return `map[${members.join(" ")}]`;
}
