// The definitions, roles and policies that are installed, on a real API server, and the files of the CRDs with kubectl.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, send, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { bindyCrds, podPolicy, roles } from "../src/manifests/index.ts";

const assets = assetsFor("the installation of operators/bindy");
const rbac = "/apis/rbac.authorization.k8s.io/v1";

const paths: Readonly<Record<string, (namespace: string) => string>> = {
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  CustomResourceDefinition: () => "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  ClusterRole: () => `${rbac}/clusterroles`,
  ClusterRoleBinding: () => `${rbac}/clusterrolebindings`,
  Role: (namespace) => `${rbac}/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `${rbac}/namespaces/${namespace}/rolebindings`,
  NetworkPolicy: (namespace) => `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`,
};

describe.skipIf(assets === undefined)("a real API server", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    for (const name of ["dns", "bindy-system"]) await send(plane, "POST", "/api/v1/namespaces", { metadata: { name } });
  });
  afterAll(() => plane?.stop());

  test("A-110 kubectl applies the files of deploy/crds, on its side and on the server's", () => {
    const folder = fileURLToPath(new URL("../deploy/crds", import.meta.url));
    for (const side of ["client", "server"]) {
      const args = ["--kubeconfig", plane.kubeconfig, "apply", `--dry-run=${side}`, "-f", folder];
      const { status, stderr, stdout } = spawnSync(join(assets ?? "", "kubectl"), args, { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout.trim().split("\n")).toHaveLength(12);
    }
  });

  test("takes everything that is installed, strictly and without a warning", async () => {
    const operands = ["bindy-system", "dns"];
    const policies = operands.map((namespace) => podPolicy({ namespace }));
    for (const object of [...bindyCrds(), ...roles({ operands }), ...policies] as readonly KubeObject[]) {
      const path = paths[object.kind ?? ""]?.(object.metadata?.namespace ?? "");
      const { status, body, warnings } = await send(plane, "POST", `${path}?fieldValidation=Strict`, object);
      expect([status, warnings], JSON.stringify(body)).toEqual([201, []]);
      const { metadata: _made, ...made } = body as KubeObject;
      const { metadata: _sent, ...sent } = object;
      expect(made, `${object.kind} ${object.metadata?.name}`).toMatchObject(sent);
    }
  });
});
