import { expect, test } from "vitest";
import { runnerSelection } from "./selection.ts";

test("a runner of the whole cluster runs everything, one of some namespaces or a filter only what is made there", () => {
  expect(runnerSelection({})).toEqual({});
  expect(runnerSelection({ namespaces: ["t1", "t2"] })).toEqual({
    label: "capt.infrastructure.cluster.x-k8s.io/apply-namespace in (t1,t2)",
  });
  expect(runnerSelection({ namespaces: ["t1"], watchFilter: "blue" })).toEqual({
    label: "capt.infrastructure.cluster.x-k8s.io/apply-namespace in (t1),cluster.x-k8s.io/watch-filter=blue",
  });
});
