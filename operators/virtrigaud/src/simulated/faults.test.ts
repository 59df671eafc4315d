// How the simulated host goes wrong: by order, and when its process goes.
import { turn } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import { host, image } from "../../test/host.ts";
import { answer, fail, hang, honest, lose, refuse, repeat, slow } from "./faults.ts";

describe("what goes wrong by order", () => {
  it("each fault counts for one call, in their order", async () => {
    const { it, ask, code } = host();
    it.script("listVMs", refuse("INTERNAL", "no"), honest, answer({ vms: [{ id: "lie" }] }), slow(5_000, honest));
    expect(await code(ask("listVMs", {}))).toBe("INTERNAL: no");
    expect((await ask("listVMs", {})).vms).toEqual([]);
    expect((await ask("listVMs", {})).vms[0]?.id).toBe("lie");
    expect(await code(ask("listVMs", {}))).toBe("OK");
    expect(it.asked("listVMs").map(({ outcome }) => outcome)).toEqual(["INTERNAL", "OK", "OK", "OK"]);
  });

  it("an answer that is lost: done, and nobody hears of it", async () => {
    const { it, create, code } = host();
    it.script("create", lose());
    expect(await code(create("a"))).toBe("UNAVAILABLE: connection reset");
    expect(it.machine("a")).toBeDefined();
  });

  it("a task that fails at its end, as the family tells it", async () => {
    const failed = async (like: "complete" | "libvirt") => {
      const { it, ask, create, code } = host({ like, profile: { work: "task" } });
      it.script("create", fail("disk full"));
      expect(await code(create("a"))).toBe("OK");
      expect(it.machines).toEqual([]);
      return ask("taskStatus", { task: { id: "task-1" } });
    };
    expect(await failed("complete")).toMatchObject({ done: true, error: "disk full" });
    expect(await failed("libvirt")).toMatchObject({ done: false, error: "disk full" });
  });

  it("a call that hangs ends with its deadline, and nothing was done", async () => {
    const { clock, it, raw, code } = host();
    it.script("create", hang);
    const call = code(raw("create", { name: "a", imageJson: image }, { deadline: 5_000 }));
    await clock.settle(5_000);
    expect(await call).toContain("DEADLINE_EXCEEDED");
    expect(it.machines).toEqual([]);
  });

  it("a call that is too slow ends with its deadline, and is done all the same", async () => {
    const { clock, it, raw, code } = host();
    it.script("create", slow(9_000, honest));
    const call = code(raw("create", { name: "a", imageJson: image }, { deadline: 5_000 }));
    await clock.settle(5_000);
    expect(await call).toContain("DEADLINE_EXCEEDED");
    await clock.settle(5_000);
    expect(it.machine("a")).toBeDefined();
  });

  it("everything, until it is healed", async () => {
    const { it, ask, code } = host();
    it.everywhere(repeat(refuse("UNAVAILABLE", "outage")));
    expect(await code(ask("validate", {}))).toBe("UNAVAILABLE: outage");
    expect(await code(ask("listVMs", {}))).toBe("UNAVAILABLE: outage");
    it.heal();
    expect(await code(ask("validate", {}))).toBe("OK");
  });
});

describe("a process that goes", () => {
  it("cuts off who waits, and refuses who comes", async () => {
    const { it, raw, ask, code } = host();
    it.script("listVMs", slow(5_000, honest));
    const waiting = code(raw("listVMs", {}, { deadline: 60_000 }));
    await turn();
    it.isUp = false;
    expect(await waiting).toBe("UNAVAILABLE: connection closed");
    expect(await code(ask("validate", {}))).toBe("UNAVAILABLE: connection refused");
    it.isUp = true;
    expect(await code(ask("validate", {}))).toBe("OK");
  });

  it("S13 forgets its tasks, while the hypervisor goes on or not", async () => {
    const after = async (work: "goes on" | "is lost") => {
      const { clock, it, raw } = host();
      const { task } = await raw("create", { name: "a", imageJson: image }, { deadline: 1_000 });
      it.restart(work);
      clock.advance(10_000);
      const status = await raw("taskStatus", task === undefined ? {} : { task }, { deadline: 1_000 });
      expect(status).toMatchObject({ done: true, error: "task not found" });
      return it.machines.length;
    };
    expect([await after("goes on"), await after("is lost")]).toEqual([1, 0]);
  });
});

it("the same seed gives the same answers at the same times", async () => {
  const run = async () => {
    const { it, create, ask } = host();
    it.latency = [100, 600];
    await create("a");
    await ask("listVMs", {});
    return it.calls.map(({ at, method, outcome }) => [at, method, outcome]);
  };
  expect(await run()).toEqual(await run());
});
