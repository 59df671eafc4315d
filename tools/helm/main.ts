// `npm run helm`: prints the folder with helm, and builds it when it is nowhere.
import { parseArgs } from "node:util";
import { buildHelm, findHelm, helmVersion } from "./helm.ts";

const help = `npm run helm

Prints the folder that has helm ${helmVersion}: $TELLTALE_HELM where that is set, else the cache ($TELLTALE_CACHE,
$XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is built once with Go.

  --help   print this`;

try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) console.log(help);
  else console.log(findHelm() ?? (await buildHelm((line) => console.error(`helm: ${line}`))));
} catch (error) {
  console.error(`helm: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
