import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ask, definitions, definitionTests, given } from "./definitions.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({
    listen: false,
    clock: new VirtualClock(),
    random: seededRandom(1),
    authorization: "always-allow",
    objects: given() as readonly KubeObject[],
  });
});
afterAll(() => server.stop());

const ask: Ask = async (method, path, body, headers = {}) => {
  const answer = await server.client({
    method,
    path,
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: JSON.parse(answer.body) };
};

describe("the embedded server", () => definitionTests(ask));

describe("the definitions", () => {
  const contract = { "cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta1" };
  const [infrastructure, controlPlane] = ["infrastructure-capt", "control-plane-capt"].map((provider) => ({
    "cluster.x-k8s.io/provider": provider,
  }));

  test("2.1 carry the labels of the contracts that they satisfy", () => {
    const labels = Object.fromEntries(definitions().map(({ metadata, spec }) => [spec.names.plural, metadata?.labels]));
    expect(labels).toEqual({
      captclusters: { ...contract, ...infrastructure },
      captclustertemplates: { ...contract, ...infrastructure },
      captmachines: { ...contract, ...infrastructure },
      captmachinetemplates: { ...contract, ...infrastructure },
      captcontrolplanes: { ...contract, ...controlPlane },
      captcontrolplanetemplates: { ...contract, ...controlPlane },
      captmachinesets: infrastructure,
      captmachinedeployments: infrastructure,
      workspacetemplates: infrastructure,
      workspacetemplateapplies: infrastructure,
      workspaces: undefined,
      clusters: undefined,
    });
  });

  test("API-9 all kinds that are ours are in a namespace", () => {
    const outside = definitions().filter(({ spec }) => spec.scope !== "Namespaced");
    expect(outside.map(({ metadata }) => metadata?.name)).toEqual(["workspaces.tf.upbound.io"]);
  });
});
