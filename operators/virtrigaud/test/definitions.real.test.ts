// Our definitions on a real kube-apiserver, which checks them as nobody else does, and prints them by kubectl.
import { spawnSync } from "node:child_process";
import { request } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, send, startControlPlane, until } from "../../../tools/envtest/envtest.ts";
import { Provider, virtrigaudCrds, virtrigaudKinds } from "../src/kinds/index.ts";
import { buildDeployment } from "../src/provider/deployment.ts";
import { type Answer, type Ask, definitionTests } from "./definitions.ts";
import { providerSpec } from "./stage.ts";

const assets = assetsFor("the definitions of operators/virtrigaud");
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe.skipIf(assets === undefined)("a real API server", () => {
  let plane: ControlPlane;

  const ask: Ask = (method, path, body, headers = {}) =>
    headers["accept"] === undefined
      ? send(plane, method, path, body, headers["content-type"])
      : read(plane, path, headers["accept"]);

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    for (const crd of virtrigaudCrds()) {
      const { status, body, warnings } = await send(plane, "POST", `${crds}?fieldValidation=Strict`, crd);
      expect([status, warnings], JSON.stringify(body)).toEqual([201, []]);
      const path = `/apis/${crd.spec.group}/${crd.spec.versions[0]?.name}/${crd.spec.names.plural}`;
      await until(
        `${path} is served`,
        () => send(plane, "GET", path),
        ({ status }) => status === 200,
      );
    }
  });
  afterAll(() => plane?.stop());

  definitionTests(ask);

  const kubectl = (...args: readonly string[]) =>
    spawnSync(join(assets ?? "", "kubectl"), ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" });

  test("the Deployment of an older version gets its strategy by a patch, as an apply alone is refused", async () => {
    const { apiVersion, kind } = Provider;
    const provider = { apiVersion, kind, metadata: { name: "box", namespace: "default" }, spec: providerSpec };
    const desired = buildDeployment(provider, []);
    const { strategy, ...older } = desired.spec ?? {};
    const path = `/apis/apps/v1/namespaces/default/deployments/${desired.metadata?.name}?fieldManager=virtrigaud`;
    const apply = (body: object) => send(plane, "PATCH", `${path}&force=true`, body, "application/apply-patch+yaml");
    expect((await apply({ ...desired, spec: older })).status).toBe(201);
    expect((await apply(desired)).body).toMatchObject({ code: 422, message: expect.stringContaining("rollingUpdate") });
    const patch = [{ op: "replace", path: "/spec/strategy", value: strategy }];
    expect((await send(plane, "PATCH", path, patch, "application/json-patch+json")).status).toBe(200);
    expect(await apply(desired)).toMatchObject({ status: 200, body: { spec: { strategy: { type: "Recreate" } } } });
  });

  test("kubectl knows the short names", () => {
    for (const { shortNames } of virtrigaudKinds)
      for (const name of shortNames) expect(kubectl("get", name).status, name).toBe(0);
  });

  test("D the minimal manifests are accepted", () => {
    kubectl("create", "namespace", "minimal");
    const file = fileURLToPath(new URL("minimal.yaml", import.meta.url));
    const { status, stderr } = kubectl("apply", "--validate=strict", "-n", "minimal", "-f", file);
    expect(status, stderr).toBe(0);
  });

  test.each(["machine.yaml", "adoption.yaml"])("the sample %s is accepted", (name) => {
    const file = fileURLToPath(new URL(`../samples/${name}`, import.meta.url));
    const { status, stderr } = kubectl("apply", "--validate=strict", "-f", file);
    expect(status, stderr).toBe(0);
  });
});

/** `send` asks for JSON; a table has a name of its own. */
function read({ url, token, ca }: ControlPlane, path: string, accept: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept };
    const sent = request(`${url}${path}`, { ca, agent: false, headers }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sent.once("error", reject);
    sent.end();
  });
}
