import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instant } from "@telltale/kinds";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replaceFiles } from "./volume-files.ts";

const now = instant(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-volume-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (files: Readonly<Record<string, string>>, mode = 0o644) =>
  replaceFiles(
    folder,
    new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), mode }])),
    now,
  );
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const shown = () => readdirSync(folder).filter((name) => !name.startsWith(".."));

describe("files that change all at once", () => {
  it("are seen through one link, which a kubelet calls ..data", async () => {
    await put({ a: "1", "deep/er/b": "2" }, 0o440);
    expect(shown()).toEqual(["a", "deep"]);
    expect([read("a"), read("deep/er/b")]).toEqual(["1", "2"]);
    expect(readlinkSync(join(folder, "a"))).toBe("..data/a");
    expect(readlinkSync(join(folder, "..data"))).toBe("..2026_01_02_03_04_05.678.0");
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o440);
  });

  it("move together: the link is replaced, and the old folder goes", async () => {
    await put({ a: "1", gone: "x" });
    const before = readlinkSync(join(folder, "..data"));
    await put({ a: "2", fresh: "y" });
    expect(shown()).toEqual(["a", "fresh"]);
    expect(read("a")).toBe("2");
    expect(readlinkSync(join(folder, "..data"))).not.toBe(before);
    expect(readdirSync(folder).filter((name) => name.startsWith(".."))).toHaveLength(2);
  });

  it("can become none", async () => {
    await put({ a: "1" });
    await put({});
    expect(shown()).toEqual([]);
  });

  it("are put right after a crash at any point", async () => {
    await put({ a: "1" });
    symlinkSync("nowhere", join(folder, "..next")); // a link that was made and not moved
    await put({ a: "2" });
    expect(read("a")).toBe("2");
    expect(readdirSync(folder)).not.toContain("..next");
  });

  it("leave what the container put beside them", async () => {
    await put({ a: "1" });
    writeFileSync(join(folder, "own"), "mine");
    await put({ b: "1" });
    expect(shown()).toEqual(["b", "own"]);
  });

  it("cannot be changed from one state to a mixture of two", async () => {
    await put({ a: "1", b: "1" });
    const data = join(folder, "..data");
    const seen = new Set<string>();
    let isDone = false;
    const writing = (async () => {
      for (let n = 2; n < 30; n += 1) await put({ a: `${n}`, b: `${n}` });
      isDone = true;
    })();
    while (!isDone) {
      // What a program does that wants both: it goes to the folder that the link names now.
      const at = readlinkSync(data);
      try {
        const both = [readFileSync(join(folder, at, "a"), "utf8"), readFileSync(join(folder, at, "b"), "utf8")];
        seen.add(new Set(both).size === 1 ? "same" : both.join());
      } catch {
        // The folder was removed: the next one is there.
      }
      await stat(folder);
    }
    await writing;
    expect([...seen]).toEqual(["same"]);
    expect(read("a")).toBe("29");
  });
});
