import { arbitraryOf } from "@telltale/kinds/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { demo, master, worker } from "../test/demo.ts";
import { LocustTest } from "./kinds/locust-test.ts";
import type { LocustTestSpec } from "./kinds/spec.ts";
import { validate, violations } from "./validate.ts";

type Parts = Partial<LocustTestSpec>;

const broken = (parts: Parts, name = "demo"): string[] =>
  validate(demo(parts, name)).errors.map(({ rule, field, message }) => `${rule} ${field}: ${message}`);

const mount = (mountPath: string, more: object = {}) => ({ name: "data", mountPath, ...more });
const data = { name: "data", emptyDir: {} };

test("the example breaks no rule", () => {
  expect(validate(demo())).toEqual({ errors: [], warnings: [] });
});

describe("the name", () => {
  test("V1 has at most 56 characters", () => {
    expect(broken({}, "a".repeat(56))).toEqual([]);
    expect(broken({}, "a".repeat(57))).toEqual([
      "V1 metadata.name: is too long: the names of its Jobs have at most 63 characters, so that this one may have 56, and has 57",
    ]);
  });

  test.each(["demo", "a.b", "a-1.2", "x"])("V2 may be %s", (name) => {
    expect(broken({}, name)).toEqual([]);
  });

  test.each(["1demo", "1.demo", "-a", "Demo", "a-", ""])("V2 may not be %s", (name) => {
    expect(broken({}, name)).toEqual([expect.stringMatching(/^V2 metadata\.name: must start with a letter/)]);
  });

  test("is nobody's fault while the server has yet to make one up", () => {
    const test = demo();
    const { name: _, ...metadata } = test.metadata;
    expect(validate({ ...test, metadata: { ...metadata, generateName: "1-" } }).errors).toEqual([]);
  });
});

describe("volumes", () => {
  test("V4, V5, V6 leave the operator's names alone, also those of a dotted test", () => {
    const volumes = ["secret-a", "locust-lib", "a-b-master", "a-b-worker", "a.b-master", "secrets"].map((name) => ({
      name,
    }));
    expect(broken({ volumes }, "a.b")).toEqual([
      'V4 spec.volumes[0].name: "secret-a" uses reserved prefix "secret-"',
      'V5 spec.volumes[1].name: "locust-lib" is reserved by the operator',
      'V6 spec.volumes[2].name: "a-b-master" conflicts with operator-generated name',
      'V6 spec.volumes[3].name: "a-b-worker" conflicts with operator-generated name',
    ]);
  });

  test("V8 are there for each mount", () => {
    expect(broken({ volumes: [data], volumeMounts: [mount("/a"), { name: "other", mountPath: "/b" }] })).toEqual([
      'V8 spec.volumeMounts[1].name: references undefined volume "other"',
    ]);
  });

  test("V10 have different names", () => {
    expect(broken({ volumes: [data, { name: "b" }, data, data] })).toEqual([
      'V10 spec.volumes[2].name: duplicate volume name "data"',
      'V10 spec.volumes[3].name: duplicate volume name "data"',
    ]);
  });
});

