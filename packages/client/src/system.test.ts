import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { systemFiles, systemRun } from "./system.ts";

it("reads a file, and has nothing to say of one that is not there", async () => {
  expect(await systemFiles.read(fileURLToPath(import.meta.url))).toContain("has nothing to say");
  expect(await systemFiles.read("/no/such/file")).toBeUndefined();
  await expect(systemFiles.read("/")).rejects.toThrow("EISDIR");
});

const never = new AbortController().signal;

it("runs a program to its end, with the given variables only", async () => {
  const script =
    "console.log(process.env.A, process.env.HOME); console.error('oh'); process.exitCode = Number(process.argv[1])";
  const run = (code: string) => systemRun(process.execPath, ["-e", script, code], { A: "1" }, never);
  expect(await run("0")).toEqual({ code: 0, stdout: "1 undefined\n", stderr: "oh\n" });
  expect(await run("3")).toMatchObject({ code: 3 });
  await expect(systemRun("/no/such/program", [], {}, never)).rejects.toThrow("ENOENT");
});

it("gives a program nothing to read", async () => {
  const script = "process.stdin.on('data', () => {}).on('end', () => console.log('end of input'))";
  expect(await systemRun(process.execPath, ["-e", script], {}, never)).toMatchObject({
    code: 0,
    stdout: "end of input\n",
  });
});

it("kills a program that does not end, also where one that it started holds on to its output", async () => {
  const stop = new AbortController();
  const script = `
    process.on("SIGTERM", () => {});
    require("node:child_process").spawn("sleep", ["5"], { stdio: "inherit" });
    setInterval(() => {}, 1000);`;
  const run = systemRun(process.execPath, ["-e", script], { PATH: process.env["PATH"] }, stop.signal);
  stop.abort();
  await expect(run).rejects.toThrow("aborted");
});
