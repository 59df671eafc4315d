// Our definitions on a real kube-apiserver, which checks them as nobody else does, and prints them by kubectl.
import { spawnSync } from "node:child_process";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, send, startControlPlane, until } from "../../../tools/envtest/envtest.ts";
import { type Answer, type Ask, crds, definitions, definitionTests, given } from "./definitions.ts";

const assets = assetsFor("the definitions of operators/capt");
const policies = "/apis/admissionregistration.k8s.io/v1";
const paths: Readonly<Record<string, string>> = {
  CustomResourceDefinition: crds,
  ValidatingAdmissionPolicy: `${policies}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: `${policies}/validatingadmissionpolicybindings`,
};

describe.skipIf(assets === undefined)("a real API server", () => {
  let plane: ControlPlane;

  const ask: Ask = (method, path, body, headers = {}) =>
    headers["accept"] === undefined
      ? send(plane, method, path, body, headers["content-type"])
      : read(plane, path, headers["accept"]);

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    for (const object of given()) {
      const path = `${paths[object.kind ?? ""]}?fieldValidation=Strict`;
      const { status, body, warnings } = await send(plane, "POST", path, object);
      expect([status, warnings], JSON.stringify(body)).toEqual([201, []]);
    }
    for (const { spec } of definitions()) {
      const path = `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}`;
      await until(
        `${path} is served`,
        () => send(plane, "GET", path),
        ({ status }) => status === 200,
      );
    }
    // A real server hears of its own policies with a delay.
    const templates = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/namespaces/default/captclustertemplates";
    const template = (region: string) => ({
      apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
      kind: "CAPTClusterTemplate",
      metadata: { name: "probe" },
      spec: { template: { spec: { region } } },
    });
    await send(plane, "POST", templates, template("eu-west-1"));
    const regions = ["eu-west-2", "eu-west-1"];
    await until(
      "the policy is asked",
      () => {
        const [next = ""] = regions.reverse();
        return send(plane, "PATCH", `${templates}/probe`, template(next), "application/merge-patch+json");
      },
      ({ status }) => status === 422,
    );
  });
  afterAll(() => plane?.stop());

  definitionTests(ask);

  test("finds no fault with the policy", async () => {
    const { status } = (await ask("GET", `${policies}/validatingadmissionpolicies/capt-templates-do-not-change`))
      .body as { status?: { typeChecking?: { expressionWarnings?: unknown } } };
    expect(status?.typeChecking?.expressionWarnings).toBeUndefined();
  });

  test.each(["captcl", "captcp", "wtapply", "cl"])("kubectl knows %s", (short) => {
    const args = ["--kubeconfig", plane.kubeconfig, "get", short];
    const { status, stderr } = spawnSync(join(assets ?? "", "kubectl"), args, { encoding: "utf8" });
    expect([status, stderr.replace("No resources found in default namespace.\n", "")]).toEqual([0, ""]);
  });

  test("kubectl shows what the design shows", () => {
    const args = ["--kubeconfig", plane.kubeconfig, "get", "captcl,captcp", "test-cluster"];
    const { stdout } = spawnSync(join(assets ?? "", "kubectl"), args, { encoding: "utf8" });
    // Without the name, the age and the empty column after it.
    const cells = stdout.split("\n").map((line) => line.split(/\s+/).slice(1, -2).join(" "));
    expect(cells.filter((line) => line !== "")).toEqual([
      "VPC-ID READY ENDPOINT",
      "vpc-123456789 true 10.0.0.1:6443",
      "READY PHASE VERSION ENDPOINT",
      "true Ready 1.31 10.0.0.1:6443",
    ]);
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
