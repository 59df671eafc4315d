// B4: whoever is given an owner that is gone goes with it. What people made is tied only to a Cluster that the server still has, whatever
// the cache says; and it is tied once the server has it.
import { afterEach, expect, test } from "vitest";
import { type BridgeStage, bridgeStage } from "./bridge-stage.ts";

let it: BridgeStage;
afterEach(() => it.end());

test("B4 nothing is tied to a Cluster that only the cache has", async () => {
  let isGone = true;
  it = await bridgeStage({
    wrap: (way) => ({
      send(request) {
        const isAsked = isGone && request.method === "GET" && /\/clusters\/demo(\?|$)/.test(request.path);
        return way.send(isAsked ? { ...request, path: request.path.replace("/demo", "/gone") } : request);
      },
      close: () => way.close(),
    }),
  });
  await it.cluster();
  await it.network();
  await it.controlPlane();
  const owners = async () =>
    [await it.the.network(), await it.the.controlPlane()].map((object) => object?.metadata.ownerReferences?.length);
  expect(await owners()).toEqual([undefined, undefined]);
  isGone = false;
  await it.pass(60_000);
  expect(await owners()).toEqual([1, 1]);
});
