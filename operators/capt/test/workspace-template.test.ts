// Section 6.1: what a template says of itself.
import { afterEach, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { WorkspaceTemplate } from "../src/kinds/index.ts";
import { finalizers } from "../src/names.ts";
import { workspaceTemplates } from "../src/workspace-template/controller.ts";
import { namespace, type Stage, stage } from "./stage.ts";

let it: Stage;
afterEach(async () => {
  await it.end();
  expect(it.complaints).toEqual([]);
});

const make = (forProvider: object = {}, metadata: object = {}) =>
  it.make(WorkspaceTemplate, {
    metadata: { name: "vpc", ...metadata },
    spec: { template: { spec: { forProvider: { source: "Inline", module: "m", ...forProvider } } } },
  });
const valid = () => it.says(WorkspaceTemplate, "vpc", "Valid");

test("6.1 a template is valid, or says why not, and is never held back", async () => {
  it = await stage({ controllers: () => [workspaceTemplates(standardConfig)] });
  await make({ module: " " });
  expect(await valid()).toBe("False InvalidTemplate forProvider.module is empty");
  const merge = { spec: { template: { spec: { forProvider: { module: "m" } } } } };
  await it.client.patch(WorkspaceTemplate, { name: "vpc", namespace }, { merge });
  await it.pass(2_000);
  expect(await valid()).toBe("True Valid the template can be rendered");
  const found = await it.get(WorkspaceTemplate, "vpc");
  expect(found?.metadata.finalizers).toBeUndefined();
  expect(found?.status?.workspaceName).toBeUndefined();
  it.writes();
  await it.pass(36_000_000);
  expect(it.writes()).toEqual([]);
  await it.remove(WorkspaceTemplate, "vpc");
  expect(await it.get(WorkspaceTemplate, "vpc")).toBeUndefined();
});

test.each(["while it is there", "while it goes"])(
  "2.2 the finalizer of an older installation is taken away %s",
  async (when) => {
    it = await stage({ controllers: () => [workspaceTemplates(standardConfig)] });
    await it.halt();
    await make({}, { finalizers: [finalizers.workspaceTemplateLegacy, "example.com/other"] });
    if (when === "while it goes") await it.remove(WorkspaceTemplate, "vpc");
    await it.restart();
    expect((await it.get(WorkspaceTemplate, "vpc"))?.metadata.finalizers).toEqual(["example.com/other"]);
  },
);
