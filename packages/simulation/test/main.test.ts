// The program: what it prints, and how it ends.
import { type ExecFileException, execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const file = fileURLToPath(new URL("./docs/backup.scenario.example.ts", import.meta.url));

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [main, ...args])) };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as ExecFileException & { stdout?: string; stderr?: string };
    return { code: Number(code), stdout, stderr };
  }
}

describe("the program", () => {
  it("prints what it found, a test of it, and fails", async () => {
    const { code, stdout } = await run(file, "--plans", "10", "--only", "P25");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^nightly: 2 plans, \d+ per second; seed 1/);
    expect(stdout).toContain('import { nightly } from "./backup.scenario.example.ts";');
  });

  it("tells the same as JSON", async () => {
    const { stdout } = await run(file, "--json", "--seed", "4", "--only", "P25");
    expect(JSON.parse(stdout)).toMatchObject({ seed: 4, failure: { plan: { seed: 4, faults: [{ p: "P25" }] } } });
  });

  it("ends well where everything holds", async () => {
    const { code, stdout, stderr } = await run(file, "--plans", "60", "--only", "P5");
    expect(code).toBe(0);
    expect(stdout).toContain("Every invariant held.");
    expect(stderr).toMatch(/^nightly: 50 of 60 plans, \d+ per second$/m);
  });

  it("shows one plan from its beginning to its end", async () => {
    const { code, stdout } = await run(file, "--plan", '{"seed":1,"faults":[{"p":"P1","write":1}]}');
    expect(code).toBe(0);
    expect(stdout).toContain("operator-1  crashes");
    expect(stdout).toContain("operator-2  starts");
  });

  it("says what it needs", async () => {
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("usage: main.ts FILE") });
    const { code, stderr } = await run(fileURLToPath(new URL("./shop.ts", import.meta.url)));
    expect([code, stderr]).toEqual([2, expect.stringContaining("exports no scenario")]);
  });
}, 60_000);
