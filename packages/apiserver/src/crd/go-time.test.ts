import { expect, test } from "vitest";
import { canonicalTime } from "../decode/values.ts";
import { timeProblem } from "./go-time.ts";

const layout = ' as "2006-01-02T15:04:05Z07:00"';

test.each([
  ["2026-01-02T5:04:05Z", undefined],
  ["2026-01-02T05:04:05,25Z", undefined],
  ["2024-02-29T00:00:00+24:60", undefined],
  ["2026-02-29T00:00:00Z", ": day out of range"],
  ["2026-01-02T00:00:00+01:61", ": time zone offset minute out of range"],
  ["2026-13-01 nonsense", ": month out of range"],
  ["2026-01-01T00:00:00Zx", ': extra text: "x"'],
  ["yesterday", `${layout}: cannot parse "yesterday" as "2006"`],
])("%s is the same to custom and to built-in kinds", (text, problem) => {
  expect(timeProblem(text)).toBe(problem);
  const read = () => canonicalTime(text, false);
  if (problem === undefined) expect(read()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  else expect(read).toThrow(`parsing time ${JSON.stringify(text)}${problem}`);
});
