// The whole operator: the samples from nothing to Ready and away again, and a hard life of objects of every kind: every second status
// write is refused, the provider says aloud what it should not, and beside each object that can work is one that cannot.
import { readFileSync } from "node:fs";
import type { KindRef } from "@telltale/kinds";
import { Deployment, Service } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Method } from "../src/contract/contract.ts";
import { Provider, VirtualMachine, VMClass, VMPlacementPolicy, VMSet } from "../src/kinds/index.ts";
import { fail, refuse } from "../src/simulated/faults.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { canaries, canary, everything, hopeless, url } from "./everything.ts";
import { namespace } from "./stage.ts";
import { type Whole, whole, worked } from "./whole.ts";

const read = (file: string) => readFileSync(new URL(`../samples/${file}`, import.meta.url), "utf8");
const minute = 60_000;

test("the samples become Ready, and leave nothing behind but what was there before", { timeout: 60_000 }, async () => {
  const it = await whole();
  const [box, old] = [it.host("box"), it.host("old-box")];
  for (const name of ["web-1", "db-1", "other"]) await it.place(old, name);
  for (const file of ["machine.yaml", "adoption.yaml"]) await it.create(read(file));
  await it.until(async () => (await it.get(VirtualMachine, "db-1")) !== undefined, 5 * minute);
  await it.ready(5 * minute);
  expect((await it.get(Provider, "old-box"))?.status?.adoption).toMatchObject({ adoptedVMs: 2 });
  expect([box, old].map((host) => host.machines.map(({ name }) => name))).toEqual([
    ["web"],
    ["web-1", "db-1", "other"],
  ]);
  expect(it.lines).toEqual([]);
  // In the order in which a person would not think of: what is in use stays until it is not.
  for (const { kind, metadata } of await it.all()) await it.remove(kindOf(kind), metadata?.name ?? "");
  await it.until(async () => (await it.all()).length === 0, 10 * minute);
  await it.pass(10_000);
  const parts: readonly KindRef[] = [Deployment, Service];
  for (const kind of parts) expect((await it.client.list(kind, { namespace })).items).toEqual([]);
  expect([box, old].map((host) => host.machines.length)).toEqual([0, 3]);
  await it.end();
});

const kindOf = (name = ""): KindRef => worked.find(({ kind }) => kind === name) ?? VMClass;

describe("a hard life", () => {
  let it: Whole;
  let box: SimulatedHost;
  let refused = 0;
  beforeAll(async () => {
    /** By object: every second write of each. */
    const writes = new Map<string, number>();
    it = await whole({
      refuse({ method, path }) {
        if (method !== "PATCH" || !path.split("?")[0]?.endsWith("/status")) return undefined;
        const count = (writes.get(path) ?? 0) + 1;
        writes.set(path, count);
        if (count % 2 === 1) return undefined;
        refused += 1;
        return 409;
      },
    });
    box = it.host("box");
    await it.place(box, "found");
    talkative(box);
    await it.create(everything);
    await it.create(hopeless);
    await it.pass(5_000);
    for (const [kind, name] of audited) await audit(kind, name);
    await it.status(VMPlacementPolicy, "spread", { placementStats: { totalPlacements: 41 } });
    await it.ready(
      15 * minute,
      worked.map(({ kind }) => `${kind} bad`),
    );
  }, 120_000);
  afterAll(() => it.end());

  /** Somebody else's condition, as another controller would add it. */
  const audit = async (kind: KindRef, name: string) => {
    const value = {
      type: "example.com/Audited",
      status: "True",
      reason: "Seen",
      message: "by an auditor",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    await it.until(async () => (await it.says(kind, name)) !== "", minute);
    const patch = { json: [{ op: "add", path: "/status/conditions/-", value }] } as const;
    await it.client.status.patch(kind, { name, namespace }, patch);
  };
  const audited: readonly (readonly [KindRef, string])[] = [
    [VirtualMachine, "web"],
    [Provider, "box"],
    [VMSet, "pool"],
  ];

  test("S55 409 storm: all becomes Ready, and nothing that another controller wrote is lost", async () => {
    expect(refused).toBeGreaterThan(50);
    for (const [kind, name] of audited)
      expect(await it.says(kind, name, "example.com/Audited")).toBe("True Seen by an auditor");
    // Each of these is one controller's, in a status that is otherwise another's.
    expect((await it.get(Provider, "box"))?.status?.adoption).toMatchObject({ adoptedVMs: 1 });
    expect((await it.get(VMPlacementPolicy, "spread"))?.status?.placementStats?.totalPlacements).toBeGreaterThan(40);
    const copy = (await it.get(VirtualMachine, "web2"))?.status?.id;
    expect(box.machines.find(({ id }) => id === copy)?.name).toBe("web2");
    expect(box.machines.map(({ name }) => name).sort()).toEqual(["db", "found", "pool-0", "pool-1", "web", "web2"]);
  });

  test("S46 one bad object of each kind: it says what is wrong, and stops no other", async () => {
    const bad = (await it.verdicts()).filter((one) => one.includes(" bad "));
    expect(bad.sort()).toEqual([
      "Provider bad False TLSNotConfigured",
      "VMClass bad False Invalid",
      "VMClone bad False Unsupported",
      "VMImage bad False ValidationError",
      "VMNetworkAttachment bad False Invalid",
      "VMPlacementPolicy bad False Invalid",
      "VMSet bad False ValidationError",
      "VMSnapshot bad False InvalidSchedule",
      "VirtualMachine bad False ValidationError",
    ]);
  });

  test("S57 log scan: no secret is in logs, events, statuses or metrics", async () => {
    // It was heard: what is scanned has the places where it would be.
    const outside = await it.outside();
    expect(outside.events.length).toBeGreaterThan(1_000);
    expect(outside.said).toContain("login failed: password=[redacted]");
    expect(outside.metrics).toContain('virtrigaud_errors_total{reason="internal",component="provider"}');
    for (const [where, said] of Object.entries(outside)) expect(said.match(canaries) ?? [], where).toEqual([]);
    // And the provider got them.
    const told = JSON.stringify(
      box.calls.map(({ request }) => request),
      readable,
    );
    for (const place of ["inline", "meta", "userdata", "account", "signed", "password"])
      expect(told).toContain(canary(place));
  });
});

/** Bytes as what they spell. */
const readable = (_key: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return typeof value === "bigint" ? String(value) : value;
};

/** A provider that says aloud what it was given, once for each method. */
function talkative(host: SimulatedHost): void {
  const said = `login failed: password=${canary("echo")} at ${url}: user_data: "#cloud-config\npassword: ${canary("inline")}"`;
  const methods: readonly Method[] = [
    "validate",
    "create",
    "describe",
    "power",
    "taskStatus",
    "snapshotCreate",
    "clone",
  ];
  for (const method of methods) host.script(method, refuse("INTERNAL", said), refuse("UNAVAILABLE", said));
  host.script("imagePrepare", refuse("INTERNAL", said), fail(said));
}
