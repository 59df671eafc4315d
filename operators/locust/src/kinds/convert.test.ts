import { applyDefaults } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import {
  fullV1Spec,
  metadata,
  minimalV1Spec,
  plainV2Spec,
  richV2Spec,
  runningStatus,
  v1Test,
  v2Test,
} from "../../test/objects.ts";
import { conversionData, conversionLossy } from "./conversion-data.ts";
import { type LocustTestV1, type LocustTestV2, toV1, toV2 } from "./convert.ts";
import { LocustTest } from "./locust-test.ts";
import type { LocustTestSpec } from "./spec.ts";
import type { LocustTestSpecV1 } from "./spec-v1.ts";

const defaulted = <T>(spec: T): T => applyDefaults(LocustTest.schema.spec, spec);
const carried = (object: LocustTestV1): string | undefined => object.metadata.annotations?.[conversionData];

describe("from v1 to v2", () => {
  test("A81 a v1 object with every field becomes v2 by the table", () => {
    const status = runningStatus;
    expect(toV2(v1Test(fullV1Spec, { status }))).toEqual({
      apiVersion: "locust.io/v2",
      kind: "LocustTest",
      metadata,
      spec: {
        image: "locustio/locust:2.46.3",
        imagePullPolicy: "Always",
        imagePullSecrets: [{ name: "registry-b" }, { name: "registry-a" }],
        master: {
          command: "--locustfile /lotest/src/test.py --users 100 --run-time 5m",
          labels: { role: "m" },
          annotations: { "example.com/a": "1" },
          autostart: true,
          autoquit: { enabled: true, timeout: 60 },
        },
        worker: {
          command: "--locustfile /lotest/src/test.py",
          replicas: 3,
          labels: { role: "w", tier: "load" },
          annotations: { "example.com/b": "2" },
        },
        testFiles: { configMapRef: "demo-scripts", libConfigMapRef: "demo-lib" },
        scheduling: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: "arch", operator: "In", values: ["amd64"] },
                      { key: "disk", operator: "In", values: ["ssd"] },
                      { key: "zone", operator: "In", values: ["eu"] },
                    ],
                  },
                ],
              },
            },
          },
          tolerations: [
            { key: "load", operator: "Equal", value: "yes", effect: "NoSchedule" },
            { key: "spot", operator: "Exists", effect: "NoExecute" },
          ],
        },
      },
      status,
    });
  });

  test("A86 a minimal v1 object has no testFiles, scheduling or env at all", () => {
    const { spec } = toV2(v1Test(minimalV1Spec));
    expect(Object.keys(spec ?? {})).toEqual(["image", "master", "worker"]);
    expect(Object.keys(spec?.master ?? {})).toEqual(["command", "autostart", "autoquit"]);
    expect(Object.keys(spec?.worker ?? {})).toEqual(["command", "replicas"]);
  });

  test.each<[string, object]>([
    ["an empty list of pull secrets", { imagePullSecrets: [] }],
    ["an empty ConfigMap name", { configMap: "", libConfigMap: "" }],
    ["no toleration", { tolerations: [] }],
    ["an empty affinity", { affinity: {} }],
    ["a node affinity without labels", { affinity: { nodeAffinity: {} } }],
    [
      "an empty map of node labels",
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } },
    ],
    ["an empty policy", { imagePullPolicy: "" }],
    ["no labels", { labels: {}, annotations: {} }],
  ])("%s is nothing", (_name, more) => {
    expect(toV2(v1Test({ ...minimalV1Spec, ...more }))).toEqual(toV2(v1Test(minimalV1Spec)));
  });

  test("one ConfigMap alone makes testFiles with that one alone", () => {
    const { spec } = toV2(v1Test({ ...minimalV1Spec, libConfigMap: "lib" }));
    expect(spec?.testFiles).toEqual({ libConfigMapRef: "lib" });
  });
});

