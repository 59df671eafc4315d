// `npm run bindcar`: prints the folder with upstream's Bindcar, and builds what is missing there.
import { bringing } from "../bring.ts";
import { bindcarVersions, buildBindcar, findBindcar } from "./bindcar.ts";

const what = `Prints the folder that has upstream's Bindcar ${bindcarVersions.join(" and ")}, as VERSION/bin/bindcar: $TELLTALE_BINDCAR where that is set,
else the cache ($TELLTALE_CACHE, $XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is built once with cargo.`;

await bringing("bindcar", what, async (say) => findBindcar() ?? (await buildBindcar(say)));
