import { VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import { Pressure } from "./pressure.ts";

function pressure() {
  const clock = new VirtualClock();
  return { clock, it: new Pressure(clock) };
}

it("is none while answers are quick, also if they are refusals of ours", () => {
  const { it } = pressure();
  for (const code of [200, 201, 404, 409, 422]) it.heard({ code, took: 20 });
  expect(it.share).toBe(1);
});

it("is felt when the server asks for a pause, cannot be reached, or is slow", () => {
  for (const attempt of [
    { code: 429, took: 1 },
    { code: 503, took: 1 },
    { code: 0, took: 1 },
    { code: 200, took: 2_000 },
  ]) {
    const { it } = pressure();
    it.heard(attempt);
    expect(it.share).toBe(0.5);
  }
});

it("halves once a second, never to nothing, and passes", () => {
  const { clock, it } = pressure();
  for (let i = 0; i < 50; i += 1) it.heard({ code: 429, took: 1 });
  expect(it.share).toBe(0.5);
  for (let i = 0; i < 20; i += 1) {
    clock.advance(1_000);
    it.heard({ code: 429, took: 1 });
  }
  expect(it.share).toBeGreaterThanOrEqual(0.1);
  expect(it.share).toBeLessThan(0.15);
  clock.advance(10_000);
  expect(it.share).toBe(1);
});
