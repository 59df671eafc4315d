// `telltale new NAME`: the folder of a new operator, which runs and passes its tests as it is.
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { filesFor } from "../new/files.ts";
import { namesFor } from "../new/names.ts";
import type { Call } from "../program/command.ts";
import { exit, misused, Problem } from "../program/problem.ts";
import { version } from "../program/version.ts";

export async function run({ words, values, out, flags }: Call): Promise<number> {
  const [name] = words;
  if (name === undefined) throw misused("the operator has no name", "telltale new web-shop");
  const names = namesFor(name, values["group"] ?? "example.com");
  // In a checkout operators have a place; elsewhere it is a folder of its own.
  const folder = values["into"] ?? (existsSync("operators") ? join("operators", name) : name);
  if ((await readdir(folder).catch(() => [])).length > 0) {
    throw new Problem(`${folder} is there already`, "choose another name, or another folder with --into");
  }
  const files = filesFor(names, version);
  for (const { path, text } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  if (flags.has("json")) out.line(JSON.stringify({ folder, files: files.map(({ path }) => path) }));
  else {
    for (const { path } of files) out.line(`made ${join(folder, path)}`);
    out.line(
      `\nnext: npm install && npx vitest run ${relative(".", folder)}   (${join(folder, "README.md")} says more)`,
    );
  }
  return exit.well;
}
