// `npm run qemu`: prints a PATH with QEMU's programs, and installs them when they are nowhere.
import { bringing } from "../bring.ts";
import { installQemu, programs } from "./qemu.ts";

const what = `Prints a PATH that has ${programs.join(" and ")}: $TELLTALE_QEMU where that is set, else the system's. Where they are missing,
root gets Debian's packages by apt-get.`;

await bringing("qemu", what, installQemu);
