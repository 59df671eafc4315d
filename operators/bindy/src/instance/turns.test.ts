import { type Instant, plus } from "@telltale/kinds";
import { expect, test } from "vitest";
import type { Bind9Instance } from "../kinds/index.ts";
import { Turns } from "./turns.ts";

const server = { metadata: { uid: "u", name: "dns-primary-0" }, spec: { role: "primary" } } as Bind9Instance;
const now = 1_767_225_600_000 as Instant;

test("8.4 whoever wants to roll waits until all who want to have said so", () => {
  const turns = new Turns();
  const at = (ms: number) => turns.ask("dns/dns", server, [], plus(now, ms));
  expect([at(0), at(1_999), at(2_000)]).toEqual([false, false, true]);
});

test("8.4 nobody waits for a time that a wrong clock has told", () => {
  const turns = new Turns();
  const at = (ms: number) => turns.ask("dns/dns", server, [], plus(now, ms));
  expect(at(3_600_000)).toBe(false);
  expect([at(0), at(2_000)]).toEqual([false, true]);
});
