import { expect, test } from "vitest";
import { Bind9Instance } from "./bind9-instance.ts";
import { settled, specOf } from "./maybe.ts";

test("2.1 what is null is absent, at any depth, and what is absent has its default", () => {
  const spec = {
    clusterRef: "",
    role: "primary",
    replicas: null,
    config: { allowQuery: null, recursion: true },
    rndcKey: { autoRotate: null },
    volumes: null,
  } as const;
  expect(settled(Bind9Instance, spec)).toEqual({
    clusterRef: "",
    role: "primary",
    replicas: 1,
    config: { recursion: true },
    rndcKey: { autoRotate: false, rotateAfter: "720h", algorithm: "hmac-sha256" },
  });
});

test("the object itself is left as it was", () => {
  const object = {
    apiVersion: Bind9Instance.apiVersion,
    kind: Bind9Instance.kind,
    metadata: { name: "x" },
    spec: Object.freeze({ clusterRef: "", role: "primary" as const, replicas: null }),
  };
  expect(specOf(Bind9Instance, object).replicas).toBe(1);
  expect(object.spec.replicas).toBeNull();
});

test("3.3 options that are merged field by field have no default of their own", () => {
  const { config } = settled(Bind9Instance, { clusterRef: "x", role: "primary", config: { forwarders: [] } });
  expect(config).toEqual({ forwarders: [] });
});
