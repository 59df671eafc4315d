// What the simulation has found in sets.
import { replay } from "@telltale/simulation";
import { expect, test } from "vitest";
import { surged } from "./sets.scenarios.ts";

test("a revision that is somebody else's is not taken, though it has the name and the template of ours", async () => {
  const on = "/apps/controllerrevisions/default/web-57c859568b";
  const fault = { p: "P30", how: "replaced", write: 19, on, kind: "ControllerRevision", at: "/revision" };
  const { violations } = await replay(surged, { seed: 50001, faults: [fault] });
  expect(violations).toEqual([]);
});
