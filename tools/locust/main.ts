// `npm run locust`: prints the folder with locust, and installs it when it is nowhere.
import { bringing } from "../bring.ts";
import { findLocust, installLocust, locustVersion } from "./locust.ts";

const what = `Prints the folder that has locust ${locustVersion}: $TELLTALE_LOCUST where that is set, else the cache ($TELLTALE_CACHE,
$XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is installed once from PyPI, in a virtual environment.`;

await bringing("locust", what, async (say) => findLocust() ?? (await installLocust(say)));
