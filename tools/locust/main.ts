// `npm run locust`: prints the folder with locust, and installs it when it is nowhere.
import { parseArgs } from "node:util";
import { findLocust, installLocust, locustVersion } from "./locust.ts";

const help = `npm run locust

Prints the folder that has locust ${locustVersion}: $TELLTALE_LOCUST where that is set, else the cache ($TELLTALE_CACHE,
$XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is installed once from PyPI, in a virtual environment.

  --help   print this`;

try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) console.log(help);
  else console.log(findLocust() ?? (await installLocust((line) => console.error(`locust: ${line}`))));
} catch (error) {
  console.error(`locust: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
