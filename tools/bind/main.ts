// `npm run bind`: prints a PATH with BIND's programs, and installs them when they are nowhere.
import { parseArgs } from "node:util";
import { installBind, programs } from "./bind.ts";

const help = `npm run bind

Prints a PATH that has ${programs.join(", ")}: $TELLTALE_BIND where that is set, else the
system's. Where they are missing, root gets Debian's packages by apt-get; the server that they come with is not left running.

  --help   print this`;

try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  console.log(values.help === true ? help : installBind(console.error));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
