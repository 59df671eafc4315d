// Section 9.5: what is told of a test as Events, and what is for the log.
import { CoreEvent } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { running } from "./deeds.ts";
import { ended, namespace, type Stage, stage } from "./stage.ts";

let on: Stage;
afterEach(() => on.end());

test("what was made is told also where its status met a conflict first", async () => {
  on = await stage();
  const match = { verbs: ["patch"], resource: "locusttests", subresource: "status" };
  on.server.faults.add({ match, times: 1, effect: { status: 409 } });
  await on.make();
  await on.pass(5000);
  expect([...(await on.told("Created"))].sort()).toEqual([
    "Created Job demo-master",
    "Created Job demo-worker",
    "Created Service demo-master",
  ]);
});

test("9.5 what is told of a test's life, by whom, and as what", async () => {
  on = await running();
  await on.job("master", ended("Complete", on.clock.now()));
  await on.pass(1000);
  const { items } = await on.client.list(CoreEvent, { namespace });
  expect(items.map(({ type, reason, message }) => `${type} ${reason} ${message}`).sort()).toEqual([
    "Normal Created Created Job demo-master",
    "Normal Created Created Job demo-worker",
    "Normal Created Created Service demo-master",
    "Normal TestCompleted Test completed successfully",
    "Normal TestStarted Test is running",
  ]);
  expect(new Set(items.map(({ source }) => source?.component))).toEqual(new Set(["locusttest-controller"]));
});

/** The first Job is made, no other. */
const refuse = (status: number) =>
  on.server.faults.add({ match: { verbs: ["create"], resource: "jobs", nth: (n) => n > 1 }, effect: { status } });

const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["eu"] }] }],
    },
  },
};

test("A103 scheduling that is left out is told once, also where its resources came one by one", async () => {
  on = await stage();
  const rule = refuse(403);
  await on.make({ scheduling: { affinity, tolerations: [{ key: "spot", operator: "Exists" }] } });
  expect(await on.events()).not.toContain("SchedulingIgnored");
  on.server.faults.remove(rule);
  await on.pass(600_000);
  await on.poke();
  expect([...(await on.told("SchedulingIgnored"))].sort()).toEqual([
    "spec.scheduling.affinity is ignored: the operator runs without ENABLE_AFFINITY_CR_INJECTION",
    "spec.scheduling.tolerations is ignored: the operator runs without ENABLE_TAINT_TOLERATIONS_CR_INJECTION",
  ]);
  for (const { spec } of await on.jobs()) expect(spec?.template?.spec?.affinity).toBeUndefined();
});

test("A103 where tests may choose there is nothing to tell", async () => {
  on = await stage({ config: { affinityInjection: true } });
  await on.make({ scheduling: { affinity } });
  expect(await on.events()).not.toContain("SchedulingIgnored");
  for (const { spec } of await on.jobs()) expect(spec?.template?.spec?.affinity).toEqual(affinity);
});

test("A98 a flag that is set twice, and autoquit without autostart, are logged without a value", async () => {
  on = await stage();
  const extraArgs = ["--expect-workers=1", "--master-port=7777"];
  await on.make({ master: { command: "-f x", autostart: false, autoquit: { enabled: true }, extraArgs } });
  expect(on.complaints).toEqual([
    "spec.master sets --master-port, --expect-workers, which the operator sets too: the later value wins undefined",
    "spec.master.autoquit is left out: autoquit needs autostart undefined",
  ]);
  expect(await on.events()).toEqual(["Created", "Created", "Created"]);
  expect(JSON.stringify([on.log, await on.status()])).not.toContain("7777");
});

test("a server without native sidecars is told of", async () => {
  on = await stage({ config: { exporter: { at: "unsupported" } } });
  await on.make();
  expect(await on.told("SidecarLeftOut")).toHaveLength(1);
});
