import { describe, expect, test } from "vitest";
import { demo, master } from "../../test/demo.ts";
import { type Config, standardConfig } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { notesOn } from "./notes.ts";
import { buildResources } from "./resources.ts";
import { buildScheduling } from "./scheduling.ts";

const tolerations = [{ key: "load", operator: "Exists" }];
const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "pool", operator: "In", values: ["load"] }] }],
    },
  },
};

const of = (scheduling: LocustTestSpec["scheduling"], config: Partial<Config> = {}) =>
  buildScheduling(demo({ ...(scheduling && { scheduling }) }).spec, { ...standardConfig, ...config });

describe("affinity and tolerations", () => {
  test("A103 are left out where the operator does not let tests choose, and that is said", () => {
    expect(of({ affinity, tolerations, nodeSelector: { pool: "load" } })).toEqual({ nodeSelector: { pool: "load" } });
    expect(notesOn(demo({ scheduling: { affinity, tolerations } }).spec, standardConfig)).toEqual([
      {
        reason: "SchedulingIgnored",
        message: "spec.scheduling.affinity is ignored: the operator runs without ENABLE_AFFINITY_CR_INJECTION",
      },
      {
        reason: "SchedulingIgnored",
        message:
          "spec.scheduling.tolerations is ignored: the operator runs without ENABLE_TAINT_TOLERATIONS_CR_INJECTION",
      },
    ]);
  });

  test("are applied where it does, each for itself, and then nothing is said", () => {
    const both = { affinityInjection: true, tolerationInjection: true };
    expect(of({ affinity, tolerations }, both)).toEqual({ affinity, tolerations });
    expect(of({ affinity, tolerations }, { affinityInjection: true })).toEqual({ affinity });
    expect(of({ affinity, tolerations }, { tolerationInjection: true })).toEqual({ tolerations });
    expect(notesOn(demo({ scheduling: { affinity, tolerations } }).spec, { ...standardConfig, ...both })).toEqual([]);
  });

  test("that are empty are not missed", () => {
    expect(notesOn(demo({ scheduling: { affinity: {}, tolerations: [] } }).spec, standardConfig)).toEqual([]);
  });
});

test("A100 the runtime class is the test's, else the operator's, and an empty one is none", () => {
  const kata = { runtimeClass: "kata" };
  expect(of(undefined, kata)).toEqual({ runtimeClassName: "kata" });
  expect(of({}, kata)).toEqual({ runtimeClassName: "kata" });
  expect(of({ runtimeClassName: "" }, kata)).toEqual({});
  expect(of({ runtimeClassName: "gvisor" }, kata)).toEqual({ runtimeClassName: "gvisor" });
  expect(of({})).toEqual({});
});

test("an empty node selector is none", () => expect(of({ nodeSelector: {} })).toEqual({}));

describe("resources", () => {
  const resourcesOf = (own: LocustTestSpec["master"]["resources"], config: Partial<Config> = {}) =>
    buildResources(demo({ master: master({ ...(own && { resources: own }) }) }).spec, "master", {
      ...standardConfig,
      ...config,
    });

  test("A102 that the test names at all are its own as a whole", () => {
    expect(resourcesOf({ limits: { memory: "2Gi" } })).toEqual({ limits: { memory: "2Gi" } });
    expect(resourcesOf({ claims: [{ name: "gpu" }] })).toEqual({ claims: [{ name: "gpu" }] });
  });

  test("that the test leaves empty are the operator's, of this role", () => {
    for (const own of [undefined, {}, { requests: {} }]) {
      expect(resourcesOf(own)).toEqual(standardConfig.resources.master);
    }
    const only = { requests: { cpu: "1" }, limits: {} };
    const resources = { master: only, worker: standardConfig.resources.worker };
    expect(resourcesOf(undefined, { resources })).toEqual({ requests: { cpu: "1" } });
  });
});
