import { VirtualClock } from "@telltale/clock";
import type { Sample } from "@telltale/runtime";
import { prometheus } from "@telltale/runtime/prometheus";
import { describe, expect, test } from "vitest";
import { Bind9Cluster, DNSZone } from "./kinds/index.ts";
import { type BindyMetrics, bindyMetrics, type Held } from "./metrics.ts";

interface Known {
  readonly kind: { readonly kind: string };
  readonly objects: readonly object[];
}

const held = (...all: readonly Known[]): Held => ({
  held: () => all.map(({ kind, objects }) => ({ kind, store: { values: () => objects.values() } })) as never,
});

function setUp(cache: Held = held()) {
  const clock = new VirtualClock();
  const { meter, text } = prometheus();
  const metrics: BindyMetrics = bindyMetrics({ clock, podName: "bindy-0" });
  const sink = metrics.into(meter, cache);
  /** The lines of one metric, without its name's prefix. */
  const lines = async (name: string) => {
    const all = (await text()).split("\n").filter((line) => line.startsWith(`bindy_firestoned_io_${name}`));
    return all.map((line) => line.slice("bindy_firestoned_io_".length));
  };
  return { clock, metrics, sink, text, lines };
}

describe("appendix C the operator's own metrics", () => {
  test.each([
    ["success", "success", undefined, undefined],
    ["requeue", "requeue", "asked", undefined],
    ["waiting", "requeue", "waiting", undefined],
    ["conflict", "requeue", "conflict", undefined],
    ["error", "error", "error", "error"],
    ["terminal", "error", undefined, "terminal"],
  ] as const)("a pass that ended as %s is %s", async (result, status, reason, error) => {
    const { sink, lines } = setUp();
    sink({ is: "pass", controller: "dnszone", result, took: 250 });
    const of = (more: string) => `{resource_type="dnszone",${more}} 1`;
    expect(await lines("reconciliations_total")).toEqual([`reconciliations_total${of(`status="${status}"`)}`]);
    expect(await lines("reconciliation_duration_seconds_sum")).toEqual([
      'reconciliation_duration_seconds_sum{resource_type="dnszone"} 0.25',
    ]);
    const again = reason === undefined ? [] : [`requeues_total${of(`reason="${reason}"`)}`];
    expect(await lines("requeues_total")).toEqual(again);
    const failed = error === undefined ? [] : [`errors_total${of(`error_type="${error}"`)}`];
    expect(await lines("errors_total")).toEqual(failed);
  });

  test("what nobody expected is an error of its own", async () => {
    const { sink, lines } = setUp();
    sink({ is: "panic", controller: "bind9instance" });
    expect(await lines("errors_total")).toEqual(['errors_total{resource_type="bind9instance",error_type="panic"} 1']);
  });

  test("objects that are made, put right and deleted are counted, and those left alone are not", async () => {
    const { sink, text } = setUp();
    for (const outcome of ["created", "created", "updated", "deleted", "unchanged", "foreign"])
      sink({ is: "ensure", controller: "bind9instance", kind: "Deployment", outcome });
    const all = await text();
    expect(all).toContain('resources_created_total{resource_type="deployment"} 2');
    expect(all).toContain('resources_updated_total{resource_type="deployment"} 1');
    expect(all).toContain('resources_deleted_total{resource_type="deployment"} 1');
  });

  test("only statuses that were written count as written", async () => {
    const { sink, lines } = setUp();
    const status = { is: "status", controller: "dnszone", kind: "DNSZone", significance: "detail" } as const;
    for (const outcome of ["written", "unchanged", "conflict", "written"] as const) sink({ ...status, outcome });
    expect(await lines("status_writes_total")).toEqual(['status_writes_total{kind="DNSZone"} 2']);
  });

  test("who holds the lease, and how often that changed", async () => {
    const { sink, lines } = setUp();
    expect(await lines("leader_status")).toEqual(['leader_status{pod_name="bindy-0"} 0']);
    const lease = (isHeld: boolean): Sample => ({ is: "lease", name: "bindy-leader", held: isHeld });
    sink(lease(true));
    expect(await lines("leader_status")).toEqual(['leader_status{pod_name="bindy-0"} 1']);
    sink(lease(false));
    expect(await lines("leader_status")).toEqual(['leader_status{pod_name="bindy-0"} 0']);
    expect(await lines("leader_elections_total")).toEqual([
      'leader_elections_total{status="acquired"} 1',
      'leader_elections_total{status="lost"} 1',
    ]);
  });

  test("requests to Bindcar by code, and failed probes by reason", async () => {
    const { metrics, lines } = setUp();
    for (const code of [200, 503, 0]) metrics.onBindcar(code);
    metrics.onProbe({ at: "answered", status: 503 });
    metrics.onProbe({ at: "unreachable", why: "refused" });
    expect(await lines("bindcar_requests_total")).toEqual([
      'bindcar_requests_total{code="200"} 1',
      'bindcar_requests_total{code="503"} 1',
      'bindcar_requests_total{code="none"} 1',
    ]);
    expect(await lines("probe_failures_total")).toEqual([
      'probe_failures_total{reason="GatewayError"} 1',
      'probe_failures_total{reason="BindcarUnreachable"} 1',
    ]);
  });

  test("what is told before anybody listens is nobody's", () => {
    const { onBindcar, onProbe } = bindyMetrics({ clock: new VirtualClock(), podName: "a" });
    expect(() => [onBindcar(200), onProbe({ at: "aborted" })]).not.toThrow();
  });

  const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: "" });
  const cluster = (name: string, generation: number, observedGeneration: number, ...conditions: object[]) => ({
    metadata: { namespace: "dns", name, uid: name, generation },
    status: { observedGeneration, conditions },
  });

  test("Ready of every object, and of no child", async () => {
    const good = cluster(
      "good",
      1,
      1,
      condition("Ready", "True", "AllReady"),
      condition("Bind9Instance-0", "True", "Ready"),
    );
    const bad = cluster("bad", 1, 1, condition("Ready", "Unknown", "NotReady"));
    const { lines } = setUp(held({ kind: Bind9Cluster, objects: [good, bad, cluster("new", 1, 0)] }));
    const of = (name: string, reason: string) =>
      `condition_status{kind="Bind9Cluster",namespace="dns",name="${name}",type="Ready",reason="${reason}"}`;
    expect(await lines("condition_status")).toEqual([`${of("good", "AllReady")} 1`, `${of("bad", "NotReady")} 0`]);
  });

  test("how many objects there are, each kind once, and none but ours", async () => {
    const zones = { kind: DNSZone, objects: [{}, {}] };
    const { lines } = setUp(held(zones, zones, { kind: { kind: "Pod" }, objects: [{}] }));
    expect(await lines("resources_active")).toEqual(['resources_active{resource_type="dnszone"} 2']);
  });

  test("for how long the oldest change has not been answered, from scrape to scrape", async () => {
    const objects = [cluster("a", 2, 1), cluster("b", 1, 1)];
    const { clock, lines } = setUp(held({ kind: Bind9Cluster, objects }));
    const lag = async () => (await lines("generation_observation_lag_seconds"))[0]?.split(" ")[1];
    expect(await lag()).toBe("0");
    clock.advance(40_000);
    expect(await lag()).toBe("40");
    objects[0] = cluster("a", 2, 2);
    expect(await lag()).toBe("0");
  });
});
