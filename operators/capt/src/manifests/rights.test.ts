import { excess, type PolicyRule } from "@telltale/runtime";
import { describe, expect, test } from "vitest";
import { type Config, standardConfig } from "../config.ts";
import {
  bridgeMachineRights,
  bridgeRights,
  detectionRights,
  leaseRights,
  machineRights,
  managerRights,
  runnerRights,
  secretRights,
  workspaceRights,
} from "./rights.ts";
import { type RoleOptions, roles } from "./roles.ts";

const everything: readonly PolicyRule[] = [
  ...managerRights,
  ...workspaceRights,
  ...detectionRights,
  ...bridgeRights,
  ...bridgeMachineRights,
  ...runnerRights,
  ...machineRights,
  ...leaseRights,
  ...secretRights,
];

describe("the rights of all parts together", () => {
  const verbsOn = (resource: string) =>
    everything.flatMap(({ resources = [], verbs }) => (resources.includes(resource) ? verbs : []));

  test("13.1 have no wildcard, and nothing that reaches into pods, nodes or other people's rights", () => {
    const words = everything.flatMap(({ apiGroups = [], resources = [], verbs }) => [
      ...apiGroups,
      ...resources,
      ...verbs,
    ]);
    for (const word of ["*", "pods/exec", "pods", "nodes", "impersonate", "escalate", "bind"])
      expect(words).not.toContain(word);
  });

  test("13.1 update nothing but finalizers", () => {
    const updated = everything.flatMap(({ resources = [], verbs }) => (verbs.includes("update") ? resources : []));
    expect(updated.filter((resource) => !resource.endsWith("/finalizers"))).toEqual([]);
  });

  test("13.1 see no list of Secrets", () => {
    expect([...new Set(verbsOn("secrets"))].sort()).toEqual(["create", "delete", "get", "patch"]);
  });

  test("10.7 write the status of a Workspace by the runner alone, and a Cluster by the bridge alone", () => {
    const others = (own: readonly PolicyRule[]) => everything.filter((rule) => !own.includes(rule));
    const patches = (rules: readonly PolicyRule[], resource: string) =>
      rules.some(({ resources = [], verbs }) => resources.includes(resource) && verbs.includes("patch"));
    expect(patches(runnerRights, "workspaces/status")).toBe(true);
    expect(patches(others(runnerRights), "workspaces/status")).toBe(false);
    for (const resource of ["clusters", "clusters/status"]) {
      expect(patches(bridgeRights, resource)).toBe(true);
      expect(patches(others(bridgeRights), resource)).toBe(false);
    }
  });
});

