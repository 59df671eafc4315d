import { createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { realWorld } from "./real-world.ts";
import { Site } from "./site.ts";
import { controllers } from "./suite.ts";

const assets = assetsFor("packages/runtime: controllers");

describe.skipIf(assets === undefined)("on a real API server", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    const client = createClient({ transport: httpTransport(connection), clock: systemClock, random: systemRandom });
    await client.create(CustomResourceDefinition, toCrd(Site) as unknown as CustomResourceDefinition);
    await client.close();
  });
  afterAll(() => plane?.stop());

  controllers(() => realWorld(plane));
});
