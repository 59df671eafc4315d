import { afterAll, beforeAll, describe } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { realGround } from "./cache/real.ts";
import { caches } from "./cache.ts";

const assets = assetsFor("caches on a real API server");

describe.skipIf(assets === undefined)("on a real API server", () => {
  let planes: readonly ControlPlane[] = [];

  beforeAll(async () => {
    planes = await Promise.all([1, 2].map(() => startControlPlane({ assets: assets ?? "" })));
  });
  afterAll(async () => {
    for (const plane of planes) await plane.stop();
  });

  const open = () => {
    const [plane, past] = planes;
    if (plane === undefined || past === undefined) throw new Error("the API servers did not start");
    return realGround(plane, past);
  };
  caches({ open, seeds: [1], steps: 30, many: 10_000 });
});
