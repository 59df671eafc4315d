// The rules of this repository that no linter knows. Prints each violation, and ends with 1 when there is one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { layers } from "./layers.ts";
import { messages } from "./messages.ts";
import type { File } from "./source.ts";
import { time } from "./time.ts";
import { words } from "./words.ts";

const notOurs = new Set(["node_modules", "dist", "coverage", ".git", ".cache"]);
const text = /(\.([cm]?[jt]sx?|jsonc?|ya?ml|md|go|mod|sum|sh|html|css|toml|tpl)|LICENSE|\.npmrc|\.gitignore|\.ci\/.+)$/;

const files = filesIn(fileURLToPath(new URL("../..", import.meta.url)));
const violations = [...layers(files), ...messages(files), ...time(files), ...words(files)];
for (const { file, line, rule, message } of violations) console.error(`${file}:${line} ${rule}: ${message}`);
if (violations.length > 0) process.exitCode = 1;
else console.log(`rules: ${files.length} files keep layers, messages, time and words`);

function filesIn(root: string, folder = ""): File[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : filesIn(root, path);
      return entry.isFile() && text.test(path) ? [{ path, text: readFileSync(join(root, path), "utf8") }] : [];
    });
}
