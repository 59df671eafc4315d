import { describe, expect, test } from "vitest";
import { demo, master, worker } from "../test/demo.ts";
import type { LocustTestSpec } from "./kinds/spec.ts";
import { warningsOn } from "./warnings.ts";

const warned = (parts: Partial<LocustTestSpec>): readonly string[] => warningsOn(demo(parts).spec);

test("the example gives no warning", () => {
  expect(warned({})).toEqual([]);
});

describe("the command", () => {
  test("W2 does not begin with locust, which the image runs by itself", () => {
    const text = (role: string) =>
      `spec.${role}.command starts with locust: the image entrypoint already is locust; the word would be read as a user class`;
    expect(warned({ master: master({ command: "  locust -t 5m" }) })).toEqual([text("master")]);
    expect(warned({ worker: worker({ command: "locust" }) })).toEqual([text("worker")]);
    expect(warned({ worker: worker({ command: "-f locust --locust locustfile" }) })).toEqual([]);
  });

  test.each(['-t 5m --tags "a b"', "-t 5m --tags 'a b'"])("W3 has no quotes: %s", (command) => {
    expect(warned({ master: master({ command }) })).toEqual([
      "spec.master.command has a quote: the string is split at white space only; put arguments with spaces into extraArgs",
    ]);
  });
});

describe("flags", () => {
  test("W4 of the operator's are not repeated, and their values not told", () => {
    const parts = {
      master: master({ extraArgs: ["--expect-workers=1", "--autoquit", "5"] }),
      worker: worker({ command: "--otel" }),
    };
    expect(warned(parts)).toEqual([
      "spec.master repeats --expect-workers, --autoquit, which the operator sets: the later value wins",
      "spec.worker repeats --otel, which the operator sets: the later value wins",
    ]);
  });

  test("W5 with --headless there is no web API", () => {
    const told = ["spec.master runs with --headless: no web API, so no live worker count, metrics or progress"];
    expect(warned({ master: master({ extraArgs: ["--headless"] }) })).toEqual(told);
    expect(warned({ env: { variables: [{ name: "LOCUST_HEADLESS", value: "true" }] } })).toEqual(told);
    expect(warned({ master: master({ extraArgs: ["--headless", "--headful"] }) })).toEqual([]);
  });

  test("W6 without a run time a test never ends", () => {
    const told = ["spec.master has no --run-time: without a run time (or a load shape) the test never ends by itself"];
    expect(warned({ master: master({ command: "-f a.py" }) })).toEqual(told);
    for (const time of ["-t 5m", "-t5m", "--run-time=5m", "--run-time 5m"]) {
      expect(warned({ master: master({ command: "-f a.py", extraArgs: time.split(" ") }) })).toEqual([]);
    }
    const byVariable = { env: { variables: [{ name: "LOCUST_RUN_TIME", value: "5m" }] } };
    expect(warned({ master: master({ command: "-f a.py" }), ...byVariable })).toEqual([]);
    const off = { autoquit: { enabled: false } };
    expect(warned({ master: master({ command: "-f a.py", ...off }) })).toEqual([]);
    expect(warned({ master: master({ command: "-f a.py", autostart: false }) })).toEqual([]); // a person starts and ends it
  });
});

describe("the image", () => {
  const traced = { observability: { openTelemetry: { enabled: true, endpoint: "http://otel:4317" } } };
  const noLibraries =
    "spec.image has no OpenTelemetry libraries: use locustio/locust-otel or an image with locust[otel]";

  test.each([
    ["locustio/locust:2.46.3", [noLibraries]],
    ["registry.example:5000/locustio/locust@sha256:0a", [noLibraries]],
    ["locustio/locust-otel:2.46.3", []],
    ["example.com/notlocustio/locust:1", []],
    ["example.com/locustio/locust/otel:1", []],
  ])("W7 %s with OpenTelemetry", (image, expected) => {
    expect(warned({ image, ...traced })).toEqual(expected);
    expect(warned({ image })).toEqual([]);
  });

  const moves =
    "spec.image has a mutable tag and is pulled IfNotPresent: master and workers may run different versions";

  test.each([
    ["locust", [moves]],
    ["locust:latest", [moves]],
    ["registry.example:5000/locust", [moves]],
    ["registry.example:5000/locust:1", []],
    ["locust:latest@sha256:0a", []],
    ["locust@sha256:0a", []],
  ])("W8 %s, pulled where it is not present", (image, expected) => {
    expect(warned({ image })).toEqual(expected);
    expect(warned({ image, imagePullPolicy: "Always" })).toEqual([]);
  });
});

test("W9 labels of the operator's are ignored", () => {
  const labels = {
    app: "x",
    "managed-by": "y",
    "performance-test-name": "z",
    "performance-test-pod-name": "p",
    team: "t",
  };
  expect(warned({ worker: worker({ labels }) })).toEqual([
    "spec.worker.labels sets app, performance-test-name, performance-test-pod-name, managed-by: reserved; ignored",
  ]);
});

test("no warning is longer than a server lets through", () => {
  const everything = warned({
    image: "locustio/locust",
    master: master({
      command: `locust '--master --worker --master-port=1 --master-host=a --expect-workers=1 --autostart --autoquit=1 --otel --enable-rebalancing --only-summary --headless`,
      labels: { app: "", "managed-by": "", "performance-test-name": "", "performance-test-pod-name": "" },
    }),
    observability: { openTelemetry: { enabled: true } },
  });
  expect(everything).toHaveLength(8);
  for (const warning of everything) expect(warning.length).toBeLessThanOrEqual(256);
});
