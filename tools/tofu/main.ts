// `npm run tofu`: prints the folder with tofu, and builds it when it is nowhere.
import { parseArgs } from "node:util";
import { buildTofu, findTofu, tofuVersion } from "./tofu.ts";

const help = `npm run tofu

Prints the folder that has tofu ${tofuVersion}: $TELLTALE_TOFU where that is set, else the cache ($TELLTALE_CACHE,
$XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is built once with Go.

  --help   print this`;

try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) console.log(help);
  else console.log(findTofu() ?? (await buildTofu((line) => console.error(`tofu: ${line}`))));
} catch (error) {
  console.error(`tofu: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
