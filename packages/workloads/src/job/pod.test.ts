import { describe, expect, it } from "vitest";
import { indexed, job } from "../../test/job/samples.ts";
import { podOf } from "./pod.ts";

const template = {
  metadata: { labels: { app: "it" }, finalizers: ["example.test/mine"] },
  spec: {
    restartPolicy: "Never",
    initContainers: [{ name: "init", image: "i" }],
    containers: [
      { name: "main", image: "i", env: [{ name: "A", value: "1" }] },
      { name: "own", image: "i", env: [{ name: "JOB_COMPLETION_INDEX", value: "x" }] },
    ],
  },
};

describe("a pod of a Job", () => {
  it("is of the template, and held until it is counted", () => {
    expect(podOf(job({ template }), {})).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        generateName: "it-",
        labels: { app: "it" },
        finalizers: ["example.test/mine", "batch.kubernetes.io/job-tracking"],
      },
      spec: template.spec,
    });
  });

  it("has a place in an Indexed Job, and its containers know it", () => {
    const made = podOf(indexed({ template }), { index: 2 });
    const place = { "batch.kubernetes.io/job-completion-index": "2" };
    expect(made.metadata).toMatchObject({ generateName: "it-2-", labels: { app: "it", ...place }, annotations: place });
    expect(made.spec?.hostname).toBe("it-2");
    const fieldPath = "metadata.labels['batch.kubernetes.io/job-completion-index']";
    const told = { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath } } };
    expect(made.spec?.containers.map(({ env }) => env)).toEqual([
      [{ name: "A", value: "1" }, told],
      [{ name: "JOB_COMPLETION_INDEX", value: "x" }],
    ]);
    expect(made.spec?.initContainers?.[0]?.env).toEqual([told]);
  });

  it("knows of the failures before it where each index has a limit", () => {
    const annotations = (failures: { counted: number; ignored: number }) =>
      podOf(indexed(), { index: 0, failures }).metadata?.annotations;
    expect(annotations({ counted: 0, ignored: 0 })).toEqual({
      "batch.kubernetes.io/job-completion-index": "0",
      "batch.kubernetes.io/job-index-failure-count": "0",
    });
    expect(annotations({ counted: 1, ignored: 2 })).toMatchObject({
      "batch.kubernetes.io/job-index-failure-count": "1",
      "batch.kubernetes.io/job-index-ignored-failure-count": "2",
    });
  });

  it("keeps its index in its name, however long the name of the Job", () => {
    const made = podOf({ ...indexed(), metadata: { name: "x".repeat(60) } }, { index: 12 });
    expect(made.metadata?.generateName).toBe(`${"x".repeat(54)}-12-`);
  });
});
