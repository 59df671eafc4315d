// `npm run tofu`: prints the folder with tofu, and builds it when it is nowhere.
import { bringing } from "../bring.ts";
import { buildTofu, findTofu, tofuVersion } from "./tofu.ts";

const what = `Prints the folder that has tofu ${tofuVersion}: $TELLTALE_TOFU where that is set, else the cache ($TELLTALE_CACHE,
$XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is built once with Go.`;

await bringing("tofu", what, async (say) => findTofu() ?? (await buildTofu(say)));
