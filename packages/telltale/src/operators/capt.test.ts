import { expect, test } from "vitest";
import { listening } from "./capt.ts";

test("flags of upstream say where probes are answered; where none is given nobody is asked", () => {
  expect(listening({}, "capt-system")).toEqual({});
  expect(listening({ "--health-probe-bind-address": "127.0.0.1:9081" }, "capt-system")).toMatchObject({
    probes: { host: "127.0.0.1", port: 9081 },
  });
});
