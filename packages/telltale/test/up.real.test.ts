// `telltale up` as a person sees it: on a real terminal, from the first line to Ctrl-C and to the next start.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const python = spawnSync("python3", ["--version"]).status === 0;
if (!python) console.log("telltale on a terminal: python3 is not here");
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const onTerminal = fileURLToPath(new URL("./terminal.py", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "telltale-pty-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Shown {
  readonly all: string;
  /** The lines of the last picture. */
  readonly last: readonly string[];
  readonly code: number;
}

/** On a terminal of some size, until the pattern is seen. */
function shown(columns: number, rows: number, until: string, ...argv: readonly string[]): Shown {
  const { stdout, stderr } = spawnSync(
    "python3",
    [onTerminal, String(columns), String(rows), until, process.execPath, main, ...argv],
    {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    },
  );
  if (stderr !== "") throw new Error(stderr);
  const lines = stdout.trimEnd().split("\n");
  const all = lines.slice(0, -1).join("\n").replaceAll("\r", "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a screen is moved by
  const pictures = all.split(/\u001b\[\d+A\u001b\[0J/).map((picture) => picture.replace(/\u001b\[\d*m/g, ""));
  const tree = pictures.at(-1)?.split("\nstopping")[0] ?? "";
  return { all, last: tree.split("\n"), code: Number(lines.at(-1)) };
}

describe.skipIf(!python)("a terminal", () => {
  test("of 80 columns shows the tree live, with a bar, and Ctrl-C ends it well", () => {
    const { all, last, code } = shown(80, 40, "█.*minimal|minimal.*█", "up", "--operators", "locust", "--data", folder);
    expect(code).toBe(0);
    expect(all).toContain(`export KUBECONFIG=${folder}/kubeconfig`);
    expect(all.match(/^ {2}kubectl /gm)?.length).toBe(3);
    expect(last.length).toBeLessThanOrEqual(40);
    for (const line of last) expect(line.length).toBeLessThanOrEqual(80);
    expect(last.join("\n")).toMatch(/LocustTest minimal .*Running.* [█░]{8} +\d+%/);
    expect(all).toContain(`telltale up goes on where it was (${folder})`);
  });

  test("of 160 columns has room for words, and what was there before is there again", () => {
    const { last, code } = shown(160, 60, "minimal.*Succeeded", "up", "--operators", "locust", "--data", folder);
    expect(code).toBe(0);
    for (const line of last) expect(line.length).toBeLessThanOrEqual(160);
    expect(last.some((line) => line.length > 100)).toBe(true);
    expect(last.join("\n")).toMatch(/✓ LocustTest minimal .*Succeeded.*Test completed successfully/);
    expect(last.join("\n")).toMatch(/✗ LocustTest failing .*Failed TestFailed.*Test failed: master exited with code 1/);
  });
});
