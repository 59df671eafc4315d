// The samples as a person applies them: the server takes each of them strictly, the operator finds nothing wrong with them, and
// the statuses in their comments could be written as they stand.
import { readdirSync, readFileSync } from "node:fs";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bindyCrds, bindyKinds } from "../src/manifests/crds.ts";
import { meanings } from "../src/meanings.ts";
import { pathOf } from "./definitions.ts";
import { problemOf } from "./problems.ts";

const folder = new URL("../samples/", import.meta.url);
const files = readdirSync(folder).sort();

describe("A-113", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer({
      listen: false,
      clock: new VirtualClock(),
      random: seededRandom(1),
      authorization: "always-allow",
      objects: bindyCrds() as readonly KubeObject[],
    });
  });
  afterAll(() => server.stop());

  test.each(files)("%s is accepted by the server and by the operator", async (file) => {
    for (const document of readFileSync(new URL(file, folder), "utf8").split(/^---$/m)) {
      const kind = bindyKinds.find((it) => it.kind === /^kind: (\S+)$/m.exec(document)?.[1]);
      if (kind === undefined) throw new Error(`${file} has an object of no kind of ours`);
      const { status, headers, body } = await server.client({
        method: "POST",
        path: `${pathOf(kind)}?fieldValidation=Strict`,
        headers: { "content-type": "application/yaml", accept: "application/json" },
        body: document,
      });
      expect([status, headers["warning"]], body).toEqual([201, undefined]);
      expect(problemOf(JSON.parse(body))).toBe("valid");
    }
  });

  test.each(files)("%s shows a status, in words of ours", (file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    const types = [...text.matchAll(/^# +- type: (\S+)$/gm)].map(([, type]) => type ?? "");
    const reasons = [...text.matchAll(/^# +reason: (\S+)$/gm)].map(([, reason]) => reason ?? "");
    expect(types).toContain("Ready");
    expect(text).toMatch(/`?(Bind9Instance|Pod)-(\{i\}|[0-9])/);
    expect(reasons.length).toBe(types.length);
    for (const reason of reasons) expect(Object.keys(meanings)).toContain(reason);
  });
});
