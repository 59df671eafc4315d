// Where OpenTofu is: given by the environment, in the cache, or built once with Go.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot, type Environment } from "../cache.ts";

export const tofuVersion = "1.12.6";

const module = "github.com/opentofu/opentofu";

/** The folder with `tofu`, or undefined where it would have to be built first. */
export function findTofu(env: Environment = process.env): string | undefined {
  const given = env["TELLTALE_TOFU"];
  if (!given) return existsSync(join(cacheFolder(env), "tofu")) ? cacheFolder(env) : undefined;
  if (existsSync(join(given, "tofu"))) return given;
  throw new Error(`TELLTALE_TOFU is ${given}, which has no tofu; correct it, or unset it to build one with Go`);
}

/** Builds it in the cache, unless it is there. Minutes, the first time. Needs Go, and its module proxy. */
export async function buildTofu(say: (line: string) => void, env: Environment = process.env): Promise<string> {
  const target = cacheFolder(env);
  if (existsSync(join(target, "tofu"))) return target;
  if (spawnSync("go", ["version"], { env }).status !== 0) {
    throw new Error("there is no Go to build tofu with; install Go, or set TELLTALE_TOFU to a folder that has tofu");
  }
  mkdirSync(target, { recursive: true });
  // Each process builds in a folder of its own and renames: two at once do the work twice, and neither sees half a file.
  const scratch = mkdtempSync(join(target, "build-"));
  try {
    say(`building OpenTofu ${tofuVersion} (minutes the first time)`);
    // Its go.mod replaces a module, which `go install` does not take from others: it is built where it lies.
    const { Dir } = JSON.parse(await go(["mod", "download", "-json", `${module}@v${tofuVersion}`], scratch, env));
    const flags = `-s -w -X ${module}/version.dev=no`;
    await go(["build", "-trimpath", "-ldflags", flags, "-o", join(scratch, "tofu"), "./cmd/tofu"], String(Dir), env);
    renameSync(join(scratch, "tofu"), join(target, "tofu"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return target;
}

/** In the cache, a folder for each version. */
export function cacheFolder(env: Environment): string {
  return join(cacheRoot(env), "tofu", tofuVersion);
}

function go(args: readonly string[], cwd: string, env: Environment): Promise<string> {
  const child = spawn("go", args, { cwd, env: { ...env, CGO_ENABLED: "0" }, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (part: Buffer) => {
    printed += part.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`go ${args[0]} ended with ${code ?? signal}; its messages are above`));
    });
  });
}
