// What we hand to clusterctl, on a real kube-apiserver: every object is taken as it is, without a warning.
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, send, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { standardConfig } from "../src/config.ts";
import { components } from "../src/manifests/index.ts";

const assets = assetsFor("the components of operators/capt");

const paths: Readonly<Record<string, (namespace: string) => string>> = {
  Namespace: () => "/api/v1/namespaces",
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  CustomResourceDefinition: () => "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  ValidatingAdmissionPolicy: () => "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: () => "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
  ClusterRole: () => "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: () => "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
  Deployment: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
};

describe.skipIf(assets === undefined)("a real API server takes the components of", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    await send(plane, "POST", "/api/v1/namespaces", { metadata: { name: "t1" } });
  });
  afterAll(() => plane?.stop());

  test.each([
    ["the infrastructure provider", "infrastructure", "capt-system", standardConfig],
    [
      "the control plane provider",
      "control-plane",
      "capt-control-plane-system",
      { ...standardConfig, namespaces: ["t1"] },
    ],
  ] as const)("%s", async (_, provider, namespace, config) => {
    const args = ["--leader-elect=true"];
    const image = "example.com/capt:1";
    for (const object of components({ provider, namespace, config, image, args, withWorkspaces: true })) {
      const path = paths[object.kind ?? ""]?.(object.metadata?.namespace ?? "");
      const { status, body, warnings } = await send(plane, "POST", `${path}?fieldValidation=Strict`, object);
      expect([status, warnings], JSON.stringify(body)).toEqual([201, []]);
      expect(kept(body as KubeObject), `${object.kind} ${object.metadata?.name}`).toMatchObject(kept(object));
    }
  });
});

/** Without what a server adds to names by itself. */
const kept = ({ metadata, ...rest }: KubeObject): object => ({ ...rest, metadata: { labels: metadata?.labels } });
