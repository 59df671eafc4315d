import { ConfigMap, Deployment, Node } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { collectionPath, objectPath, withQuery } from "./paths.ts";

describe("where objects live", () => {
  it.each([
    [collectionPath(ConfigMap), "/api/v1/configmaps"],
    [collectionPath(ConfigMap, "web"), "/api/v1/namespaces/web/configmaps"],
    [collectionPath(Deployment, "web"), "/apis/apps/v1/namespaces/web/deployments"],
    [collectionPath(Node), "/api/v1/nodes"],
    [objectPath(Node, { name: "n1" }), "/api/v1/nodes/n1"],
    [
      objectPath(Deployment, { name: "front", namespace: "web" }, "status"),
      "/apis/apps/v1/namespaces/web/deployments/front/status",
    ],
    [objectPath(ConfigMap, { name: "a/b c", namespace: "web" }), "/api/v1/namespaces/web/configmaps/a%2Fb%20c"],
    [objectPath(Node, { name: "system:x" }, "proxy/a b"), "/api/v1/nodes/system%3Ax/proxy/a%20b"],
  ])("%s", (path, expected) => {
    expect(path).toBe(expected);
  });

  it.each([
    ["a namespaced object without a namespace", () => objectPath(ConfigMap, { name: "a" }), "none was given"],
    ["a cluster's object in a namespace", () => collectionPath(Node, "web"), "has no namespaces"],
    ["an empty name", () => objectPath(Node, { name: "" }), "would mean all of them"],
    ["a name that climbs", () => objectPath(Node, { name: ".." }), "cannot be a part of a path"],
  ])("refuses %s", (_name, build, message) => {
    expect(build).toThrow(message);
  });
});

it("leaves out of a query what is undefined, repeats lists and escapes", () => {
  expect(withQuery("/x", { a: undefined, b: true, c: 5, d: "k in (a,b)", e: ["1", "2"] })).toBe(
    "/x?b=true&c=5&d=k%20in%20(a%2Cb)&e=1&e=2",
  );
  expect(withQuery("/x")).toBe("/x");
  expect(withQuery("/x?a=1", { b: 2 })).toBe("/x?a=1&b=2");
});
