import { expect, test } from "vitest";
import { chosen } from "../operators/table.ts";
import { rightsOf } from "./preflight.ts";

test("only what is bound to the account counts", async () => {
  const [bindy] = await chosen("bindy");
  const objects = bindy?.roles({ namespace: "bindy-system", settings: {}, webhooks: false }) ?? [];
  const rights = rightsOf(objects);
  expect(rights).toContainEqual({
    namespace: "",
    group: "",
    resource: "pods",
    subresource: "status",
    verb: "patch",
    name: "",
  });
  expect(rights).toContainEqual(expect.objectContaining({ resource: "leases", namespace: "bindy-system" }));
  // Of people who clean up, and of the nameservers' pods.
  expect(rights.map(({ verb }) => verb)).not.toContain("deletecollection");
  expect(rights.map(({ resource }) => resource)).not.toContain("tokenreviews");
});
