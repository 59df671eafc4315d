// How everything is written (10.2), read off the requests of one cluster's whole life: made, upgraded, in trouble, deleted.
import type { Request, Transport } from "@telltale/client";
import { parseTime } from "@telltale/kinds";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { CAPTCluster } from "../src/kinds/index.ts";
import { managers } from "../src/names.ts";
import { anyCluster } from "../src/server.ts";
import { type Demo, demo, minute, planeDone, vpcDone } from "./demo.ts";

interface Sent {
  readonly method: string;
  /** `captclusters/demo-net/status` */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly type: string;
  readonly body: Body;
}

/** What a request holds, as far as it is looked at here. */
interface Body {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

function recording(sent: Sent[]): (transport: Transport) => Transport {
  return (transport) => ({
    send(request: Request) {
      const [path = "", query = ""] = request.path.split("?");
      const named = path
        .split("/")
        .slice(path.includes("/namespaces/") ? path.split("/").indexOf("namespaces") + 2 : -1);
      const { "content-type": type = "" } = (request.headers ?? {}) as Record<string, string>;
      const body = typeof request.body === "string" ? JSON.parse(request.body) : {};
      sent.push({ method: request.method, path: named.join("/"), query: new URLSearchParams(query), type, body });
      return transport.send(request);
    },
    close: () => transport.close(),
  });
}

let on: Demo | undefined;
afterEach(() => on?.end());

describe("in the life of a cluster", () => {
  const sent: Sent[] = [];
  const writes = () => sent.filter(({ method, path }) => method !== "GET" && !/events|leases/.test(path));
  const statuses = (of: string) => writes().filter(({ path }) => path === `${of}/status`);

  beforeAll(async () => {
    const it = await demo({ config: { clusterApiMode: "standalone" }, wrap: recording(sent) });
    await it.templates();
    await it.cluster();
    await it.network();
    await it.plane();
    await it.pass(2_000);
    await it.vpcRuns({ synced: false, message: "no quota" });
    await it.vpcRuns(vpcDone);
    await it.pass(minute);
    await it.planeRuns(planeDone);
    await it.pass(minute);
    expect(await it.planeSays("Ready")).toMatch(/^True/);
    await it.edit("plane", { version: "1.32" });
    await it.pass(minute);
    await it.planeRuns({ ...planeDone, outputs: { ...planeDone.outputs, cluster_version: "1.32" } });
    await it.vpcRuns({ synced: true, ready: false, reason: "Unavailable" });
    await it.pass(2 * minute);
    await it.remove(anyCluster(it.kinds), "demo");
    await it.pass(minute);
    expect(it.complaints).toEqual([]);
    await it.end();
  });

  test("P-6 nothing is replaced, and no request has a spec and a status", () => {
    expect(writes().length).toBeGreaterThan(20);
    expect(writes().filter(({ method }) => method === "PUT")).toEqual([]);
    for (const { path, body } of writes()) {
      if (path.endsWith("/status")) expect(body.spec, path).toBeUndefined();
      else expect(body.status, path).toBeUndefined();
    }
  });

  test.each([
    ["captclusters/demo-net", managers.infrastructure],
    ["captcontrolplanes/demo-cp", managers.controlPlane],
    ["workspacetemplateapplies/demo-net-vpc", managers.workspace],
    ["clusters/demo", managers.clusterBridge],
  ])(
    "P-2 P-4 the status of %s is applied by force, whole, by its own manager, on the version that was read",
    (of, manager) => {
      expect(statuses(of).length).toBeGreaterThan(1);
      for (const { method, type, query, body } of statuses(of)) {
        expect([method, type]).toEqual(["PATCH", "application/apply-patch+yaml"]);
        expect([query.get("fieldManager"), query.get("force")]).toEqual([manager, "true"]);
        expect(body.metadata?.resourceVersion).toMatch(/^\d+$/);
      }
    },
  );

  test.each([
    ["captclusters/demo-net", ["vpcId", "initialization"]],
    ["captcontrolplanes/demo-cp", ["initialization", "version", "endpoint", "controlPlaneEndpoint"]],
  ])("P-2 what %s has once said stays in every later document", (of, fields) => {
    for (const field of fields) {
      const has = statuses(of).map(({ body }) => body.status?.[field] !== undefined);
      expect(has.lastIndexOf(false), field).toBeLessThan(has.indexOf(true));
    }
  });

  test("API-8 ready and initialized are in every status, true or not", () => {
    for (const { body } of statuses("captclusters/demo-net")) expect(body.status?.["ready"]).toBeTypeOf("boolean");
    for (const { body } of statuses("captcontrolplanes/demo-cp")) {
      expect(body.status?.["ready"]).toBeTypeOf("boolean");
      expect(body.status?.["initialized"]).toBeTypeOf("boolean");
    }
  });

  test("API-5 every time is UTC in whole seconds", () => {
    const times = JSON.stringify(writes().map(({ body }) => body.status)).match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
    expect(times.length).toBeGreaterThan(20);
    for (const time of times) expect(time).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"$/);
  });

  test("P-3 a finalizer is written only against the list that was read", () => {
    const about = writes().filter(
      ({ body }) => Array.isArray(body) && JSON.stringify(body).includes("/metadata/finalizers"),
    );
    expect(about.length).toBeGreaterThan(4);
    for (const { type, body } of about) {
      expect(type).toBe("application/json-patch+json");
      expect(body).toContainEqual(expect.objectContaining({ op: "test", path: "/metadata/finalizers" }));
    }
  });

  test("CC-9 the spec of a CAPTCluster is never written, that of a control plane only where its endpoint is", () => {
    const specs = (of: string) =>
      writes().filter(({ path, body }) => path === of && JSON.stringify(body).includes("spec"));
    expect(specs("captclusters/demo-net")).toEqual([]);
    const [only, ...more] = specs("captcontrolplanes/demo-cp");
    expect(more).toEqual([]);
    const value = { host: "10.0.0.1", port: 6443 };
    expect(only?.body).toContainEqual({ op: "add", path: "/spec/controlPlaneEndpoint", value });
  });

  test("P-7 K-3 children come first, then the spec, then Secrets, then the status", () => {
    const all = writes();
    const at = (find: (it: Sent) => boolean) => all.findIndex(find);
    const isInitialized = ({ path, body }: Sent) =>
      path === "captcontrolplanes/demo-cp/status" && body.status?.["initialized"] === true;
    const order = [
      at(({ path }) => path.startsWith("workspacetemplateapplies/demo-cp-eks-controlplane-apply")),
      at(({ path, body }) => path === "captcontrolplanes/demo-cp" && JSON.stringify(body).includes("/spec/")),
      at(({ path, method }) => /^secrets(\/demo-kubeconfig)?$/.test(path) && method !== "DELETE"),
      at(isInitialized),
    ];
    expect(order).not.toContain(-1);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
  });

  test.each([
    ["captclusters/demo-net", "workspacetemplateapplies/demo-net-vpc"],
    ["captcontrolplanes/demo-cp", "workspacetemplateapplies/demo-cp-eks-controlplane-apply"],
  ])(
    "P-10 %s looks at its apply on the server before it deletes it, and again before its finalizer goes",
    (of, apply) => {
      const last = (method: string, path: string, before = sent.length) =>
        sent.slice(0, before).findLastIndex((it) => it.method === method && it.path === path);
      const deleted = last("DELETE", apply);
      const released = last("PATCH", of);
      // The bridge asks for the deletion of the owner; from then on the apply has to be looked at anew.
      expect(last("GET", apply, deleted)).toBeGreaterThan(last("DELETE", of));
      expect(last("GET", apply, released)).toBeGreaterThan(deleted);
    },
  );
});

test("P-1 P-5 no pass writes a status twice, and one that changes nothing sends nothing", async () => {
  const it = await demo();
  on = it;
  await it.all();
  await it.pass(minute);
  await it.vpcRuns();
  await it.pass(minute);
  await it.planeRuns();
  await it.pass(minute);
  const count = (is: "pass" | "status", controller: string, outcome?: string) =>
    it.samples.filter(
      (sample) =>
        sample.is === is &&
        sample.controller === controller &&
        (outcome === undefined || ("outcome" in sample && sample.outcome === outcome)),
    ).length;
  for (const controller of ["captcluster", "captcontrolplane", "workspacetemplateapply"]) {
    expect(count("status", controller)).toBeLessThanOrEqual(count("pass", controller));
    expect(count("status", controller, "written")).toBeGreaterThan(0);
  }
  it.writes();
  const before = count("status", "captcluster", "unchanged");
  await it.pass(20 * minute);
  expect(it.writes()).toEqual([]);
  expect(count("status", "captcluster", "unchanged")).toBeGreaterThan(before);
});

test("API-4 another reason or message keeps the time of a condition", async () => {
  const it = await demo();
  on = it;
  await it.all();
  await it.pass(10_000);
  const first = await it.condition("network", "VPCReady");
  await it.pass(30_000);
  await it.vpcRuns({ synced: false, message: "no quota" });
  await it.pass(30_000);
  const second = await it.condition("network", "VPCReady");
  expect([first?.reason, second?.reason]).toEqual(["VPCCreating", "VPCCreationFailed"]);
  expect(second?.lastTransitionTime).toBe(first?.lastTransitionTime);
  await it.vpcRuns(vpcDone);
  const third = await it.condition("network", "VPCReady");
  expect(parseTime(third?.lastTransitionTime)).toBeGreaterThan(parseTime(first?.lastTransitionTime) ?? 0);
});

test("CP-4 an unpause gives a control plane its time again", async () => {
  const it = await demo();
  on = it;
  await it.all();
  await it.pass(10 * minute);
  await it.pause(true);
  await it.pass(120 * minute);
  await it.pause(false);
  await it.pass(14 * minute);
  expect((await it.the.plane()).status?.failureReason).toBeUndefined();
  await it.pass(2 * minute);
  expect((await it.the.plane()).status?.failureReason).toBe("VPCReadyTimeout");
});

test("P-9 an object that is gone before its last status is written is no trouble", async () => {
  let remove: (() => Promise<unknown>) | undefined;
  const wrap = (transport: Transport): Transport => ({
    async send(request) {
      if (request.method === "PATCH" && request.path.includes("captclusters/demo-net/status")) {
        const first = remove;
        remove = undefined;
        await first?.();
      }
      return transport.send(request);
    },
    close: () => transport.close(),
  });
  const it = await demo({ wrap, config: { clusterApiMode: "standalone" } });
  on = it;
  await it.templates();
  await it.cluster();
  await it.network();
  await it.pass(minute);
  let isGone = false;
  remove = async () => {
    const network = { name: "demo-net", namespace: "t1" };
    await it.client.patch(CAPTCluster, network, { merge: { metadata: { finalizers: null } } } as never);
    isGone = true;
  };
  await it.remove(CAPTCluster, "demo-net");
  await it.pass(minute);
  expect(isGone).toBe(true);
  expect(await it.get(CAPTCluster, "demo-net")).toBeUndefined();
  expect(it.complaints).toEqual([]);
});

test("M-5 M-6 what Cluster API makes of a Cluster is not corrected", async () => {
  const it = await demo();
  on = it;
  await it.all();
  const status = {
    phase: "Failed",
    deprecated: { v1beta1: { failureReason: "VPCReadyTimeout", failureMessage: "long ago" } },
  };
  const Cluster = anyCluster(it.kinds);
  await it.client.status.patch(Cluster, { name: "demo", namespace: "t1" }, { merge: { status } });
  await it.pass(minute);
  await it.vpcRuns();
  await it.pass(minute);
  await it.planeRuns();
  await it.pass(minute);
  expect(await it.planeSays("Ready")).toMatch(/^True/);
  expect((await it.the.cluster()).status).toMatchObject(status);
  expect(it.writes().filter(({ path }) => path.includes("/clusters/"))).toEqual([]);
});
