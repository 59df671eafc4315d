// The documents: made from the kinds, or run. `-u` brings those that are made up to date.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { misfit } from "@telltale/kinds";
import { LocustTest } from "@telltale/locust";
import { lintStatus } from "@telltale/status";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chosen } from "../src/operators/table.ts";
import { reference, referenceIndex, troubleshooting } from "./documents.ts";

const root = new URL("../../../", import.meta.url);
const at = (file: string) => fileURLToPath(new URL(file, root));
const read = (file: string) => readFileSync(at(file), "utf8");
const all = await chosen(undefined);

describe("documents that are made", () => {
  test("troubleshooting is what the reasons of all kinds say", async () => {
    await expect(troubleshooting(all)).toMatchFileSnapshot(at("docs/troubleshooting.md"));
  });

  test("the reference is what the kinds say", async () => {
    await expect(referenceIndex(all)).toMatchFileSnapshot(at("docs/reference.md"));
    for (const { name, kinds } of all.filter((it) => it.name !== "bindy"))
      await expect(reference(kinds)).toMatchFileSnapshot(at(`operators/${name}/docs/api.md`));
  });

  test("every kind has its heading on the page that the index leads to", () => {
    for (const { name, kinds } of all) {
      const headings = new Set(read(`operators/${name}/docs/api.md`).split("\n"));
      expect(kinds.filter(({ kind }) => !headings.has(`## ${kind}`)).map(({ kind }) => kind)).toEqual([]);
    }
  });
});

test("the status in docs/concepts.md fits its kind, and keeps the rules", () => {
  const [, text = ""] = /^```yaml\n(.*?)^```$/ms.exec(read("docs/concepts.md")) ?? [];
  const object = parse(text) as LocustTest;
  const { spec, status } = LocustTest.schema;
  expect(misfit(spec, object.spec, "spec")).toBeUndefined();
  expect(status && misfit(status, object.status, "status")).toBeUndefined();
  expect(lintStatus(LocustTest, object)).toEqual([]);
});

describe("links", () => {
  const pages = readdirSync(at("docs")).filter((file) => file.endsWith(".md"));

  test.each(pages)("of docs/%s lead somewhere", (file) => {
    const prose = read(`docs/${file}`).replace(/`[^`]*`/g, "");
    for (const [, target = ""] of prose.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g))
      expect(existsSync(new URL(target, new URL(`docs/${file}`, root))), target).toBe(true);
  });

  test("the list of pages has all of them", () => {
    const list = read("docs/README.md");
    expect(pages.filter((file) => file !== "README.md" && !list.includes(`](${file})`))).toEqual([]);
  });
});
