import { formatTime, instant, type KindRef, plus } from "@telltale/kinds";
import { Deployment, ServiceAccount } from "@telltale/kinds/builtin";
import { draft } from "@telltale/status";
import { expect, test } from "vitest";
import { Bind9Instance, DNSZone } from "../kinds/index.ts";
import { finalize, zoneLimit } from "./deletion.ts";

const begun = instant(Date.UTC(2025, 0, 1));
const instance: Bind9Instance = {
  apiVersion: Bind9Instance.apiVersion,
  kind: Bind9Instance.kind,
  metadata: { name: "x", namespace: "dns", uid: "u", generation: 1, deletionTimestamp: formatTime(begun) },
  spec: { clusterRef: "", role: "primary" },
};

/** What the finalizer does so long after the deletion, where a zone says this of the instance. */
async function after(by: number, status: "Configured" | "Unclaimed"): Promise<string> {
  const at = { apiVersion: "", kind: "", name: "x", namespace: "dns", status };
  const zone = { metadata: { name: "z" }, status: { bind9Instances: [at] } };
  const now = plus(begun, by);
  const forgotten: string[] = [];
  const hands = {
    now,
    get: () => undefined,
    live: async () => undefined,
    list: (kind: unknown) => (kind === DNSZone ? [zone] : [instance]),
  };
  const senses = { prober: { forget: () => forgotten.push("x") }, secrets: { get: () => undefined } };
  const said = draft(Bind9Instance, instance, now);
  // Only what a finalizer without anything to remove asks for.
  const { as } = await finalize(instance, hands as never, said, senses as never);
  const [ready] = said.finish().status.conditions ?? [];
  expect(ready?.message).toBe("Bind9Instance x is being deleted");
  expect(forgotten).toHaveLength(as === "done" ? 1 : 0);
  return as;
}

test("I-1 L-56 a zone that is served holds an instance back, for a minute at most", async () => {
  expect(await after(0, "Configured")).toBe("waiting");
  expect(await after(zoneLimit - 1, "Configured")).toBe("waiting");
  expect(await after(zoneLimit, "Configured")).toBe("done");
  expect(await after(0, "Unclaimed")).toBe("done");
});

/** Whether the account of the pods goes with an instance, beside another one. */
async function takesAccount(other: "stays" | "goes with its pods" | "goes"): Promise<boolean> {
  const { deletionTimestamp: _goes, ...living } = instance.metadata;
  const metadata = { ...(other === "stays" ? living : instance.metadata), name: "y", uid: "v" };
  const removed: string[] = [];
  const hands = {
    now: begun,
    get: (kind: KindRef, { name }: { readonly name: string }) =>
      kind === ServiceAccount || (kind === Deployment && name === "y" && other !== "goes") ? {} : undefined,
    live: async () => undefined,
    list: (kind: unknown) => (kind === DNSZone ? [] : [instance, { ...instance, metadata }]),
    remove: async ({ kind }: KindRef) => void removed.push(kind),
  };
  const senses = { prober: { forget: () => {} }, secrets: { get: () => undefined } };
  // Only what a finalizer without anything else to remove asks for.
  await finalize(instance, hands as never, draft(Bind9Instance, instance, begun), senses as never);
  return removed.includes(ServiceAccount.kind);
}

test("of two instances that go at the same time, the second to take its pods away takes their account along", async () => {
  expect(await takesAccount("stays")).toBe(false);
  expect(await takesAccount("goes with its pods")).toBe(false);
  expect(await takesAccount("goes")).toBe(true);
});

test("what the cache has lost is looked for on the server, and goes too", async () => {
  const ownerReferences = [{ uid: "u" }];
  const removed: string[] = [];
  const hands = {
    now: begun,
    get: () => undefined,
    live: async ({ kind }: KindRef, { name }: { readonly name: string }) =>
      kind === Deployment.kind ? { metadata: { name, ownerReferences } } : undefined,
    list: () => [],
    remove: async ({ kind }: KindRef, { metadata }: { readonly metadata: { readonly name: string } }) =>
      void removed.push(`${kind} ${metadata.name}`),
  };
  const senses = { prober: { forget: () => {} }, secrets: { get: () => undefined } };
  await finalize(instance, hands as never, draft(Bind9Instance, instance, begun), senses as never);
  expect(removed).toEqual(["Deployment x"]);
});
