import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { told } from "../../test/told.ts";
import { filesFor } from "./files.ts";
import { namesFor } from "./names.ts";

test("names become those of a kind", () => {
  expect(namesFor("web-shop", "shop.example.com")).toEqual({
    name: "web-shop",
    kind: "WebShop",
    value: "webShop",
    plural: "webshops",
    group: "shop.example.com",
  });
});

test.each(["", "Web", "1st", "a_b", "-a", "a".repeat(50)])("%j is no name", (name) => {
  expect(() => namesFor(name, "example.com")).toThrow(/cannot be called/);
});

test("a group without a dot is none", () => {
  expect(() => namesFor("shop", "shop")).toThrow(/no API group/);
});

test("no file has a name or a value that was not filled in", () => {
  for (const { path, text } of filesFor(namesFor("web-shop", "example.com"), "0.1.0")) {
    expect(path).not.toContain("undefined");
    expect(text).not.toMatch(/\[object|["/-]undefined/);
    expect(text.endsWith("\n")).toBe(true);
  }
});

test("a folder that is there is left alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "telltale-new-"));
  const argv = ["new", "shop", "--into", join(folder, "shop")];
  expect(await told(argv)).toMatchObject({ code: 0, err: "" });
  expect(readdirSync(join(folder, "shop")).sort()).toEqual(["README.md", "package.json", "samples", "src", "test"]);
  expect(await told(argv)).toMatchObject({ code: 1, err: expect.stringContaining("is there already; choose another") });
  rmSync(folder, { recursive: true, force: true });
});
