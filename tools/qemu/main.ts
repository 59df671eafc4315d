// `npm run qemu`: prints a PATH with QEMU's programs, and installs them when they are nowhere.
import { parseArgs } from "node:util";
import { installQemu, programs } from "./qemu.ts";

const help = `npm run qemu

Prints a PATH that has ${programs.join(" and ")}: $TELLTALE_QEMU where that is set, else the system's. Where they are missing,
root gets Debian's packages by apt-get.

  --help   print this`;

try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  console.log(values.help === true ? help : installQemu(console.error));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
