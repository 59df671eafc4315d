// Finds a program on a PATH, and asks it for its version.
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Program } from "../choose.ts";

const run = promisify(execFile);

/** The first one on the path that runs. */
export async function findProgram(name: "tofu" | "terraform", path: string): Promise<Program | undefined> {
  for (const folder of path.split(":").filter((it) => it !== "")) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    const version = isThere ? await versionOf(file) : undefined;
    if (version !== undefined) return { file, version };
  }
  return undefined;
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    const env = { CHECKPOINT_DISABLE: "1", TF_CLI_CONFIG_FILE: "/dev/null" };
    const { stdout } = await run(file, ["version", "-json"], { env });
    const { terraform_version: version } = JSON.parse(stdout) as { terraform_version?: unknown };
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined; // it is no such program, or it does not run here
  }
}
