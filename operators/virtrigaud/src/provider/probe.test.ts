import { formatTime, instant, type Ms, plus } from "@telltale/kinds";
import { expect, test } from "vitest";
import { Provider } from "../kinds/index.ts";
import { healthCheckOf } from "./health.ts";
import { isProbed, remembered } from "./probe.ts";

const since = instant(Date.UTC(2026, 0, 1));

function provider(status: Provider["status"] & object, spec: Partial<Provider["spec"]> = {}): Provider {
  return {
    apiVersion: Provider.apiVersion,
    kind: Provider.kind,
    metadata: { name: "box", namespace: "demo" },
    spec: {
      type: "qemu",
      endpoint: "tcp://127.0.0.1:9443",
      credentialSecretRef: { name: "c" },
      runtime: { image: "x" },
      ...spec,
    },
    status,
  };
}

/** A provider that could not be reached since then, and was last asked so long after. */
function lost(after: Ms, ready: "Unknown" | "False" = "Unknown") {
  const failed = { reason: "ConnectionFailed", message: "", lastTransitionTime: formatTime(since) };
  const it = provider({
    lastHealthCheck: formatTime(plus(since, after)),
    conditions: [
      { type: "Connected", status: "False", ...failed },
      { type: "Ready", status: ready, ...failed },
    ],
  });
  return remembered(it, healthCheckOf(it)).against;
}

test("failed connections before a restart are counted from stored times, and never too many", () => {
  // One probe each 27 to 33 seconds, and 10 more where it has to be waited for.
  expect(lost(0)).toBe(1);
  for (const one of [27_000, 30_000, 33_000, 43_000]) expect(lost(one)).toBe(2);
  expect(lost(60_000)).toBe(3);
  for (let probes = 1; probes < 10; probes += 1) {
    for (const apart of [27_000, 30_000, 33_000, 37_000, 43_000]) {
      expect(lost((probes - 1) * apart)).toBeLessThanOrEqual(probes);
    }
  }
  expect(lost(60_000, "False")).toBe(0);
});

test("whoever runs is asked, and whoever is taken for healthy; nobody who never was, is going, or said no", () => {
  const at = { endpoint: "x:1", serviceRef: { name: "s" } };
  expect(isProbed(provider({ runtime: { ...at, phase: "Running" } }))).toBe(true);
  expect(isProbed(provider({ runtime: { ...at, phase: "Starting" } }))).toBe(false);
  expect(isProbed(provider({ runtime: { ...at, phase: "Starting" }, healthy: true }))).toBe(true);
  expect(isProbed(provider({ runtime: { ...at, phase: "Failed" }, healthy: true }))).toBe(true);
  expect(isProbed(provider({ runtime: { endpoint: "x:1", phase: "Starting" } }))).toBe(true);
  expect(isProbed(provider({ runtime: { phase: "Running" } }))).toBe(false);
  expect(isProbed(provider({ runtime: { ...at, phase: "Running" } }, { healthCheck: { enabled: false } }))).toBe(true);
  const { status: _none, ...bare } = provider({});
  expect(isProbed(bare)).toBe(false);
});