describe("mount paths", () => {
  const secrets = (...paths: string[]): Parts => ({
    env: { secretMounts: paths.map((mountPath) => ({ name: "s", mountPath })) },
  });

  test("V3, V7 stay away from the test files", () => {
    const volumeMounts = [mount("/lotest/src"), mount("/lotest/./src/y/"), mount("/lotest/srcfoo")];
    expect(broken({ ...secrets("/lotest/src/x", "/etc/x", "/"), volumes: [data], volumeMounts })).toEqual([
      'V3 spec.env.secretMounts[0].mountPath: conflicts with reserved path "/lotest/src"',
      'V3 spec.env.secretMounts[2].mountPath: conflicts with reserved path "/lotest/src"',
      'V7 spec.volumeMounts[0].mountPath: conflicts with reserved path "/lotest/src"',
      'V7 spec.volumeMounts[1].mountPath: conflicts with reserved path "/lotest/src"',
      "V10 spec.volumeMounts[0].mountPath: duplicate mount path: spec.testFiles.srcMountPath is the same",
    ]);
  });

  test("V3 a conflict with each of two reserved paths is told", () => {
    expect(broken({ ...secrets("/"), testFiles: {} })).toHaveLength(2);
  });

  test("V10 are different in each pod", () => {
    const volumeMounts = [
      mount("/a", { target: "master" }),
      mount("/a", { target: "worker" }), // another pod
      mount("//a/", { target: "worker" }),
      mount("/b"),
      mount("/./b", { target: "both" }),
      mount("/etc/s", { target: "master" }),
    ];
    expect(broken({ ...secrets("/etc/s"), volumes: [data], volumeMounts })).toEqual([
      "V10 spec.volumeMounts[2].mountPath: duplicate mount path: spec.volumeMounts[1].mountPath is the same",
      "V10 spec.volumeMounts[4].mountPath: duplicate mount path: spec.volumeMounts[3].mountPath is the same",
      "V10 spec.volumeMounts[5].mountPath: duplicate mount path: spec.env.secretMounts[0].mountPath is the same",
    ]);
  });

  test("V10 of test files and libraries are different where both are mounted", () => {
    const testFiles = { configMapRef: "a", libConfigMapRef: "b", srcMountPath: "/x", libMountPath: "/x/" };
    expect(broken({ testFiles })).toEqual([
      "V10 spec.testFiles.libMountPath: duplicate mount path: spec.testFiles.srcMountPath is the same",
    ]);
    expect(broken({ testFiles: { ...testFiles, libConfigMapRef: "" } })).toEqual([]);
  });

  test.each(["a", "", "/a:b", "/a/../b", "/a/.."])("V11 %s is not absolute and plain", (path) => {
    const message = 'must be an absolute path, without ":" and without ".." elements';
    const parts = { ...secrets(path), volumes: [data], volumeMounts: [mount(path)] };
    const files = path === "" ? [] : [`V11 spec.testFiles.srcMountPath: ${message}`]; // an empty one is the standard path
    const told = broken({ ...parts, testFiles: { configMapRef: "a", srcMountPath: path } });
    expect(told.filter((it) => it.startsWith("V11"))).toEqual([
      ...files,
      `V11 spec.env.secretMounts[0].mountPath: ${message}`,
      `V11 spec.volumeMounts[0].mountPath: ${message}`,
    ]);
  });
});

describe("arguments and settings", () => {
  const traced = (openTelemetry: object): Parts => ({
    observability: { openTelemetry: { enabled: true, ...openTelemetry } },
  });

  test("V9 OpenTelemetry needs an endpoint while it is enabled", () => {
    const told = ["V9 spec.observability.openTelemetry.endpoint: endpoint is required when OpenTelemetry is enabled"];
    expect(broken(traced({}))).toEqual(told);
    expect(broken(traced({ endpoint: " " }))).toEqual(told);
    expect(broken(traced({ endpoint: "http://otel:4317" }))).toEqual([]);
    expect(broken(traced({ enabled: false }))).toEqual([]);
  });

  test("V12 autoquit needs autostart, and absent it asks for nothing", () => {
    const told = broken({ master: master({ autostart: false, autoquit: { enabled: true } }) });
    expect(told).toEqual([expect.stringContaining("V12 spec.master.autoquit.enabled: autoquit needs autostart")]);
    const { autoquit: _, ...rest } = master({ autostart: false });
    expect(broken({ master: rest })).toEqual([]);
    expect(broken({ master: master({ autostart: false, autoquit: { enabled: false } }) })).toEqual([]);
  });

  test.each([
    ["master", "--worker", "--worker is not allowed on the master"],
    ["master", "--processes 4", "--processes is not allowed on the master"],
    ["master", "--processes=4", "--processes is not allowed on the master"],
    ["master", "--proc 4", "--processes is not allowed on the master"],
    ["worker", "--master", "--master is not allowed on the worker"],
  ] as const)("V13 the %s takes no %s", (role, args, message) => {
    const inCommand =
      role === "master" ? { master: master({ command: `-f a.py ${args}` }) } : { worker: worker({ command: args }) };
    expect(broken(inCommand)).toEqual([`V13 spec.${role}.command: ${message}`]);
    const extraArgs = args.split(" ");
    const inExtra = role === "master" ? { master: master({ extraArgs }) } : { worker: worker({ extraArgs }) };
    expect(broken(inExtra)).toEqual([`V13 spec.${role}.extraArgs: ${message}`]);
  });

  test("V13 each role takes its own, and flags that only look alike", () => {
    expect(broken({ master: master({ extraArgs: ["--master", "--master-bind-port=1", "--processes-x"] }) })).toEqual(
      [],
    );
    expect(broken({ worker: worker({ extraArgs: ["--worker", "--processes", "4", "--master-host=x"] }) })).toEqual([]);
  });
});

