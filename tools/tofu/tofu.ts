// Where OpenTofu is: given by the environment, in the cache, or built once with Go.
import type { Environment } from "../cache.ts";
import { build, find, cacheFolder as folderOf, type GoProgram } from "../go.ts";
import { skipOrFail } from "../require.ts";

const module = "github.com/opentofu/opentofu";

const tofu: GoProgram = {
  title: "OpenTofu",
  name: "tofu",
  variable: "TELLTALE_TOFU",
  version: "1.12.6",
  module,
  source: "./cmd/tofu",
  flags: `-X ${module}/version.dev=no`,
};

export const tofuVersion = tofu.version;
export const findTofu = (env?: Environment) => find(tofu, env);
export const buildTofu = (say: (line: string) => void, env?: Environment) => build(tofu, say, env);

/** The folder for a suite that runs only where tofu is. Without it see `skipOrFail`. */
export const tofuFor = (suite: string, env?: Environment) =>
  findTofu(env) ?? skipOrFail(suite, "OpenTofu", "set TELLTALE_TOFU or run: npm run tofu", env);
export const cacheFolder = (env: Environment) => folderOf(tofu, env);
