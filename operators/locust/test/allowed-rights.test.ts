import { Job, Pod, Secret, Service } from "@telltale/kinds/builtin";
import { controller, done, excess, type PolicyRule, rbacManifests, rbacRules } from "@telltale/runtime";
import { describe, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { locustOperator } from "../src/operator.ts";
import { leaseRights, operatorRights } from "./allowed-rights.ts";

/** As the controller is declared; what it does plays no part in its rights. */
const declared = controller(LocustTest)
  .owns(Job, { verbs: ["create", "delete", "patch"] })
  .owns(Service, { verbs: ["create", "delete"] })
  .reads(Pod)
  .finalize(async () => done);
const standIn = (it: typeof declared) => it.reconcile({ observe: () => 0, status: () => {} });
const rules = (it: typeof declared) => rbacRules([standIn(it)], { events: "v1" });

describe("the rights that the declarations ask for", () => {
  test("are within the table of section 18.1 for the operator as it is", () => {
    const transport = { send: () => Promise.reject(new Error("nobody asks")), close: async () => {} };
    const controllers = locustOperator({ config: standardConfig, transport });
    expect(excess(rbacRules(controllers, { events: "v1" }), operatorRights())).toEqual([]);
  });

  test("have the proxy to pods where masters are read through it, and nowhere else", () => {
    const transport = { send: () => Promise.reject(new Error("nobody asks")), close: async () => {} };
    const beyond = (mode: "api-proxy" | "service") => {
      const config = { ...standardConfig, telemetry: { ...standardConfig.telemetry, mode } };
      return excess(rbacRules(locustOperator({ config, transport }), { events: "v1" }), operatorRights());
    };
    expect(beyond("api-proxy")).toEqual(["get pods/proxy"]);
    expect(beyond("service")).toEqual([]);
  });

  test("are within the table of section 18.1", () => {
    expect(rules(declared).length).toBeGreaterThan(0);
    expect(excess(rules(declared), operatorRights())).toEqual([]);
  });

  test("stand out where they are not", () => {
    expect(excess(rules(declared.reads(Secret)), operatorRights())).toEqual([
      "get secrets",
      "list secrets",
      "watch secrets",
    ]);
    expect(excess(rules(declared.writes(Pod, "delete")), operatorRights())).toEqual(["delete pods"]);
    expect(excess(rules(declared.owns(Service, { verbs: ["patch"] })), operatorRights())).toEqual(["patch services"]);
    expect(excess(rbacRules([standIn(declared)], {}), operatorRights())).toEqual([
      "create events.events.k8s.io",
      "patch events.events.k8s.io",
    ]);
  });

  test("of leader election are within the Role of the operator's namespace", () => {
    const manifests = rbacManifests({
      name: "locust-k8s-operator",
      namespace: "operators",
      controllers: [standIn(declared)],
      replicas: { as: "lease", namespace: "operators", lease: "locust-k8s-operator.locust.io" },
      events: "v1",
    });
    const of = (kind: string) =>
      manifests.flatMap((manifest) => (manifest.kind === kind && "rules" in manifest ? (manifest.rules ?? []) : []));
    expect(of("Role").length).toBeGreaterThan(0);
    expect(excess(of("Role"), leaseRights)).toEqual([]);
    expect(excess(of("ClusterRole"), operatorRights())).toEqual([]);
  });
});

describe("the table", () => {
  const has = (list: readonly PolicyRule[], resource: string) =>
    list.some(({ resources = [] }) => resources.includes(resource));

  test("has the proxy and the reviews only where they are needed", () => {
    expect(has(operatorRights(), "pods/proxy")).toBe(false);
    expect(has(operatorRights({ apiProxy: true }), "pods/proxy")).toBe(true);
    expect(has(operatorRights(), "tokenreviews")).toBe(false);
    expect(has(operatorRights({ protectedMetrics: true }), "subjectaccessreviews")).toBe(true);
  });

  test("has no Secret, ConfigMap, log, exec or node, and no wildcard, whatever is switched on", () => {
    const all = operatorRights({ apiProxy: true, protectedMetrics: true });
    for (const resource of ["secrets", "configmaps", "pods/log", "pods/exec", "nodes", "*"]) {
      expect(has(all, resource)).toBe(false);
    }
    expect(all.flatMap(({ verbs }) => verbs)).not.toContain("*");
  });
});
