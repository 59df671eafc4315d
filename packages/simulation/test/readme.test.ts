import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { main } from "./readme.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

describe("the README", () => {
  it("has the example that is checked here, and it works", async () => {
    expect(read("../README.md")).toContain(read("./readme.example.ts"));
    const said = vi.spyOn(console, "log").mockReturnValue();
    await main(60);
    expect(said.mock.lastCall?.[0]).toMatch(/^published: 60 plans, \d+ per second; [\s\S]*Every invariant held\.\n$/);
    said.mockRestore();
  }, 60_000);

  it("names only files and folders that are there", () => {
    const there = new Set(readdirSync(new URL("../src", import.meta.url)));
    const table = read("../README.md").split("## Where to look")[1]?.split("`test/bugs/`")[0] ?? "";
    const named = [...table.matchAll(/`([\w-]+(?:\.ts|\/))`/g)].map(([, name = ""]) => name.replace("/", ""));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });
});
