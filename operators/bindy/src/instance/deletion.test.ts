import { formatTime, instant, plus } from "@telltale/kinds";
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