describe("the roles", () => {
  const of = (config: Partial<Config> = {}, more: Partial<RoleOptions> = {}) =>
    roles({ config: { ...standardConfig, ...config }, namespace: "capt-system", ...more });
  const named = (config?: Partial<Config>, more?: Partial<RoleOptions>) =>
    of(config, more).flatMap(({ kind, metadata }) =>
      kind === "Role" || kind === "ClusterRole"
        ? [`${metadata?.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata?.name}`]
        : [],
    );
  const rulesOf = (name: string, config?: Partial<Config>, more?: Partial<RoleOptions>) =>
    of(config, more).flatMap((it) => {
      const at = it.metadata?.namespace === undefined ? "" : `${it.metadata.namespace}/`;
      return "rules" in it && `${at}${it.metadata?.name}` === name ? (it.rules ?? []) : [];
    });

  test("are those of the parts that run", () => {
    expect(named()).toEqual([
      "capt-manager",
      "capt-cluster-bridge",
      "capt-runner",
      "capt-secrets",
      "capt-system/capt-operator",
    ]);
    expect(named({ clusterApiMode: "external" })).not.toContain("capt-cluster-bridge");
    expect(named({ runner: { ...standardConfig.runner, kind: "none" } })).not.toContain("capt-runner");
    expect(named({ controllers: ["infrastructure"] })).toEqual([
      "capt-manager",
      "capt-secrets",
      "capt-system/capt-operator",
    ]);
    expect(named({ controllers: ["cluster-bridge", "machines"] })).toContain("capt-machines");
    expect(rulesOf("capt-cluster-bridge")).not.toContainEqual(bridgeMachineRights[0]);
    expect(rulesOf("capt-cluster-bridge", { controllers: ["cluster-bridge", "machines"] })).toContainEqual(
      bridgeMachineRights[0],
    );
  });

  test("keep Secrets with the state of runs only where runs are", () => {
    const secrets = (config?: Partial<Config>) => excess(secretRights, rulesOf("capt-system/capt-operator", config));
    expect(secrets()).toEqual([]);
    expect(secrets({ controllers: ["infrastructure"] })).not.toEqual([]);
  });

  test("write Secrets only where a part does", () => {
    const verbs = (config: Partial<Config>) => rulesOf("capt-secrets", config).flatMap((it) => it.verbs);
    const none = { ...standardConfig.runner, kind: "none" } as const;
    expect(verbs({})).toEqual(["get", "create", "patch", "delete"]);
    expect(verbs({ controllers: ["infrastructure"] })).toEqual(["get"]);
    expect(verbs({ controllers: ["infrastructure", "workspace-runner"], runner: none })).toEqual(["get"]);
    expect(verbs({ controllers: ["control-plane"] })).toEqual(["get", "create", "patch", "delete"]);
    expect(verbs({ controllers: ["workspace-runner"] })).toEqual(["get", "create", "patch", "delete"]);
  });

  test("reach no Secret outside of the namespaces that are named", () => {
    const config = { namespaces: ["t1", "t2"], allowedSecretNamespaces: ["t2", "shared"] };
    const reached = of(config).flatMap((it) =>
      "rules" in it && it.rules?.some(({ resources = [] }) => resources.includes("secrets"))
        ? [`${it.kind} ${it.metadata?.namespace ?? "everywhere"}`]
        : [],
    );
    expect(reached).toEqual(["Role t1", "Role t2", "Role shared", "Role capt-system"]);
  });

  test("stay in the namespaces that are watched, but for what is in none", () => {
    const config = { namespaces: ["t1"], allowedSecretNamespaces: ["shared"] };
    expect(named(config)).toEqual([
      "t1/capt-manager",
      "capt-manager",
      "t1/capt-cluster-bridge",
      "t1/capt-runner",
      "capt-runner",
      "t1/capt-secrets",
      "shared/capt-secrets",
      "default/capt-events",
      "capt-system/capt-operator",
    ]);
    expect(named(config, { workspaces: "Namespaced" })).not.toContain("default/capt-events");
    expect(rulesOf("t1/capt-manager", config)).toEqual(managerRights);
    expect(rulesOf("capt-manager", config)).toEqual([...workspaceRights, ...detectionRights]);
    expect(rulesOf("shared/capt-secrets", config)).toEqual(secretRights);
    expect(rulesOf("capt-manager", config, { workspaces: "Namespaced" })).toEqual(detectionRights);
  });

  test("are held by the operator's account, each by its own binding, and know their provider", () => {
    const all = of({ namespaces: ["t1"] }, { provider: "control-plane" });
    const held = all.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
    for (const it of held) {
      const binding = all.find(
        ({ kind, metadata }) =>
          kind === `${it.kind}Binding` &&
          metadata?.namespace === it.metadata?.namespace &&
          metadata?.name === it.metadata?.name,
      );
      expect(binding).toMatchObject({
        roleRef: { kind: it.kind, name: it.metadata?.name },
        subjects: [{ kind: "ServiceAccount", name: "capt-control-plane", namespace: "capt-system" }],
      });
    }
    for (const { metadata } of all)
      expect(metadata?.labels).toEqual({ "cluster.x-k8s.io/provider": "control-plane-capt" });
  });
});
