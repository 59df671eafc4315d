// Loaded before each test file where TELLTALE_USAGE names a folder: what the file's operators use is written there.
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { recording } from "./record.ts";

const folder = process.env["TELLTALE_USAGE"] ?? "";
const slot = Symbol.for("telltale.usage");
const name = Symbol.for("telltale.usage.file");
const holder = globalThis as { [slot]?: unknown; [name]?: () => void };

if (folder !== "" && holder[slot] === undefined) {
  const { recorder, usage } = recording(isProduction);
  const file = join(folder, `${randomUUID()}.json`);
  holder[slot] = recorder;
  holder[name] = () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, JSON.stringify(usage()));
  };
}
// A process that has several test files writes what it knows after each of them.
afterAll(() => holder[name]?.());

/** Whether the code that asks is the program's own, and no test or test library. */
function isProduction(): boolean {
  const frames = (new Error("asked").stack ?? "").split("\n").slice(1);
  const asker = frames.find((frame) => !frame.includes("/tools/usage/") && !frame.includes("Reflect.")) ?? "";
  return !/\.test\.ts|\/test\/|node_modules\/(?!@telltale)/.test(asker);
}
