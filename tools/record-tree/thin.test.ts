import { expect, test } from "vitest";
import { type Event, thin } from "./thin.ts";

const back = (lines: number) => `\u001b[${lines}A\r\u001b[0J`;
const line = (state: string, age: string) => `demo ${state} \u001b[90m${age}   \u001b[0m\r\n`;

test("pictures that are new stay, a second apart, and take back what is really there", () => {
  const events: Event[] = [
    [0, "hello\r\n"],
    [0.5, line("busy", "0s")],
    [0.8, `${back(1)}${line("nearly", "0s")}${line("more", "0s")}`],
    [1.6, `${back(2)}${line("well", "1s")}`],
    [2, `${back(1)}${line("well", "2s")}${line("last", "0s")}bye\r\n`],
  ];
  expect(thin(events)).toEqual([
    [0, "hello\r\n"],
    [0.5, line("busy", "0s")],
    [1.6, `${back(1)}${line("well", "1s")}`],
    [2, `${back(1)}${line("well", "2s")}${line("last", "0s")}bye\r\n`],
  ]);
});

test("where only ages differ one in five seconds is enough", () => {
  const events = Array.from({ length: 13 }, (_, i): Event => [i, `${i === 0 ? "" : back(1)}${line("well", `${i}s`)}`]);
  expect(thin(events).map(([at]) => at)).toEqual([0, 5, 10, 12]);
});

test("a picture that came in parts is one", () => {
  const [first, second] = [`${back(1)}`.slice(0, 3), `${back(1)}`.slice(3)];
  const events: Event[] = [
    [0, line("a", "0s")],
    [2, first],
    [2.1, `${second}${line("b", "0s")}`],
    [2.2, line("c", "0s")],
  ];
  expect(thin(events)).toEqual([
    [0, line("a", "0s")],
    [2, `${back(1)}${line("b", "0s")}${line("c", "0s")}`],
  ]);
});
