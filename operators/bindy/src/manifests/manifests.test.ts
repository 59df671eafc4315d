import { seededRandom, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { excess, type PolicyRule, rbacRules } from "@telltale/runtime";
import { describe, expect, it } from "vitest";
import { standardConfig } from "../config.ts";
import { bindyOperator } from "../operator.ts";
import { adminRights, bindyKinds, operatorRights, podPolicy, roles, secretRights, tokenReviewRights } from "./index.ts";

const verbsOn = (rules: readonly PolicyRule[], resource: string): readonly string[] =>
  rules.flatMap(({ resources = [], verbs }) => (resources.includes(resource) ? verbs : []));
const named = (objects: readonly KubeObject[], kind: string) =>
  objects.filter((it) => it.kind === kind).map(({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name}`);

describe("12.1 the rights of the operator", () => {
  it("have no Secret, no endpoint and no wildcard in the whole cluster", () => {
    expect(verbsOn(operatorRights, "secrets")).toEqual([]);
    expect(verbsOn(operatorRights, "endpoints")).toEqual([]);
    for (const { apiGroups, resources, verbs } of operatorRights)
      expect([...(apiGroups ?? []), ...(resources ?? []), ...verbs]).not.toContain("*");
  });

  it("are to make clusters and instances, and only to change what people make", () => {
    for (const { plural } of bindyKinds) {
      const isMade = ["bind9clusters", "bind9instances"].includes(plural);
      expect(verbsOn(operatorRights, plural).includes("create"), plural).toBe(isMade);
      expect(verbsOn(operatorRights, plural).includes("delete"), plural).toBe(isMade);
      expect(verbsOn(operatorRights, `${plural}/status`)).toEqual(["patch"]);
    }
  });

  it("reach to ReplicaSets, the status of pods and the finalizers of owners", () => {
    expect(verbsOn(operatorRights, "replicasets")).toEqual(["get", "list", "watch"]);
    expect(verbsOn(operatorRights, "pods/status")).toEqual(["patch"]);
    for (const plural of ["bind9globalclusters", "bind9clusters", "bind9instances"])
      expect(verbsOn(operatorRights, `${plural}/finalizers`)).toEqual(["update"]);
  });

  it("are all that its controllers ask for", () => {
    const options = { config: standardConfig, clock: new VirtualClock(), random: seededRandom(1) };
    // Nothing is sent before they run.
    const asked = rbacRules(bindyOperator({ ...options, transport: undefined as never }));
    expect(asked.length).toBeGreaterThan(0);
    expect(excess(asked, [...operatorRights, ...secretRights])).toEqual([]);
  });
});

describe("12.1 roles", () => {
  const all = roles({ operands: ["dns-b", "dns-a", "dns-a"] });

  it("have the names of the table, and Secrets in every namespace with instances", () => {
    expect(named(all, "ServiceAccount")).toEqual(["bindy-system/bindy"]);
    expect(named(all, "ClusterRole")).toEqual(["/bindy-role", "/bindcar-tokenreview", "/bindy-admin-role"]);
    expect(named(all, "ClusterRoleBinding")).toEqual(["/bindy-rolebinding", "/bindcar-tokenreview"]);
    expect(named(all, "Role")).toEqual([
      "bindy-system/bindy-leader",
      "dns-a/bindy-secrets-writer",
      "dns-b/bindy-secrets-writer",
    ]);
    expect(named(all, "RoleBinding")).toEqual(named(all, "Role"));
  });

  it("let the pods of every such namespace ask whose token they were shown, and nothing else", () => {
    const subjects = ["dns-a", "dns-b"].map((namespace) => ({ kind: "ServiceAccount", name: "bind9", namespace }));
    const binding = all.find(
      ({ kind, metadata }) => kind === "ClusterRoleBinding" && metadata?.name === "bindcar-tokenreview",
    );
    expect(binding).toMatchObject({ subjects });
    expect(tokenReviewRights).toEqual([
      { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
    ]);
  });

  it("have one for people who clean up, which the operator does not have", () => {
    for (const { plural } of bindyKinds) expect(verbsOn(adminRights, plural)).toEqual(["delete", "deletecollection"]);
    expect(verbsOn(adminRights, "secrets")).toEqual(["delete"]);
    const bound = all.flatMap((it) => ("roleRef" in it ? [it.roleRef.name] : []));
    expect(bound).not.toContain("bindy-admin-role");
  });
});

describe("12.5 the NetworkPolicy", () => {
  it("opens DNS to everybody and Bindcar to the operator", () => {
    expect(podPolicy({ namespace: "dns" }).spec).toEqual({
      podSelector: { matchLabels: { app: "bind9" } },
      policyTypes: ["Ingress"],
      ingress: [
        {
          ports: [
            { protocol: "TCP", port: 5353 },
            { protocol: "UDP", port: 5353 },
          ],
        },
        {
          from: [
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "bindy-system" } },
              podSelector: { matchLabels: { app: "bindy" } },
            },
          ],
          ports: [{ protocol: "TCP", port: 8080 }],
        },
      ],
    });
  });
});
