import { readFileSync } from "node:fs";
import type { Families, Sample } from "@telltale/runtime";
import { prometheus } from "@telltale/runtime/prometheus";
import { describe, expect, test } from "vitest";
import { virtrigaudMetrics } from "./metrics.ts";

function setUp() {
  const { meter, text } = prometheus();
  const metrics = virtrigaudMetrics({ version: "0.1.0", gitSha: "abc1234", node: "v24.0.0" });
  const sink = metrics.into(meter);
  /** The lines of one metric, without the prefix. */
  const lines = async (name: string) => {
    const all = (await text()).split("\n").filter((line) => line.startsWith(`virtrigaud_${name}`));
    return all.map((line) => line.slice("virtrigaud_".length));
  };
  return { metrics, sink, text, lines };
}

const asked = { namespace: "demo", provider: "box", type: "qemu" } as const;

describe("8.2 the operator's own metrics", () => {
  test("what runs here is told from the start", async () => {
    expect(await setUp().lines("build_info")).toEqual([
      'build_info{version="0.1.0",git_sha="abc1234",go_version="v24.0.0",component="manager"} 1',
    ]);
  });

  test("every name is there", async () => {
    const { text } = setUp();
    const names = [...(await text()).matchAll(/^# TYPE (virtrigaud_\S+) (\S+)$/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    expect(names.sort()).toEqual([
      "virtrigaud_build_info gauge",
      "virtrigaud_circuit_breaker_failures_total counter",
      "virtrigaud_circuit_breaker_state gauge",
      "virtrigaud_errors_total counter",
      "virtrigaud_ip_discovery_duration_seconds histogram",
      "virtrigaud_manager_reconcile_duration_seconds histogram",
      "virtrigaud_manager_reconcile_total counter",
      "virtrigaud_provider_rpc_latency_seconds histogram",
      "virtrigaud_provider_rpc_requests_total counter",
      "virtrigaud_provider_tasks_inflight gauge",
      "virtrigaud_vm_operations_total counter",
    ]);
  });

  test("every one is in the README with its labels, and nothing else is", async () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const [, table = ""] = /<!-- metrics -->([\s\S]*)<!-- end of metrics -->/.exec(readme) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
    const told = rows.map(([, name, labels = ""]) => `${name} ${(labels.match(/\w+/g) ?? []).join(" ")}`);
    let families: Families = {};
    virtrigaudMetrics({ version: "", node: "" }).into((all) => {
      families = all;
      return { tell() {} };
    });
    const known = Object.entries(families).map(([name, { labels }]) => `${name} ${labels.join(" ")}`);
    expect(told.sort()).toEqual(known.sort());
  });

  test.each([
    ["success", "success", undefined],
    ["ignored", "success", undefined],
    ["requeue", "requeue", undefined],
    ["waiting", "requeue", undefined],
    ["conflict", "requeue", undefined],
    ["error", "error", "reconcile-failed"],
    ["terminal", "error", "reconcile-given-up"],
  ] as const)("a pass that ended as %s counts once, as %s", async (result, outcome, reason) => {
    const { sink, lines } = setUp();
    sink({ is: "pass", controller: "virtualmachine", result, took: 250 });
    expect(await lines("manager_reconcile_total")).toEqual([
      `manager_reconcile_total{kind="VirtualMachine",outcome="${outcome}"} 1`,
    ]);
    expect(await lines("manager_reconcile_duration_seconds_sum")).toEqual([
      'manager_reconcile_duration_seconds_sum{kind="VirtualMachine"} 0.25',
    ]);
    const error = `errors_total{reason="${reason}",component="virtualmachine"} 1`;
    expect(await lines("errors_total")).toEqual(reason === undefined ? [] : [error]);
  });

  test("the time of a pass has 15 buckets from 1 ms, that of an address 10 from 100 ms, each twice the one before", async () => {
    const { sink, metrics, lines } = setUp();
    sink({ is: "pass", controller: "adoption", result: "success", took: 1 });
    metrics.onAddress({ type: "qemu", took: 31_000 });
    const limits = async (name: string) =>
      (await lines(`${name}_bucket`)).map((line) => /le="([^"]+)"/.exec(line)?.[1] ?? "");
    const passes = await limits("manager_reconcile_duration_seconds");
    expect([passes.length, passes[0], passes[1], passes[14], passes[15]]).toEqual([
      16,
      "0.001",
      "0.002",
      "16.384",
      "+Inf",
    ]);
    const addresses = await limits("ip_discovery_duration_seconds");
    expect([addresses.length, addresses[0], addresses[9], addresses[10]]).toEqual([11, "0.1", "51.2", "+Inf"]);
    expect(await lines("ip_discovery_duration_seconds_sum")).toEqual([
      'ip_discovery_duration_seconds_sum{provider_type="qemu"} 31',
    ]);
  });

  test("calls that failed are errors of the provider, by their code; others are not", async () => {
    const { metrics, lines } = setUp();
    metrics.onCall({ ...asked, is: "call", method: "describe", code: "OK", took: 5 });
    metrics.onCall({ ...asked, is: "call", method: "describe", code: "DEADLINE_EXCEEDED", took: 30_000 });
    expect(await lines("errors_total")).toEqual(['errors_total{reason="deadline-exceeded",component="provider"} 1']);
    expect(await lines("vm_operations_total")).toHaveLength(2);
  });

  test("a status that could not be written and a pass that threw what nobody expected are errors", async () => {
    const { sink, lines } = setUp();
    const status = { is: "status", controller: "vmset", kind: "VMSet", significance: "transition" } as const;
    for (const outcome of ["written", "conflict", "failed"] as const) sink({ ...status, outcome });
    sink({ is: "panic", controller: "vmset" });
    expect(await lines("errors_total")).toEqual([
      'errors_total{reason="status-not-written",component="vmset"} 1',
      'errors_total{reason="panic",component="vmset"} 1',
    ]);
  });

  test("a clock that goes back takes no sum with it, and nothing is told before somebody listens", async () => {
    const early = virtrigaudMetrics({ version: "0.1.0", node: "v24.0.0" });
    early.onCall({ ...asked, is: "call", method: "create", code: "OK", took: 5 });
    const { sink, metrics, lines } = setUp();
    const pass: Sample = { is: "pass", controller: "provider", result: "success", took: -5 };
    sink(pass);
    metrics.onAddress({ type: "qemu", took: -1 });
    expect(await lines("manager_reconcile_duration_seconds_sum")).toEqual([
      'manager_reconcile_duration_seconds_sum{kind="Provider"} 0',
    ]);
    expect(await lines("ip_discovery_duration_seconds_sum")).toEqual([
      'ip_discovery_duration_seconds_sum{provider_type="qemu"} 0',
    ]);
  });
});
