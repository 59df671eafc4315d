import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PodFolder, podFolder } from "./layout.ts";
import { type Mount, placeMounts } from "./mounts.ts";

let root = "";
let folder: PodFolder;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "telltale-mounts-"));
  folder = podFolder(root, "u1");
  mkdirSync(join(folder.volume("v"), "there"), { recursive: true });
  writeFileSync(join(folder.volume("v"), "there/file"), "1");
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (path: string) => join(folder.container("c").rootfs, path);
const place = (...mounts: readonly Mount[]) => placeMounts(mounts, "c", folder);
const whole = (path: string): Mount => ({ path, volume: "v", target: folder.volume("v"), part: { is: "whole" } });
const link = (path: string, subPath: string): Mount => ({
  path,
  volume: "v",
  target: join(folder.volume("v"), subPath),
  part: { is: "link", subPath },
});
const copy = (path: string, subPath: string): Mount => ({
  path,
  volume: "v",
  target: join(folder.container("c").copies, "0"),
  part: { is: "copy", subPath },
});

describe("a mount", () => {
  it("is a link under the container's root folder", async () => {
    await place(whole("/data/deep"));
    expect(readlinkSync(at("data/deep"))).toBe(folder.volume("v"));
    expect(readFileSync(at("data/deep/there/file"), "utf8")).toBe("1");
  });

  it("is the same when the container begins again, and another when it changed", async () => {
    await place(whole("/data"));
    await place(whole("/data"));
    await place(link("/data", "there"));
    expect(readFileSync(at("data/file"), "utf8")).toBe("1");
  });

  it("of a part makes it, if it is not there", async () => {
    await place(link("/new", "a/b"));
    expect(lstatSync(join(folder.volume("v"), "a/b")).isDirectory()).toBe(true);
  });

  it("of a part may be a single file", async () => {
    await place(link("/etc/one", "there/file"));
    expect(readFileSync(at("etc/one"), "utf8")).toBe("1");
  });

  it("of a part that is written by us is a copy, taken anew at each start", async () => {
    await place(copy("/etc/one", "there/file"));
    writeFileSync(join(folder.volume("v"), "there/file"), "2");
    expect(readFileSync(at("etc/one"), "utf8")).toBe("1");
    await place(copy("/etc/one", "there/file"));
    expect(readFileSync(at("etc/one"), "utf8")).toBe("2");
  });

  it("can lie in another mount", async () => {
    await place(whole("/data"), link("/data/inner", "there"));
    expect(readFileSync(at("data/inner/file"), "utf8")).toBe("1");
  });

  it("does not follow a link out of its volume", async () => {
    symlinkSync("/etc", join(folder.volume("v"), "out"));
    await expect(place(link("/x", "out"))).rejects.toMatchObject({
      reason: "CreateContainerConfigError",
      message: 'subPath "out" of volume "v" is a link that leads out of the volume',
    });
    expect(existsSync(at("x"))).toBe(false);
  });

  it.each([copy, link])("of a part that cannot be made is refused", async (of) => {
    await expect(place(of("/x", "there/file/below"))).rejects.toMatchObject({
      reason: "CreateContainerConfigError",
      message: 'failed to create subPath directory for volumeMount "v" of container "c"',
    });
  });

  it("leaves what a program made in its place", async () => {
    mkdirSync(at("data"), { recursive: true });
    writeFileSync(at("data/own"), "mine");
    await place(whole("/data"));
    expect(readFileSync(at("data/own"), "utf8")).toBe("mine");
  });
});
