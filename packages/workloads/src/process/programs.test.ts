import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "./programs.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "telltale-programs-"));
  mkdirSync(join(root, "bin/folder"), { recursive: true });
  mkdirSync(join(root, "other"));
  const put = (path: string, text: string, mode: number) => {
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  };
  put("bin/tool", "#!/bin/sh\n", 0o755);
  put("other/tool", "#!/bin/sh\n", 0o755);
  put("other/only", "#!/bin/sh\n", 0o755);
  put("bin/plain", "#!/bin/sh\n", 0o644);
  put("bin/text", "echo a shell would run this\n", 0o755);
  put("bin/empty", "", 0o755);
  symlinkSync("tool", join(root, "bin/link"));
  symlinkSync("nowhere", join(root, "bin/dangling"));
});
afterAll(() => rmSync(root, { recursive: true }));

const find = (name: string) =>
  findProgram(name, { paths: [join(root, "bin"), undefined, join(root, "other")], cwd: root });
const at = (path: string) => join(root, path);

describe("a program", () => {
  it("is looked for in the container's PATH, then in ours", async () => {
    expect(await find("tool")).toBe(at("bin/tool"));
    expect(await find("only")).toBe(at("other/only"));
    expect(await find("link")).toBe(at("bin/link"));
    expect(await find(process.execPath)).toBe(process.execPath);
  });

  it("with a slash is a path, from the working directory on", async () => {
    expect(await find("./other/tool")).toBe(at("other/tool"));
    expect(await find(at("other/tool"))).toBe(at("other/tool"));
  });

  it.each([
    ["nothing", 'exec: "nothing": executable file not found in $PATH ('],
    ["", 'exec: "": '],
    ["./nothing", 'exec: "./nothing": no such file or directory'],
    ["dangling", 'exec: "dangling": executable file not found in $PATH ('],
    ["./bin", 'exec: "./bin": is a directory'],
    ["folder", "is a directory"],
    ["plain", "permission denied (it is not executable)"],
    ["text", "exec format error"],
    ["empty", "exec format error"],
    ["./bin/tool/x", 'exec: "./bin/tool/x": no such file or directory'],
    ["../../../../../etc/passwd", "permission denied (it is not executable)"],
    ["/dev/null", 'exec: "/dev/null": is no regular file'],
    ["a\0b", 'exec: "a\\u0000b": '],
    [`${"x".repeat(300)}`, 'exec: "xxx'],
  ])("that cannot be run is refused: %s", async (name, message) => {
    await expect(find(name)).rejects.toMatchObject({
      reason: "CreateContainerError",
      message: expect.stringContaining(message),
    });
  });
});
