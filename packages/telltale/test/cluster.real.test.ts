// Every operator installed, run as its own account, looked at and taken away, on a real kube-apiserver.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { chosen } from "../src/operators/table.ts";
import { live } from "./life.ts";
import { told } from "./told.ts";

const assets = assetsFor("telltale against a real cluster");

describe.skipIf(assets === undefined)("a real cluster", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
  });
  afterAll(() => plane?.stop());

  test.each([
    ["locust", "minimal.yaml", /LocustTest minimal .*Pending/, /LocustTest default\/minimal is on its way/],
    [
      "bindy",
      "bind9-cluster.yaml",
      /Bind9Instance production-dns-primary-0 /,
      /Bind9Cluster default\/production-dns is on its way/,
    ],
    ["capt", "minimal.yaml", /CAPTCluster demo-net .*VPC /, /CAPTControlPlane/],
    ["virtrigaud", "machine.yaml", /VirtualMachine web .*Pending/, /Provider default\/box is on its way/],
  ])(
    "%s is installed, runs with its own rights and nothing more, and is taken away",
    async (name, sample, isThere, why) => {
      const [operator] = await chosen(name);
      if (operator === undefined) throw new Error(`there is no ${name}`);
      const life = await live(operator, plane.kubeconfig, sample, isThere);
      expect(life.complaints).toEqual([]);
      expect(life.install).toMatch(/CustomResourceDefinition .*\n/);
      expect(life.why).toMatch(why);
      expect(life.ready).toBe("ok");
      expect(life.metrics).toContain("controller_runtime_reconcile_total");
      expect(life.code).toBe(0);
      expect(life.uninstall).toMatch(new RegExp(`Namespace ${operator.namespace}`));
    },
  );

  test("who lacks a definition or a right hears of it in one line, with the command that brings it", async () => {
    const at = ["--kubeconfig", plane.kubeconfig];
    expect(await told(["run", "--operators", "locust", ...at])).toMatchObject({
      code: 1,
      err: "telltale: locust: the cluster does not know locusttests.locust.io; telltale install locust\n",
    });
    expect((await told(["run", ...at])).err).toContain(
      "no operator is installed in this cluster; telltale install all",
    );
  });
});
