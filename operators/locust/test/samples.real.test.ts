// What only a real kube-apiserver can say: that kubectl applies the samples without a warning, and that it keeps every field
// of what is built from them.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toCrd } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, send, startControlPlane, until } from "../../../tools/envtest/envtest.ts";
import { buildJob, buildService } from "../src/build/index.ts";
import { type Config, standardConfig } from "../src/config.ts";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { userRoles } from "../src/manifests/index.ts";

const assets = assetsFor("the samples of operators/locust");
const folder = fileURLToPath(new URL("../samples/", import.meta.url));
const tests = "/apis/locust.io/v2/namespaces/default/locusttests";

/** In the server's own writing: it makes `1` of `1000m`. */
const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "2Gi" } };

/** Everything that a configuration can add to what is built. */
const config: Config = {
  ...standardConfig,
  resources: { master: resources, worker: resources },
  jobTtl: 0,
  affinityInjection: true,
  tolerationInjection: true,
  telemetry: { ...standardConfig.telemetry, mode: "service" },
  kafka: {
    bootstrapServers: "kafka:9092",
    securityEnabled: true,
    securityProtocol: "SASL_SSL",
    saslMechanism: "PLAIN",
    credentialsSecret: "kafka",
  },
};

describe.skipIf(assets === undefined)("the samples on a real API server", () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    await send(plane, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", toCrd(LocustTest));
    await until(
      "LocustTest is served",
      () => send(plane, "GET", tests),
      ({ status }) => status === 200,
    );
  });
  afterAll(() => plane?.stop());

  const kubectl = (...args: string[]) =>
    spawnSync(join(assets ?? "", "kubectl"), ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" });

  test.each(["minimal", "failing", "full", "network-policy"])("%s.yaml is applied without a warning", (name) => {
    const { status, stderr, stdout } = kubectl("apply", "-f", join(folder, `${name}.yaml`));
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("created");
  });

  test.each(["minimal", "full"])("every field that is built from %s.yaml is kept", async (name) => {
    const it = (await send(plane, "GET", `${tests}/${name}`)).body as LocustTest;
    const jobs = "/apis/batch/v1/namespaces/default/jobs?fieldValidation=Strict";
    for (const [path, built] of [
      ["/api/v1/namespaces/default/services?fieldValidation=Strict", buildService(it, config)],
      [jobs, buildJob(it, "master", config)],
      [jobs, buildJob(it, "worker", config)],
    ] as const) {
      const { status, body, warnings } = await send(plane, "POST", path, built);
      expect([status, warnings], JSON.stringify(body)).toEqual([201, []]);
      expect(body).toMatchObject(built);
    }
  });

  test("the roles for users are accepted", async () => {
    for (const role of userRoles()) {
      const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles?fieldValidation=Strict";
      expect((await send(plane, "POST", path, role)).status).toBe(201);
    }
  });
});
