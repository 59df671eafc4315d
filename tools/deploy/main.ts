// `npm run deploy:manifests`: writes what is generated in `deploy/`.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chosen } from "../../packages/telltale/src/operators/table.ts";
import { filesOf } from "./files.ts";

for (const [path, text] of filesOf(await chosen(undefined))) {
  writeFileSync(fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url)), text);
  console.log(`wrote deploy/${path}`);
}
