// The CRDs as files, for those who install without this package: `npx vitest run operators/bindy/test/crds.test.ts -u` writes them.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { describe, expect, test } from "vitest";
import { bindyCrds } from "../src/manifests/crds.ts";
import { toYaml } from "../src/manifests/yaml.ts";

const folder = new URL("../deploy/crds/", import.meta.url);
const fileOf = (plural: string) => `${plural}.crd.yaml`;

describe("A-110 deploy/crds", () => {
  test.each(bindyCrds().map((crd) => [crd.spec.names.plural, crd] as const))(
    "%s is what the kind says, and smaller than 256 KiB",
    async (plural, crd) => {
      const text = toYaml(crd);
      await expect(text).toMatchFileSnapshot(fileURLToPath(new URL(fileOf(plural), folder)));
      expect(JSON.stringify(crd).length).toBeLessThan(256 * 1024);
    },
  );

  test("has no other file, and every file is accepted by a server", async () => {
    const files = readdirSync(folder).sort();
    expect(files).toEqual(
      bindyCrds()
        .map(({ spec }) => fileOf(spec.names.plural))
        .sort(),
    );
    const server = await startApiServer({
      listen: false,
      clock: new VirtualClock(),
      random: seededRandom(1),
      authorization: "always-allow",
    });
    for (const [i, crd] of bindyCrds().entries()) {
      const answer = await server.client({
        method: "POST",
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict",
        headers: { "content-type": "application/yaml", accept: "application/json" },
        body: readFileSync(new URL(fileOf(crd.spec.names.plural), folder), "utf8"),
      });
      expect(answer.status, files[i]).toBe(201);
      const { spec } = JSON.parse(answer.body);
      expect(spec.versions[0].schema).toEqual(crd.spec.versions[0]?.schema);
    }
    await server.stop();
  });
});
