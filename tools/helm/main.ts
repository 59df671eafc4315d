// `npm run helm`: prints the folder with helm, and builds it when it is nowhere.
import { bringing } from "../bring.ts";
import { buildHelm, findHelm, helmVersion } from "./helm.ts";

const what = `Prints the folder that has helm ${helmVersion}: $TELLTALE_HELM where that is set, else the cache ($TELLTALE_CACHE,
$XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is built once with Go.`;

await bringing("helm", what, async (say) => findHelm() ?? (await buildHelm(say)));
