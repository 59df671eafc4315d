import { expect, test } from "vitest";
import { runnerSelection } from "./selection.ts";

test("a runner of the whole cluster runs everything, one of a namespace or a filter only what is made there", () => {
  expect(runnerSelection({})).toEqual({});
  expect(runnerSelection({ namespace: "t1" })).toEqual({
    label: "capt.infrastructure.cluster.x-k8s.io/apply-namespace=t1",
  });
  expect(runnerSelection({ namespace: "t1", watchFilter: "blue" })).toEqual({
    label: "capt.infrastructure.cluster.x-k8s.io/apply-namespace=t1,cluster.x-k8s.io/watch-filter=blue",
  });
});
