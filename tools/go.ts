// Programs of Go modules: given by the environment, in the cache, or built once with Go.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot, type Environment } from "./cache.ts";

export interface GoProgram {
  /** `OpenTofu` */
  readonly title: string;
  /** Of its file: `tofu` */
  readonly name: string;
  /** Names a folder that has it. */
  readonly variable: string;
  readonly version: string;
  readonly module: string;
  /** In its module: `./cmd/tofu` */
  readonly source: string;
  /** Of the linker, beside those that make it small. */
  readonly flags: string;
  /** What is laid beside it, of modules that are fetched for it. */
  readonly files?: readonly GoFile[];
}

interface GoFile {
  readonly name: string;
  /** `example.com/module@v1.2.3` */
  readonly module: string;
  readonly path: string;
}

/** The folder that has it, or undefined where it would have to be built first. */
export function find(it: GoProgram, env: Environment = process.env): string | undefined {
  const given = env[it.variable];
  if (!given) return isBuilt(it, cacheFolder(it, env)) ? cacheFolder(it, env) : undefined;
  if (existsSync(join(given, it.name))) return given;
  throw new Error(`${it.variable} is ${given}, which has no ${it.name}; correct it, or unset it to build one with Go`);
}

/** Builds it in the cache, unless it is there. Minutes, the first time. Needs Go, and its module proxy. */
export async function build(
  it: GoProgram,
  say: (line: string) => void,
  env: Environment = process.env,
): Promise<string> {
  const target = cacheFolder(it, env);
  if (isBuilt(it, target)) return target;
  if (spawnSync("go", ["version"], { env }).status !== 0) {
    throw new Error(
      `there is no Go to build ${it.name} with; install Go, or set ${it.variable} to a folder that has ${it.name}`,
    );
  }
  mkdirSync(target, { recursive: true });
  // Each process builds in a folder of its own and renames: two at once do the work twice, and neither sees half a file.
  const scratch = mkdtempSync(join(target, "build-"));
  try {
    say(`building ${it.title} ${it.version} (minutes the first time)`);
    const fetched = async (module: string): Promise<string> =>
      JSON.parse(await go(["mod", "download", "-json", module], scratch, env)).Dir;
    for (const { name, module, path } of it.files ?? []) {
      copyFileSync(join(await fetched(module), path), join(scratch, name));
      renameSync(join(scratch, name), join(target, name));
    }
    // Where its go.mod replaces a module, `go install` does not take it from others: it is built where it lies.
    const folder = await fetched(`${it.module}@v${it.version}`);
    const output = join(scratch, it.name);
    await go(["build", "-trimpath", "-ldflags", `-s -w ${it.flags}`, "-o", output, it.source], folder, env);
    renameSync(output, join(target, it.name));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return target;
}

/** In the cache, a folder for each version. */
export const cacheFolder = ({ name, version }: GoProgram, env: Environment): string =>
  join(cacheRoot(env), name, version);

const isBuilt = ({ name, files = [] }: GoProgram, folder: string): boolean =>
  [name, ...files.map((file) => file.name)].every((file) => existsSync(join(folder, file)));

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