describe("V14 names", () => {
  test("of labels, annotations and node labels are checked", () => {
    const long = "x".repeat(64);
    const parts: Parts = {
      master: master({
        labels: { "a b": "c", ok: "no/slash", fine: "" },
        annotations: { "-a": "", "Example.com/ok": "any thing" },
      }),
      worker: worker({ labels: { [long]: long, "example.com/x": "A_1.b" } }),
      scheduling: { nodeSelector: { "/x": "a" } },
    };
    const told = broken(parts);
    expect(told.map((it) => it.split(":").slice(0, 2).join(":"))).toEqual([
      'V14 spec.master.labels: invalid label key "a b"',
      'V14 spec.master.labels: invalid label value of "ok"',
      'V14 spec.master.annotations: invalid annotation key "-a"',
      `V14 spec.worker.labels: invalid label key "${long}"`,
      `V14 spec.worker.labels: invalid label value of "${long}"`,
      'V14 spec.scheduling.nodeSelector: invalid label key "/x"',
    ]);
  });

  test("of variables and of their prefixes are checked, and no value is told", () => {
    const told = broken({
      env: {
        variables: [
          { name: "A_b.c-d", value: "hidden" },
          { name: "1A", value: "hidden" },
          { name: "a=b" },
          { name: "" },
        ],
        configMapRefs: [
          { name: "a", prefix: "APP_" },
          { name: "b", prefix: "9" },
        ],
        secretRefs: [
          { name: "a", prefix: "" },
          { name: "b", prefix: "a b" },
        ],
      },
      observability: { openTelemetry: { enabled: false, extraEnvVars: { OK: "hidden", "..": "hidden" } } },
    });
    expect(told.map((it) => it.split(":")[0])).toEqual([
      "V14 spec.env.configMapRefs[1].prefix",
      "V14 spec.env.secretRefs[1].prefix",
      "V14 spec.env.variables[1].name",
      "V14 spec.env.variables[2].name",
      "V14 spec.env.variables[3].name",
      "V14 spec.observability.openTelemetry.extraEnvVars",
    ]);
    expect(told.join()).toContain("invalid environment variable name");
    expect(told.join()).not.toContain("hidden");
  });

  test("are shown on one line, and not at any length", () => {
    const [told = ""] = broken({ master: master({ labels: { [`a\n\u0000${"b".repeat(500)}`]: "" } }) });
    expect(told).toMatch(/invalid label key "a\\n\\u0000b{76}…"/);
  });
});

test("all violations are collected, in the order of the rules", () => {
  const test = demo(
    {
      master: master({ autostart: false, command: "--worker", labels: { "a b": "" } }),
      env: { secretMounts: [{ name: "s", mountPath: "lotest/src" }] },
      volumes: [{ name: "locust-lib" }, { name: "secret-a" }],
      volumeMounts: [
        { name: "none", mountPath: "/a" },
        { name: "none", mountPath: "/a" },
      ],
      observability: { openTelemetry: { enabled: true } },
    },
    `1${"a".repeat(57)}`,
  );
  const rules = validate(test).errors.map(({ rule }) => rule);
  expect(rules).toEqual(["V1", "V2", "V3", "V4", "V5", "V8", "V8", "V9", "V10", "V10", "V11", "V12", "V13", "V14"]);
});

test("the controller hears of every rule but V12, whose command line works all the same", () => {
  const parts = { master: master({ autostart: false, extraArgs: ["--worker"] }) };
  expect(violations(demo(parts))).toEqual(["spec.master.extraArgs: --worker is not allowed on the master"]);
});

test("whatever a schema lets through, the rules give an answer, and no value of a variable or an argument", () => {
  const specs = arbitraryOf(fc, LocustTest.schema.spec) as fc.Arbitrary<LocustTestSpec>;
  fc.assert(
    fc.property(specs, fc.string(), (spec, name) => {
      const marked = {
        ...spec,
        master: { ...spec.master, command: "--host=h1dden --worker 'h1dden' locust", extraArgs: ["--autoquit=h1dden"] },
        env: { ...spec.env, variables: (spec.env?.variables ?? []).map((it) => ({ ...it, value: "h1dden" })) },
      };
      const { errors, warnings } = validate({ ...demo({}, name), spec: marked });
      expect(errors.some(({ rule }) => rule === "V13")).toBe(true);
      expect(JSON.stringify([errors, warnings])).not.toContain("h1dden");
    }),
    { numRuns: 300, seed: 1 },
  );
});
