import { expect, test } from "vitest";
import { terminal } from "./terminal.ts";

const tty = { write: () => true, isTTY: true, columns: 80, rows: 24 };
const pipe = { write: () => true };

test.each([
  ["a screen has colours", tty, {}, true],
  ["a pipe has none", pipe, {}, false],
  ["NO_COLOR takes them away", tty, { NO_COLOR: "1" }, false],
  ["an empty NO_COLOR says nothing", tty, { NO_COLOR: "" }, true],
  ["a dumb terminal has none", tty, { TERM: "dumb" }, false],
  ["FORCE_COLOR brings them to a pipe", pipe, { FORCE_COLOR: "1" }, true],
  ["NO_COLOR is stronger", pipe, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("%s", (_name, stream, env, expected) => {
  expect(terminal(stream, env).hasColours).toBe(expected);
});

test("a pipe is wide, and COLUMNS has the last word", () => {
  expect(terminal(tty, {}).columns).toBe(80);
  expect(terminal(pipe, {}).columns).toBe(160);
  expect(terminal(pipe, { COLUMNS: "100" }).columns).toBe(100);
  expect(terminal(pipe, { COLUMNS: "many" }).columns).toBe(160);
});