describe("from v2 to v1", () => {
  test("what both versions have is shown, and no more", () => {
    const { spec } = toV1(v2Test());
    expect(spec).toEqual({
      masterCommandSeed: richV2Spec.master.command,
      workerCommandSeed: richV2Spec.worker.command,
      workerReplicas: 3,
      image: "locustio/locust:2.46.3",
      imagePullPolicy: "IfNotPresent",
      imagePullSecrets: ["registry"],
      configMap: "demo-scripts",
      labels: { master: { role: "m" } },
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { zone: "eu" } } },
      tolerations: [{ key: "spot", operator: "Exists", effect: "NoExecute" }],
    });
  });

  test("terms of which one must hold are shown as one, expressions that v1 cannot say are left out", () => {
    const term = (key: string, operator: string, values?: string[]) => ({
      matchExpressions: [{ key, operator, ...(values && { values }) }],
    });
    const terms = [
      term("zone", "In", ["eu"]),
      term("arch", "In", ["a", "b"]),
      term("gpu", "Exists"),
      term("x", "In", []),
    ];
    const shown = toV1(v2Test(withTerms(terms))).spec?.affinity?.nodeAffinity;
    expect(shown).toEqual({ requiredDuringSchedulingIgnoredDuringExecution: { zone: "eu", arch: "a" } });
    expect(toV1(v2Test(withTerms(terms.slice(2)))).spec).not.toHaveProperty("affinity");
  });

  test("the annotation is added only where something would be lost", () => {
    expect(carried(toV1(toV2(v1Test())))).toBeUndefined();
    expect(carried(toV1(v2Test(defaulted(toV2(v1Test()).spec as LocustTestSpec))))).toBeUndefined(); // as a server has it
    expect(JSON.parse(carried(toV1(v2Test(plainV2Spec))) ?? "")).toEqual({ v: 2, spec: plainV2Spec });
  });

  test("an annotation of that name on the v2 object is not taken for ours", () => {
    const forged = { ...metadata, annotations: { note: "kept", [conversionData]: "{}", [conversionLossy]: "true" } };
    const whole = toV2(v1Test()).spec;
    expect(toV1(v2Test(whole, { metadata: forged })).metadata).toEqual(metadata);
  });
});

describe("there and back", () => {
  test("A82 v1 -> v2 -> v1 is the same spec, and no annotation is left", () => {
    expect(toV1(toV2(v1Test()))).toEqual(v1Test());
    expect(toV1(toV2(v1Test(minimalV1Spec)))).toEqual(v1Test(minimalV1Spec));
  });

  test("A83 v2 -> v1 -> v2 is the same object, status included", () => {
    const object = v2Test(richV2Spec, { status: runningStatus });
    expect(toV2(toV1(object))).toEqual(object);
    expect(toV1(object).status).toBe(runningStatus);
  });

  test("A84 a changed number of workers in v1 changes nothing else in v2", () => {
    const view = toV1(v2Test(richV2Spec, { status: runningStatus }));
    const edited = { ...view, spec: { ...view.spec, workerReplicas: 7 } as LocustTestSpecV1 };
    expect(toV2(edited)).toEqual(
      v2Test({ ...richV2Spec, worker: { ...richV2Spec.worker, replicas: 7 } }, { status: runningStatus }),
    );
  });

  test("an object without a spec, or with one of wrong types, still converts", () => {
    for (const spec of [undefined, null, 5, "x", []]) {
      const back = toV2(toV1({ ...v2Test(), spec } as unknown as LocustTestV2));
      expect(back).toEqual({ apiVersion: "locust.io/v2", kind: "LocustTest", metadata });
    }
    const odd = {
      master: "no",
      worker: { replicas: "3", labels: [] },
      imagePullSecrets: {},
      scheduling: { affinity: 1 },
    };
    expect(toV1({ ...v2Test(), spec: odd } as unknown as LocustTestV2).spec).toEqual({});
    const oddV1 = {
      labels: 1,
      tolerations: [null, { key: 3 }],
      affinity: { nodeAffinity: [] },
      imagePullSecrets: [{}],
    };
    expect(toV2({ ...v1Test(), spec: oddV1 } as unknown as LocustTestV1).spec).toMatchObject({
      scheduling: { tolerations: [{}] },
    });
  });
});

