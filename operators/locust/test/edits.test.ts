// Section 21.4: a spec that people edit, and tests that they delete.
import { afterEach, describe, expect, test } from "vitest";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { running } from "./deeds.ts";
import { ended, namespace, type Stage, stage } from "./stage.ts";

let on: Stage;
afterEach(() => on.end());

test("A46 A47 an edited spec is told of, and so is one that is taken back", async () => {
  on = await running();
  const replicas = (count: number) =>
    on.client.patch(LocustTest, { name: "demo", namespace }, { merge: { spec: { worker: { replicas: count } } } });
  await replicas(5);
  await on.pass(100);
  expect(on.complaints).toEqual([]);
  expect(await on.says("SpecDrifted")).toMatch(/^True SpecChangeIgnored Spec changes are ignored/);
  expect(await on.status()).toMatchObject({ phase: "Running", expectedWorkers: 3 });
  expect((await on.jobs()).find(({ metadata }) => metadata?.name === "demo-worker")?.spec?.parallelism).toBe(3);
  await replicas(3);
  await on.pass(100);
  expect(await on.says("SpecDrifted")).toBe("False SpecApplied Spec matches the running test");
});

test("A48 also after the end", async () => {
  on = await running();
  await on.job("master", ended("Complete", on.clock.now()));
  const before = await on.status();
  await on.client.patch(LocustTest, { name: "demo", namespace }, { merge: { spec: { image: "other:1" } } });
  await on.pass(100);
  const after = await on.status();
  const conditions = after.conditions?.filter(({ type }) => type !== "SpecDrifted");
  expect({ ...after, conditions }).toEqual({ ...before, observedGeneration: 2 });
  expect(await on.says("SpecDrifted")).toMatch(/^True SpecChangeIgnored/);
});

test("A49 a deleted test goes without another word of status", async () => {
  on = await running();
  on.writes();
  await on.client.delete(LocustTest, { name: "demo", namespace }, { propagation: "Background" });
  await on.pass(1000);
  await expect(on.test()).rejects.toMatchObject({ code: 404 });
  expect(on.writes()).toEqual([`PATCH /apis/locust.io/v2/namespaces/${namespace}/locusttests/demo`]);
  expect(await on.events()).toContain("Deleting");
});

describe("the finalizer", () => {
  test("is left out where the operator is told so, and a test is gone at once", async () => {
    on = await stage({ config: { finalizer: false } });
    await on.make();
    expect((await on.test()).metadata.finalizers).toBeUndefined();
    await on.client.delete(LocustTest, { name: "demo", namespace }, { propagation: "Background" });
    await expect(on.test()).rejects.toMatchObject({ code: 404 });
  });

  test("of an earlier operator goes all the same", async () => {
    on = await stage({ config: { finalizer: false } });
    await on.make();
    const finalizers = ["locust.io/cleanup"];
    await on.client.patch(LocustTest, { name: "demo", namespace }, { merge: { metadata: { finalizers } } });
    await on.client.delete(LocustTest, { name: "demo", namespace }, { propagation: "Background" });
    await on.pass(1000);
    await expect(on.test()).rejects.toMatchObject({ code: 404 });
  });
});
