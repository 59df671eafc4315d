import { describe, expect, it } from "vitest";
import { type Hysteresis, hysteresis, type Probe } from "./hysteresis.ts";

const run = (answers: string, limits: Hysteresis): string => {
  let probe: Probe | undefined;
  return [...answers]
    .map((answer) => {
      probe = hysteresis(probe, answer === "+", limits);
      return probe.verdict === "good" ? "+" : "-";
    })
    .join("");
};

describe("a probe's verdict", () => {
  it("rule 80: two failures in a row make it bad, one success makes it good again (bindy 7.8)", () => {
    expect(run("-+--+-", { fail: 2, ok: 1 })).toBe("+++-++");
  });

  it("three failures in a row make it bad (virtrigaud, locust)", () => {
    expect(run("--+---+", { fail: 3, ok: 1 })).toBe("+++++-+");
    expect(run("-+-", { fail: 3, ok: 1 })).toBe("+++");
  });

  it("recovers only after as many successes as are asked for", () => {
    expect(run("-+-++", { fail: 1, ok: 2 })).toBe("----+");
  });

  it("forgets what spoke against it as soon as something speaks for it", () => {
    expect(hysteresis({ verdict: "good", against: 1 }, true, { fail: 2, ok: 1 })).toEqual({
      verdict: "good",
      against: 0,
    });
  });
});
