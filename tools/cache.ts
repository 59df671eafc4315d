// Where tools keep what they have built or fetched: outside the checkout, and shared by all checkouts.
import { homedir } from "node:os";
import { join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `$TELLTALE_CACHE`, else `$XDG_CACHE_HOME/telltale`, else `~/.cache/telltale`. */
export function cacheRoot(env: Environment): string {
  const xdg = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  return env["TELLTALE_CACHE"] || join(xdg, "telltale");
}
