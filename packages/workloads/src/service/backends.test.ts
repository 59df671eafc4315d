import type { Pod, Service } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { backendsOf, concerns, familiesOf, hostnameOf, selectorOf } from "./backends.ts";

const service = (spec: Partial<NonNullable<Service["spec"]>> = {}): Service => ({
  metadata: { name: "web", namespace: "ns" },
  spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }], ...spec },
});
const pod = (status: Pod["status"] = { podIP: "10.0.0.1" }, more: Partial<Pod> = {}): Pod => ({
  metadata: { name: "p", namespace: "ns", uid: "u" },
  spec: { containers: [{ name: "main", ports: [{ name: "http", containerPort: 8080 }] }] },
  status: { phase: "Running", ...status },
  ...more,
});
const portsOf = (it: Service, of: Pod = pod()) => backendsOf(it, [of], "IPv4")[0]?.ports;

describe("what a Service selects", () => {
  it("nothing without a selector, and nothing with an empty one", () => {
    expect(selectorOf({ spec: {} })).toBeUndefined();
    expect(selectorOf({ spec: { selector: {} } })).toBeUndefined();
  });

  it("nothing where it only stands for a name elsewhere", () => {
    expect(selectorOf(service({ type: "ExternalName" }))).toBeUndefined();
  });

  it("pods by labels", () => {
    expect(selectorOf(service())).toEqual({ matchLabels: { app: "web" } });
  });
});

describe("a pod is no backend", () => {
  it("while it has no address", () => {
    expect(backendsOf(service(), [pod({}), pod({ podIP: "" })], "IPv4")).toEqual([]);
  });

  it("once it has ended", () => {
    const ended = ["Succeeded", "Failed"].map((phase) => pod({ phase, podIP: "10.0.0.1" }));
    expect(backendsOf(service(), ended, "IPv4")).toEqual([]);
  });

  it("of another family of addresses", () => {
    expect(backendsOf(service(), [pod({ podIP: "fd00::1" })], "IPv4")).toEqual([]);
    const both = pod({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] });
    expect(backendsOf(service(), [both], "IPv6").map(({ address }) => address)).toEqual(["fd00::1"]);
  });
});

describe("ports", () => {
  it("a name is what the pod means by it", () => {
    expect(portsOf(service())).toEqual([{ name: "", port: 8080, protocol: "TCP" }]);
  });

  it("a name of a sidecar counts, one of a container that runs before does not", () => {
    const container = { name: "side", ports: [{ name: "admin", containerPort: 9000 }] };
    const asking = service({ ports: [{ name: "a", port: 1, targetPort: "admin" }] });
    const before = pod(undefined, { spec: { containers: [], initContainers: [container] } });
    const beside = pod(undefined, {
      spec: { containers: [], initContainers: [{ ...container, restartPolicy: "Always" }] },
    });
    expect(portsOf(asking, before)).toEqual([]);
    expect(portsOf(asking, beside)).toEqual([{ name: "a", port: 9000, protocol: "TCP" }]);
  });

  it("a name of another protocol, or of no port, is left out", () => {
    expect(portsOf(service({ ports: [{ port: 80, targetPort: "http", protocol: "UDP" }] }))).toEqual([]);
    expect(portsOf(service({ ports: [{ port: 80, targetPort: "nowhere" }] }))).toEqual([]);
  });

  it("a number is taken as it is, and without one the Service's own counts", () => {
    const ports = [
      { name: "a", port: 80, targetPort: 81, appProtocol: "h2c" },
      { name: "b", port: 53, protocol: "UDP" },
    ];
    expect(portsOf(service({ ports }))).toEqual([
      { name: "a", port: 81, protocol: "TCP", appProtocol: "h2c" },
      { name: "b", port: 53, protocol: "UDP" },
    ]);
  });
});

it("a Service has the families that it names, and IPv4 where it names none", () => {
  expect(familiesOf(service({ ipFamilies: ["IPv6", "IPv4"] }))).toEqual(["IPv6", "IPv4"]);
  expect(familiesOf(service())).toEqual(["IPv4"]);
});

it("a pod has a name in the Service that its subdomain names", () => {
  const named = (subdomain: string): Pod => ({ spec: { containers: [], hostname: "db-0", subdomain } });
  expect(hostnameOf(named("web"), service())).toEqual({ hostname: "db-0" });
  expect(hostnameOf(named("other"), service())).toEqual({});
});

describe("a change of a pod", () => {
  const ready = (status: string) => pod({ podIP: "10.0.0.1", conditions: [{ type: "Ready", status }] });

  it("concerns a Service where its backends may be others", () => {
    const before = ready("True");
    expect(concerns(before, ready("False"))).toBe(true);
    expect(concerns(before, pod({ ...before.status, phase: "Failed" }))).toBe(true);
    expect(concerns(before, pod({ ...before.status, podIP: "10.0.0.2" }))).toBe(true);
    const leaving = { ...before.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(concerns(before, { ...before, metadata: leaving })).toBe(true);
  });

  it("does not where only other things changed", () => {
    expect(concerns(ready("True"), { ...ready("True"), metadata: { annotations: { a: "b" } } })).toBe(false);
  });
});
