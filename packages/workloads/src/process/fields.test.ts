import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { fieldValue, resourceValue } from "./fields.ts";

const place = { podIP: "127.1.2.3", hostIP: "127.0.0.1", cpus: 4, memoryBytes: 8_000_000_000 };
const pod: Pod = {
  metadata: {
    name: "web-0",
    namespace: "shop",
    uid: "u-1",
    labels: { b: "2", a: 'say "hi"\n', "app.kubernetes.io/name": "web" },
    annotations: { Build: "7" },
  },
  spec: {
    nodeName: "node-1",
    serviceAccountName: "shopper",
    containers: [
      { name: "main", resources: { limits: { cpu: "1500m", memory: "64Mi" }, requests: { cpu: "250m" } } },
      { name: "other" },
    ],
  },
};
const main = pod.spec?.containers[0];
const field = (fieldPath: string) => fieldValue(pod, { fieldPath }, place);

describe("a field of the pod", () => {
  it.each([
    ["metadata.name", "web-0"],
    ["metadata.namespace", "shop"],
    ["metadata.uid", "u-1"],
    ["metadata.labels['app.kubernetes.io/name']", "web"],
    ["metadata.labels['constructor']", ""],
    ["metadata.annotations['Build']", "7"],
    ["metadata.annotations['missing']", ""],
    ["metadata.labels", 'a="say \\"hi\\"\\n"\napp.kubernetes.io/name="web"\nb="2"'],
    ["spec.nodeName", "node-1"],
    ["spec.serviceAccountName", "shopper"],
    ["status.podIP", "127.1.2.3"],
    ["status.podIPs", "127.1.2.3"],
    ["status.hostIP", "127.0.0.1"],
  ])("%s is %s", (path, value) => {
    expect(field(path)).toBe(value);
  });

  it("that nobody knows is an error that names it", () => {
    expect(() => field("spec.replicas")).toThrow("unsupported fieldPath: spec.replicas");
    expect(() => field("metadata.labels['a b']")).toThrow("invalid key subscript in metadata.labels['a b']");
  });
});

describe("a resource of a container", () => {
  const value = (resource: string, divisor?: string, containerName?: string) =>
    resourceValue(
      pod,
      main,
      { resource, ...(divisor === undefined ? {} : { divisor }), ...(containerName ? { containerName } : {}) },
      place,
    );
  it.each([
    ["limits.cpu", undefined, "2"],
    ["limits.cpu", "1m", "1500"],
    ["limits.memory", undefined, "67108864"],
    ["limits.memory", "1Mi", "64"],
    ["limits.memory", "1G", "1"],
    ["requests.cpu", "1m", "250"],
    ["requests.memory", undefined, "0"],
  ])("%s in %s is %s", (resource, divisor, wanted) => {
    expect(value(resource, divisor)).toBe(wanted);
  });

  it("without a limit is what the machine has", () => {
    expect(value("limits.cpu", undefined, "other")).toBe("4");
    expect(value("limits.memory", undefined, "other")).toBe("8000000000");
  });

  it("that does not exist is an error that names it", () => {
    expect(() => value("limits.disk")).toThrow("unsupported container resource : limits.disk");
    expect(() => value("limits.cpu", undefined, "gone")).toThrow("container gone not found");
    expect(() => value("limits.cpu", "often")).toThrow('divisor "often" of limits.cpu is no quantity');
  });
});
