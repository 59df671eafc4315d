import { VirtualClock } from "@telltale/clock";
import { formatTime, type Instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import { Sightings } from "./sightings.ts";

const hour = 3_600_000;

function setting() {
  const clock = new VirtualClock();
  const sightings = new Sightings(clock);
  const dated = (at: number, attempt = 1) => ({
    op: "Make",
    id: "1",
    attempt,
    at: formatTime((clock.now() + at) as Instant),
  });
  const age = (record: ReturnType<typeof dated>) => sightings.age("u", record);
  return { clock, sightings, dated, age };
}

test.each([-hour, hour, 0])("one that a clock dated %i ms from now is as old as it is known", async (at) => {
  const { clock, dated, age } = setting();
  const record = dated(at);
  expect(age(record)).toBe(0);
  await clock.advance(30_000);
  expect(age(record)).toBe(30_000);
});

test("one that says no time is as old as it is known", async () => {
  const { clock, age } = setting();
  const record = { op: "Make", id: "1", attempt: 1, at: "" };
  expect(age(record)).toBe(0);
  await clock.advance(1_000);
  expect(age(record)).toBe(1_000);
});

test("another attempt counts anew", async () => {
  const { clock, dated, age } = setting();
  age(dated(0));
  await clock.advance(60_000);
  const next = dated(0, 2);
  await clock.advance(5_000);
  expect(age(next)).toBe(0);
  await clock.advance(5_000);
  expect(age(next)).toBe(5_000);
});

test("an object that is gone is forgotten", async () => {
  const { clock, sightings, dated, age } = setting();
  const record = dated(-hour);
  age(record);
  await clock.advance(1_000);
  sightings.drop("u");
  expect(age(record)).toBe(0);
});
