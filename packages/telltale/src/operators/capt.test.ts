import { expect, test } from "vitest";
import { processSettings } from "./capt.ts";

test("flags of upstream say where probes are answered, and whether a lease is needed; where none is given nobody is asked", () => {
  expect(processSettings({}, "capt-system")).toEqual({});
  expect(processSettings({ "--leader-elect": "false" }, "capt-system")).toEqual({ replicas: { as: "one" } });
  expect(processSettings({ "--leader-elect": "true" }, "capt-system")).toMatchObject({
    replicas: { as: "lease", namespace: "capt-system" },
  });
  expect(processSettings({ "--health-probe-bind-address": "127.0.0.1:9081" }, "capt-system")).toMatchObject({
    probes: { host: "127.0.0.1", port: 9081 },
  });
});