describe("an edit in v1", () => {
  const edit = (spec: LocustTestSpec, change: (v1: LocustTestSpecV1) => object): LocustTestSpec | undefined => {
    const view = toV1(v2Test(spec));
    return toV2({ ...view, spec: { ...view.spec, ...change(view.spec as LocustTestSpecV1) } as LocustTestSpecV1 }).spec;
  };
  const without = (name: string) => () => ({ [name]: undefined });

  test.each<[string, object, object]>([
    ["the image", { image: "other:1" }, { image: "other:1" }],
    ["the policy", { imagePullPolicy: "Never" }, { imagePullPolicy: "Never" }],
    ["the pull secrets", { imagePullSecrets: ["a", "b"] }, { imagePullSecrets: [{ name: "a" }, { name: "b" }] }],
    ["the master's command", { masterCommandSeed: "-f x" }, { master: { ...richV2Spec.master, command: "-f x" } }],
    ["the workers' command", { workerCommandSeed: "-f x" }, { worker: { ...richV2Spec.worker, command: "-f x" } }],
    [
      "the master's labels",
      { labels: { master: { a: "b" } } },
      { master: { ...richV2Spec.master, labels: { a: "b" } } },
    ],
    [
      "the workers' annotations",
      { annotations: { worker: { a: "b" } } },
      { worker: { ...richV2Spec.worker, annotations: { a: "b" } } },
    ],
    ["the scripts", { configMap: "new" }, { testFiles: { ...richV2Spec.testFiles, configMapRef: "new" } }],
    ["the library", { libConfigMap: "lib" }, { testFiles: { ...richV2Spec.testFiles, libConfigMapRef: "lib" } }],
  ])("of %s changes that field alone", (_name, change, expected) => {
    expect(edit(richV2Spec, () => change)).toEqual({ ...richV2Spec, ...expected });
  });

  test("that removes a field removes it in v2, and the fields that v1 does not know stay", () => {
    const { imagePullPolicy: _, ...rest } = richV2Spec;
    expect(edit(richV2Spec, without("imagePullPolicy"))).toEqual(rest);
    const { configMapRef: __, ...paths } = richV2Spec.testFiles ?? {};
    expect(edit(richV2Spec, without("configMap"))).toEqual({ ...richV2Spec, testFiles: paths });
    const bare = { ...richV2Spec, testFiles: { configMapRef: "demo-scripts" } };
    expect(edit(bare, without("configMap"))).not.toHaveProperty("testFiles");
  });

  test("of tolerations keeps how long those hold that it leaves alone", () => {
    const more = { key: "load", operator: "Exists", effect: "NoSchedule" };
    const made = edit(richV2Spec, ({ tolerations = [] }) => ({ tolerations: [more, ...tolerations] }));
    expect(made?.scheduling).toEqual({
      ...richV2Spec.scheduling,
      tolerations: [more, { key: "spot", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }],
    });
    expect(edit(richV2Spec, without("tolerations"))?.scheduling).not.toHaveProperty("tolerations");
  });

  const labels = (map: object) => () => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: map } },
  });
  const requiredIn = (spec: LocustTestSpec | undefined) => {
    const { requiredDuringSchedulingIgnoredDuringExecution, ...rest } = spec?.scheduling?.affinity?.nodeAffinity ?? {};
    expect(rest).toEqual({
      preferredDuringSchedulingIgnoredDuringExecution:
        richV2Spec.scheduling?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    });
    return requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  };
  const notArm = { key: "arch", operator: "NotIn", values: ["arm64"] };

  test("of node labels keeps the expressions and preferences that v1 does not show", () => {
    expect(requiredIn(edit(richV2Spec, labels({ zone: "asia" })))).toEqual([
      { matchExpressions: [notArm, { key: "zone", operator: "In", values: ["asia"] }] },
    ]);
    expect(requiredIn(edit(richV2Spec, labels({ zone: "eu", disk: "ssd" })))).toEqual([
      {
        matchExpressions: [
          { key: "zone", operator: "In", values: ["eu", "us"] },
          notArm,
          { key: "disk", operator: "In", values: ["ssd"] },
        ],
      },
    ]);
    expect(requiredIn(edit(richV2Spec, without("affinity")))).toEqual([{ matchExpressions: [notArm] }]);
  });

  test("that takes the last node label away leaves no term behind, which would match no node", () => {
    const one = withTerms([{ matchExpressions: [{ key: "zone", operator: "In", values: ["eu"] }] }]);
    expect(
      edit({ ...one, scheduling: { ...one.scheduling, nodeSelector: { a: "b" } } }, without("affinity"))?.scheduling,
    ).toEqual({
      nodeSelector: { a: "b" },
    });
    expect(edit(one, without("affinity"))).not.toHaveProperty("scheduling");
  });

  test("of node labels that stood in several terms makes one term of them", () => {
    const zone = (name: string) => ({ matchExpressions: [{ key: "zone", operator: "In", values: [name] }] });
    const made = edit(withTerms([zone("eu"), zone("us")]), labels({ zone: "asia" }));
    expect(made?.scheduling).toEqual(withTerms([zone("asia")]).scheduling);
  });
});

function withTerms(nodeSelectorTerms: object[]): LocustTestSpec {
  const required = { nodeSelectorTerms } as never; // the types of expressions are texts here
  return {
    ...plainV2Spec,
    scheduling: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } },
  };
}
