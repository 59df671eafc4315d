// `npm run bind`: prints a PATH with BIND's programs, and installs them when they are nowhere.
import { bringing } from "../bring.ts";
import { installBind, programs } from "./bind.ts";

const what = `Prints a PATH that has ${programs.join(", ")}: $TELLTALE_BIND where that is set, else the
system's. Where they are missing, root gets Debian's packages by apt-get; the server that they come with is not left running.`;

await bringing("bind", what, installBind);
