// What Go's time package says about a text that is no RFC 3339 time.
import { stringFormat } from "./formats.ts";

const isDate = stringFormat("date");

/** A part of the layout, and where it has bounds its name and the highest and lowest value. */
type Part = readonly [pattern: RegExp, name: string, called?: string, max?: number, min?: number];

const layout: readonly Part[] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d{2}/, "01", "month", 12, 1],
  [/^-/, "-"],
  [/^\d{2}/, "02", "day", 31, 1],
  [/^T/, "T"],
  [/^\d{2}/, "15", "hour", 23, 0],
  [/^:/, ":"],
  [/^\d{2}/, "04", "minute", 59, 0],
  [/^:/, ":"],
  [/^\d{2}(\.\d+)?/, "05", "second", 59.999999999, 0],
  [/^(Z|[+-]\d{2}:\d{2})/, "Z07:00"],
];

const usual = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{6})?Z$/;

/** Whether it is a good time in the form in which Go writes it, by a quick look: nearly all are. The last days of a month are not judged. */
export const isUsualTime = (text: string, form: "seconds" | "micro" = "seconds"): boolean =>
  text.length === (form === "micro" ? 27 : 20) && usual.test(text);

/** What follows `parsing time "x"` in the message; undefined for a good time. */
export function timeProblem(text: string): string | undefined {
  let rest = text;
  let outside: string | undefined;
  for (const [pattern, name, called, max = 0, min = 0] of layout) {
    const part = pattern.exec(rest)?.[0];
    if (part === undefined) {
      return ` as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`;
    }
    if (called !== undefined && (Number(part) > max || Number(part) < min)) outside ??= called;
    if (name === "Z07:00" && Number(part.slice(1, 3)) > 24) outside ??= "time zone offset hour";
    rest = rest.slice(part.length);
  }
  if (outside !== undefined) return `: ${outside} out of range`;
  if (rest !== "") return `: extra text: ${JSON.stringify(rest)}`;
  return isDate?.(text.slice(0, 10)) === false ? ": day out of range" : undefined;
}
