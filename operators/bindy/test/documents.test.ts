// The documents: made from the kinds and the reasons, or checked against them. `-u` brings those that are made up to date.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFrom } from "../src/config.ts";
import { apiReference, troubleshootingGuide } from "../src/guide.ts";
import { bindyCrds, bindyKinds, toYaml } from "../src/manifests/index.ts";
import { meanings } from "../src/meanings.ts";
import { bindyFamilies } from "../src/metrics.ts";
import { observationsPage } from "../src/observations.ts";
import * as constants from "../src/reasons.ts";
import { pathOf } from "./definitions.ts";

const root = new URL("../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");
const files = ["README.md", "docs/quickstart.md", "docs/observations.md", "docs/status-conditions.md", "docs/api.md"];

describe("A-114", () => {
  test("the guide and the reference are what the kinds and the reasons say", async () => {
    await expect(troubleshootingGuide()).toMatchFileSnapshot(fileURLToPath(new URL("docs/status-conditions.md", root)));
    await expect(observationsPage()).toMatchFileSnapshot(fileURLToPath(new URL("docs/observations.md", root)));
    await expect(apiReference()).toMatchFileSnapshot(fileURLToPath(new URL("docs/api.md", root)));
  });

  test("the reference and the guide have every reason, each with its constant", () => {
    const names = Object.keys(meanings);
    for (const file of ["docs/api.md", "docs/status-conditions.md"])
      expect(
        names.filter((name) => !read(file).includes(`\`${name}\``)),
        file,
      ).toEqual([]);
    const named = Object.entries(constants).flatMap(([name, value]) => (name.startsWith("REASON_") ? [value] : []));
    expect(named).toEqual(names);
  });

  test("every reason that a kind knows has the words of the table", () => {
    for (const { kind, conditions } of bindyKinds) {
      for (const { reasons } of Object.values(conditions.types)) {
        for (const [name, { means, fix }] of Object.entries(reasons))
          expect(meanings, `${kind} ${name}`).toMatchObject({ [name]: { means, fix } });
      }
    }
  });

  test.each(files)("the links of %s lead somewhere", (file) => {
    const base = new URL(file, root);
    const prose = read(file).replace(/`[^`]*`/g, "");
    for (const [, target = ""] of prose.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g))
      expect(existsSync(new URL(target, base)), target).toBe(true);
  });

  test("the README has every setting", () => {
    const source = read("src/config.ts");
    const names = [...new Set([...source.matchAll(/"((?:BINDY|POD|LOG)_[A-Z_]+)"/g)].map(([, name]) => name ?? ""))];
    expect(names.length).toBeGreaterThan(11);
    for (const name of names) expect(read("README.md"), name).toContain(`\`${name}\``);
    expect("config" in configFrom({})).toBe(true);
  });

  test("the README has every metric, with its labels", () => {
    const families = bindyFamilies({ held: () => [] }, new VirtualClock());
    const lines = read("README.md").split("\n");
    for (const [name, { labels }] of Object.entries(families)) {
      const row = lines.find((line) => line.includes(`\`${name.replace("bindy_firestoned_io_", "")}\``)) ?? "";
      expect(row, name).toContain(`| ${labels.map((label) => `\`${label}\``).join(", ")} |`);
    }
  });

  describe("objects in the documents", () => {
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

    const blocks = ["README.md", "docs/quickstart.md"].flatMap((file) =>
      [...read(file).matchAll(/^```yaml\n(.*?)^```$/gms)].map(
        ([, text = ""], i) => [`${file} ${i + 1}`, text] as const,
      ),
    );
    const objects = blocks.filter(([, text]) => text.startsWith("apiVersion"));

    const statuses = [...apiReference().matchAll(/^# of (?:a|the) (\S+).*\n(status:\n(?: {2}.*\n)+)/gm)];
    test.each(statuses.map(([, kind = "", status = ""]) => [kind, status] as const))(
      "the status of a %s in the reference is accepted, and comes back as it is",
      async (name, status) => {
        const kind = bindyKinds.find((it) => it.kind === name);
        if (kind === undefined) throw new Error("a status of no kind of ours");
        const spec = name === "Bind9Instance" ? { clusterRef: "", role: "primary" } : {};
        const object = { apiVersion: kind.apiVersion, kind: name, metadata: { name: "shown" }, spec };
        const send = async (method: string, path: string, body: string) => {
          const answer = await server.client({ method, path, headers: { "content-type": "application/yaml" }, body });
          return { code: answer.status, body: JSON.parse(answer.body), text: answer.body };
        };
        const made = await send("POST", pathOf(kind), toYaml(object));
        const write = (of: { readonly metadata: object }, said: string) =>
          send("PUT", `${pathOf(kind)}/shown/status`, `${toYaml({ ...object, metadata: of.metadata })}${said}`);
        const shown = await write(made.body, status);
        expect(shown.code, shown.text).toBe(200);
        const { conditions } = shown.body.status;
        // 2.2, A-56: what is quoted stays a text, there and back.
        const again = await write(shown.body, toYaml({ status: { conditions } }));
        expect(again.body.status.conditions).toEqual(conditions);
        expect(conditions[0]).toMatchObject({ type: "Ready", status: "False" });
      },
    );
    test("there are such statuses", () => expect(statuses).toHaveLength(2));

    test.each(objects)("%s are accepted", async (_, text) => {
      for (const document of text.split(/^---$/m)) {
        const kind = bindyKinds.find((it) => it.kind === /^kind: (\S+)$/m.exec(document)?.[1]);
        if (kind === undefined) throw new Error("an object of no kind of ours");
        const { status, body } = await server.client({
          method: "POST",
          path: `${pathOf(kind)}?fieldValidation=Strict`,
          headers: { "content-type": "application/yaml", accept: "application/json" },
          body: document,
        });
        expect(status, body).toBe(201);
      }
    });
  });
});
