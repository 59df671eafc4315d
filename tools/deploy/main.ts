// `npm run deploy:manifests`: writes what is generated in `deploy/`.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { chosen } from "../../packages/telltale/src/operators/table.ts";
import { filesOf } from "./files.ts";

for (const [path, text] of filesOf(await chosen(undefined))) {
  const file = fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`wrote deploy/${path}`);
}
