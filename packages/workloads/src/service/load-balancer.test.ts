import { expect, it } from "vitest";
import { statusOf } from "./load-balancer.ts";

const ingress = [{ ip: "127.0.0.1", ipMode: "VIP" }];

it("a LoadBalancer is reached at the loopback address", () => {
  expect(statusOf({ spec: { type: "LoadBalancer" }, status: { loadBalancer: {} } })).toEqual({
    loadBalancer: { ingress },
  });
});

it("one with a class is left to whoever knows the class", () => {
  expect(statusOf({ spec: { type: "LoadBalancer", loadBalancerClass: "example.com/x" } })).toBeUndefined();
});

it("a Service that is none any more has no address, and any other none to begin with", () => {
  expect(statusOf({ spec: { type: "ClusterIP" }, status: { loadBalancer: { ingress } } })).toEqual({
    loadBalancer: {},
  });
  expect(statusOf({ spec: { type: "ClusterIP" }, status: { loadBalancer: {} } })).toBeUndefined();
});

it("what others say of the Service stays", () => {
  const conditions = [
    { type: "X", status: "True", reason: "Y", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
  ];
  expect(statusOf({ spec: { type: "LoadBalancer" }, status: { conditions } })).toMatchObject({ conditions });
});
