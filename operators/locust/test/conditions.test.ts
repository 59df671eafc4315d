// What is stored of a test: lost, spoilt by others, or of another generation.
import { formatTime, plus } from "@telltale/kinds";
import { afterEach, describe, expect, test } from "vitest";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { demo, edit, pending, put, running, suspend } from "./deeds.ts";
import { ended, type Stage } from "./stage.ts";

let on: Stage;
afterEach(() => on.end());

describe("a status that was lost", () => {
  const wipe = () => on.client.status.patch(LocustTest, demo, { merge: { status: null } });

  test("T01 T42 is told again by the resources, and a change of the spec since then is no reason to fail", async () => {
    on = await running();
    const { startTime } = await on.status();
    await on.halt();
    await wipe();
    await edit(on, { worker: { replicas: 5 } });
    on.writes();
    await on.restart();
    expect(await on.status()).toMatchObject({
      phase: "Running",
      startTime,
      appliedGeneration: 1,
      observedGeneration: 2,
      expectedWorkers: 3,
    });
    expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
    expect(await on.says("SpecDrifted")).toMatch(/^True SpecChangeIgnored/);
    await on.pass(1_000_000);
    expect((await on.status()).phase).toBe("Running");
    expect(on.writes().filter((line) => line.startsWith("POST"))).toEqual([]);
  });

  test("T13 of a test that ended well is whole again", async () => {
    on = await running();
    await on.halt();
    await wipe();
    const [start, end] = [plus(on.clock.now(), -60_000), plus(on.clock.now(), -5000)];
    await put(on, "master", { ...ended("Complete", end), startTime: formatTime(start) });
    await on.restart();
    expect(await on.status()).toMatchObject({
      phase: "Succeeded",
      startTime: formatTime(start),
      completionTime: formatTime(end),
    });
    expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
  });
});

test.each(["pending", "running", "suspended"])(
  "all conditions of a test that is %s speak of the spec as it is",
  async (is) => {
    on = await (is === "pending" ? pending() : running());
    if (is === "suspended") await suspend(on, true);
    await edit(on, { worker: { replicas: 5 } });
    await on.pass(100);
    const { observedGeneration, conditions } = await on.status();
    expect(observedGeneration).toBe(2);
    expect(conditions?.map((it) => [it.type, it.observedGeneration])).toEqual(
      ["Ready", "WorkersConnected", "TestCompleted", "PodsHealthy", "TelemetryAvailable", "SpecDrifted"].map((type) => [
        type,
        2,
      ]),
    );
    expect(on.complaints).toEqual([]);
  },
);

describe.each(["Ready", "WorkersConnected", "PodsHealthy", "TestCompleted", "TelemetryAvailable"])(
  "nonsense that somebody else put into %s",
  (type) => {
    const spoil = async () => {
      const { conditions = [] } = await on.status();
      const spoilt = conditions.map((it) => (it.type === type ? { ...it, status: "Unknown", reason: "Spoilt" } : it));
      await on.client.status.patch(LocustTest, demo, { merge: { status: { conditions: spoilt } } });
    };
    const isWhole = async () => {
      expect(on.complaints).toEqual([]);
      expect(await on.says(type)).not.toContain("Spoilt");
    };

    test("goes with the next pass, before the start and while it runs", async () => {
      on = await pending();
      await spoil();
      await on.poke();
      await isWhole();
      await on.job("master", { active: 1 });
      await spoil();
      await on.poke();
      await isWhole();
    });

    test("goes at the end at the latest", async () => {
      on = await running();
      await spoil();
      await on.job("master", ended("Complete", on.clock.now()));
      await isWhole();
      expect((await on.status()).phase).toBe("Succeeded");
    });
  },
);
