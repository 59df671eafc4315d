// Names that do not fit into a label.
import { afterEach, expect, test } from "vitest";
import { WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { labels, labelValue } from "../src/names.ts";
import { anyCluster } from "../src/server.ts";
import { apply, end, fresh, it, says, template } from "./apply-stage.ts";

afterEach(end);

test("A2 an apply finds its Cluster by a label that is too short for its name", async () => {
  await fresh();
  await template();
  const name = "c".repeat(80);
  await it.make(anyCluster(it.kinds), { metadata: { name }, spec: { paused: true } });
  await apply({}, "demo-vpc", { labels: { [labels.clusterName]: labelValue(name) } });
  expect(await says("Paused")).toBe("True Paused Cluster spec.paused is true");
  expect(await it.list(WorkspaceTemplateApply)).toHaveLength(1);
});
