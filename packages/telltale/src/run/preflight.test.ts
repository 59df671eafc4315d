import { expect, test } from "vitest";
import { chosen } from "../operators/table.ts";
import { rbacCommand, rightsOf, sentenceOf } from "./preflight.ts";

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

test("the command that grants permissions carries the settings that they depend on, and no others", async () => {
  const [locust] = await chosen("locust");
  const options = { namespace: "load", webhooks: true };
  const settings = { WATCH_NAMESPACES: "team-a,team-b", LOG_LEVEL: "debug", PATH: "/bin" };
  if (locust === undefined) throw new Error("there is no locust");
  expect(rbacCommand(locust, { ...options, settings })).toBe(
    "rbac locust --namespace load --webhooks --locust.watch-namespaces=team-a,team-b",
  );
  expect(rbacCommand(locust, { namespace: "locust-system", webhooks: false, settings: {} })).toBe("rbac locust");
});

test("what is missing is one phrase for each resource, and the first three of them", () => {
  const right = { namespace: "", group: "", resource: "pods", subresource: "", verb: "get", name: "" };
  const missing = [
    right,
    { ...right, verb: "list" },
    { ...right, subresource: "proxy", namespace: "a" },
    { ...right, resource: "secrets", name: "key", verb: "patch" },
    { ...right, group: "apps", resource: "deployments" },
  ];
  expect(sentenceOf(missing)).toBe("get, list pods; get pods/proxy in a; patch secrets key (and 1 more)");
});
