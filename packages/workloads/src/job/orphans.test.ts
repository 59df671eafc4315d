import { expect, it } from "vitest";
import { job, running, time } from "../../test/job/samples.ts";
import { isCounted } from "./orphans.ts";

const owned = (owner: object) => {
  const pod = running("a");
  const reference = { apiVersion: "batch/v1", kind: "Job", name: "it", uid: "job", controller: true, ...owner };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [reference] } };
};

it("a pod is counted as long as its very Job is there and has not ended", () => {
  const ended = { conditions: [{ type: "Complete", status: "True", lastTransitionTime: time(1) }] };
  expect(isCounted(owned({}), job())).toBe(true);
  expect(isCounted(owned({}), undefined)).toBe(false);
  expect(isCounted(owned({ uid: "earlier" }), job())).toBe(false);
  expect(isCounted(owned({}), job({}, ended))).toBe(false);
  expect(isCounted(running("a"), undefined)).toBe(false);
});

it("pods of other controllers are left to them", () => {
  expect(isCounted(owned({ apiVersion: "example.com/v1" }), undefined)).toBe(true);
  const done = { conditions: [{ type: "Complete", status: "True" }] };
  expect(isCounted(owned({}), job({ managedBy: "example.com/other" }, done))).toBe(true);
});
