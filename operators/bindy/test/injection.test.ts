// what is hostile is refused before it reaches named, in every field; what is accepted is harmless whatever it was.
import { pick, type Random, seededRandom } from "@telltale/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attacks, dotted } from "./hostile.ts";
import { type Field, fields, type Recorder, recorder } from "./injection.ts";

let bindcar: Recorder;
beforeEach(async () => {
  bindcar = await recorder();
});
afterEach(() => bindcar.close());

test("A-143 every attack string in every field is refused, and nothing is told to named", async () => {
  const passed: string[] = [];
  for (const { at, request } of fields) {
    for (const attack of [...attacks, ...dotted]) {
      const status = await bindcar.ask(...request(attack));
      if (status !== 400 && status !== 422) passed.push(`${at}: ${JSON.stringify(attack)}: ${status}`);
    }
  }
  expect(passed).toEqual([]);
  expect(bindcar.changes).toBe(0);
  expect(await bindcar.misfits()).toEqual([]);
});

test("A-143 the same strings as texts of TXT and CAA are data and nothing else", async () => {
  const text = (attack: string) => `"${attack.replace(/["\\]/g, "\\$&")}"`;
  for (const attack of attacks) {
    const hasControls = /[\p{Cc}\u200f]/u.test(attack);
    for (const [type, value] of [
      ["TXT", text(attack)],
      ["CAA", `0 issue ${text(attack)}`],
    ] as const) {
      const change = { name: "a.there.example.", type, ttl: 60, values: [value] };
      const put = await bindcar.ask("PUT", "/zones/there.example/rrsets", { serial: 2, changes: [change] });
      // Nothing came about, as this named only writes down: 409 says that it was sent.
      expect([attack, type, put]).toEqual([attack, type, hasControls ? 400 : 409]);
    }
  }
  expect(await bindcar.misfits()).toEqual([]);
});

const parts = [
  ...attacks,
  "a",
  "www",
  "example.com.",
  "there.example.",
  "192.0.2.1",
  "2001:db8::1",
  "10 ",
  "0 issue ",
  '"',
  '\\"',
  "\\",
  "\\010",
  "\n",
  "\r\n",
  "\t",
  ";",
  "{",
  "}",
  "};",
  "(",
  ")",
  "@",
  "*",
  "*.",
  "$ORIGIN .",
  "key x",
  ":53",
  "[::1]:53",
  " ",
  ".",
  "-",
  "_",
  "\u0000",
  "\u0085",
  "\u2028",
  "\ud800",
  "𝐚",
  "%00",
  "%0a",
] as const;

/** Texts that look a little like what belongs there. */
function made(random: Random): string {
  const count = 1 + Math.floor(random.next() * 4);
  const text = Array.from({ length: count }, () =>
    pick(random, parts as unknown as readonly [string, ...string[]]),
  ).join("");
  const shape = random.next();
  if (shape < 0.2) return `"${text}"`;
  if (shape < 0.3) return `0 issue "${text}"`;
  if (shape < 0.4) return `${text}.there.example.`;
  return shape < 0.5 ? `${text.slice(0, 3)}.example.com.` : text;
}

test("A-143 fuzz: whatever is accepted stays within its line, its word and its folder", async () => {
  const random = seededRandom(20261115);
  const statuses = new Map<number, number>();
  for (let i = 0; i < 2_000; i += 1) {
    const field = pick(random, fields as unknown as readonly [Field, ...Field[]]);
    const text = made(random);
    const status = await bindcar.ask(...field.request(text));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect([field.at, text, [200, 201, 400, 404, 405, 409, 422].includes(status)]).toEqual([field.at, text, true]);
  }
  expect(await bindcar.misfits()).toEqual([]);
  // It would be worth nothing if nothing came through.
  expect(bindcar.changes).toBeGreaterThan(20);
  expect(statuses.get(400)).toBeGreaterThan(1_000);
});
