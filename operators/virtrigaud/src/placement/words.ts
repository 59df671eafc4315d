// What is wrong, in one line.
import { type SafeText, text } from "@telltale/status";

/** Enough to know what to do, and not so much that nobody reads it. */
export function firstThree(problems: readonly SafeText[]): SafeText {
  const [first = text``, second, third, ...more] = problems;
  const two = second === undefined ? first : text`${first}; ${second}`;
  const three = third === undefined ? two : text`${two}; ${third}`;
  return more.length === 0 ? three : text`${three}; and ${more.length} more`;
}
