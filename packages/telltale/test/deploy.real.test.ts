// The plain manifests on a real kube-apiserver, by kubectl, in namespaces that take only what fits the restricted profile.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { operators } from "../src/operators/table.ts";

const assets = assetsFor("the plain manifests on a real cluster");
const manifests = fileURLToPath(new URL("../../../deploy/manifests/", import.meta.url));

describe.skipIf(assets === undefined)("a real cluster", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
  });
  afterAll(() => plane?.stop());

  const apply = (argv: readonly string[], input = "") => {
    const all = ["--kubeconfig", plane.kubeconfig, "apply", "--server-side", ...argv];
    const { status, stderr } = spawnSync(join(assets ?? "", "kubectl"), all, { encoding: "utf8", input });
    return { status, stderr };
  };
  const well = { status: 0, stderr: "" };

  test.each(operators)("takes $name, and warns of nothing", ({ name }) => {
    // A server says of a Deployment what its pods lack where it is to warn.
    const labels = { "pod-security.kubernetes.io/warn": "restricted" };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: `${name}-system`, labels } };
    expect(apply(["--field-manager=test", "-f", "-"], JSON.stringify(namespace))).toEqual(well);
    const file = join(manifests, `${name}.yaml`);
    expect(apply(["--validate=strict", "-f", file])).toEqual(well);
  });
});
