import { turn, VirtualClock } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import type { Target, Verdict } from "./probe.ts";
import { count, keepProbing, noTally } from "./prober.ts";
import type { Probe } from "./spec.ts";

describe("the result of a probe", () => {
  const results = (words: string, probe: Probe) => {
    let tally = noTally;
    return words.split("").map((letter) => {
      const verdict: Verdict = letter === "y" ? { is: "success" } : { is: "failure", message: "" };
      tally = count(tally, verdict, probe);
      return tally.result === undefined ? "-" : tally.result === "success" ? "Y" : "N";
    });
  };

  it.each<[string, Probe, string]>([
    ["y", {}, "Y"],
    ["nnn", {}, "--N"],
    ["ynnyn", { failureThreshold: 3 }, "YYYYY"],
    ["ynnny", { failureThreshold: 3 }, "YYYNY"],
    ["nyyn", { failureThreshold: 1, successThreshold: 2 }, "NNYN"],
  ])("of %s with %o is %s", (words, probe, wanted) => {
    expect(results(words, probe).join("")).toBe(wanted);
  });
});

describe("probing", () => {
  it("begins after its delay, comes again each period, and ends when that was all", async () => {
    const clock = new VirtualClock();
    const looks: number[] = [];
    const target: Target = {
      address: () => ({ host: "127.0.0.1", port: 1 }),
      run: async () => {
        looks.push(clock.uptime());
        return { exitCode: looks.length < 3 ? 1 : 0, output: `look ${looks.length}` };
      },
    };
    const said: string[] = [];
    const results: string[] = [];
    const done = keepProbing({
      kind: "Startup",
      probe: { exec: { command: ["x"] }, initialDelaySeconds: 5, periodSeconds: 2, failureThreshold: 9 },
      target,
      clock,
      since: 0,
      life: new AbortController().signal,
      remark: (reason, message) => said.push(`${reason}: ${message}`),
      conclude: (result) => {
        results.push(result);
        return true;
      },
    });
    await clock.settle(60_000);
    await done;
    expect(looks).toEqual([5_000, 7_000, 9_000]);
    expect(said).toEqual(["Unhealthy: Startup probe failed: look 1", "Unhealthy: Startup probe failed: look 2"]);
    expect(results).toEqual(["success"]);
  });

  it("ends with the container, in the middle of a look", async () => {
    const clock = new VirtualClock();
    const life = new AbortController();
    let given: AbortSignal | undefined;
    const target: Target = {
      address: () => ({ host: "127.0.0.1", port: 1 }),
      run: (_, signal) => {
        given = signal;
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
      },
    };
    const done = keepProbing({
      kind: "Liveness",
      probe: { exec: { command: ["x"] }, timeoutSeconds: 100 },
      target,
      clock,
      since: 0,
      life: life.signal,
      remark: () => expect.unreachable(),
      conclude: () => expect.unreachable(),
    });
    await clock.settle(0);
    while (given === undefined) await turn();
    life.abort();
    await done;
    expect(given.aborted).toBe(true);
  });
});
