import { instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { standardConfig } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { parseLocustArgs } from "./options.ts";
import { targetOf } from "./target.ts";

const it: LocustTest = {
  apiVersion: "locust.io/v2",
  kind: "LocustTest",
  metadata: { name: "demo.x", namespace: "perf", uid: "t" },
  spec: { image: "locust", master: { command: "-f a.py" }, worker: { command: "-f a.py", replicas: 3 } },
};
const pod = (status: Pod["status"] = { phase: "Running", podIP: "10.1.2.3" }): Pod => ({
  metadata: { name: "demo-x-master-abcde", namespace: "perf", uid: "p", creationTimestamp: "2026-01-19T22:00:00Z" },
  ...(status !== undefined && { status }),
});
const master = { uid: "p", created: instant(Date.UTC(2026, 0, 19, 22)) };
const reach = (mode: "pod-ip" | "service" | "api-proxy" | "off", line = "", of: Pod | undefined = pod()) =>
  targetOf(it, of, parseLocustArgs(line.split(" "), []), { ...standardConfig.telemetry, mode });

describe("the way to the master", () => {
  test.each([
    ["pod-ip", "", "http://10.1.2.3:8089/stats/requests"],
    ["pod-ip", "--tls-cert c --tls-key k", "https://10.1.2.3:8089/stats/requests"],
    ["service", "", "http://demo-x-master.perf.svc:8089/stats/requests"],
    ["service", "-P 9 --web-base-path /l", "http://demo-x-master.perf.svc:9/l/stats/requests"],
  ] as const)("by %s %s", (mode, line, url) => expect(reach(mode, line)).toEqual({ at: "address", url, master }));

  test("A78 has the port and the path of the command line, or of the variables (telemetry)", () => {
    const url = "http://10.1.2.3:9000/l/stats/requests";
    expect(reach("pod-ip", "--web-port 9000 --web-base-path /l")).toMatchObject({ url });
    const env = { LOCUST_WEB_PORT: "9000", LOCUST_WEB_BASE_PATH: "/l" };
    const options = parseLocustArgs(
      [],
      Object.entries(env).map(([name, value]) => ({ name, value })),
    );
    expect(targetOf(it, pod(), options, standardConfig.telemetry)).toMatchObject({ url });
  });

  test("leads through the API server", () => {
    const line = "--tls-cert c --tls-key k --web-base-path /l";
    const path = "/api/v1/namespaces/perf/pods/https:demo-x-master-abcde:8089/proxy/l/stats/requests";
    expect(reach("api-proxy", line)).toEqual({ at: "proxy", path, master });
  });

  test("never leaves the pod's part of the API server, whatever the base path is", () => {
    const path = "/api/v1/namespaces/perf/pods/http:demo-x-master-abcde:8089/proxy/stats/requests";
    expect(reach("api-proxy", "--web-base-path /../../../../secrets")).toMatchObject({ path });
  });

  test("has brackets around an address of IPv6", () => {
    const url = "http://[fd00::7]:8089/stats/requests";
    expect(reach("pod-ip", "", pod({ phase: "Running", podIP: "fd00::7" }))).toMatchObject({ url });
  });
});

describe("there is no way", () => {
  test.each([
    ["no pod", undefined],
    ["a pod that is pending", pod({ phase: "Pending", podIP: "10.1.2.3" })],
    ["a pod without an address", pod({ phase: "Running" })],
    ["a pod whose address is none", pod({ phase: "Running", podIP: "metadata.internal" })],
  ])("yet: %s", (_, of) => {
    expect(targetOf(it, of, parseLocustArgs([], []), standardConfig.telemetry)).toEqual({ at: "waiting" });
  });

  test.each(["Succeeded", "Failed", "Unknown"])("any more: a pod that is %s", (phase) => {
    expect(reach("pod-ip", "", pod({ phase, podIP: "10.1.2.3" }))).toEqual({ at: "ended" });
  });

  test("A71 without a web API (telemetry)", () => {
    expect(reach("pod-ip", "--headless")).toEqual({ at: "nowhere", reason: "WebUIDisabled" });
  });

  test("where telemetry is off", () => {
    expect(reach("off", "--headless")).toEqual({ at: "nowhere", reason: "Disabled" });
  });

  test.each(["127.0.0.1", "localhost", "::1", "127.1"])("to %s", (host) => {
    for (const mode of ["pod-ip", "service", "api-proxy"] as const) {
      expect(reach(mode, `--web-host ${host}`)).toEqual({ at: "nowhere", reason: "MasterUnreachable" });
    }
    expect(reach("pod-ip", "--web-host 0.0.0.0")).toMatchObject({ at: "address" });
  });
});
