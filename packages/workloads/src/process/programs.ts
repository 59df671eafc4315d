// Finds the program that a command names, as the system would, and says plainly why it cannot be run. It runs nothing.
import { closeSync, constants, openSync, readSync, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { codeOf, Refusal } from "./refusal.ts";

export interface Search {
  /** The container's PATH, then our own. */
  readonly paths: readonly (string | undefined)[];
  /** Where a relative name with a slash begins. */
  readonly cwd: string;
}

/** The file to run. */
export async function findProgram(name: string, { paths, cwd }: Search): Promise<string> {
  if (name.includes("/")) {
    const file = isAbsolute(name) ? name : resolve(cwd, name);
    const problem = await problemOf(file);
    if (problem !== undefined) throw refused(name, problem);
    return file;
  }
  const folders = [...new Set(paths.flatMap((path) => path?.split(delimiter) ?? []))].filter((it) => it !== "");
  let found: string | undefined;
  for (const folder of folders) {
    const file = join(resolve(cwd, folder), name);
    const problem = await problemOf(file);
    if (problem === undefined) return file;
    if (problem !== missing) found ??= `${file}: ${problem}`;
  }
  throw refused(name, found ?? `executable file not found in $PATH (${folders.join(delimiter)}); install it there`);
}

const missing = "no such file or directory";

async function problemOf(file: string): Promise<string | undefined> {
  let found: Stats;
  try {
    found = await stat(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return missing;
    return code === "EACCES" ? "permission denied" : `cannot be looked at (${code})`;
  }
  if (found.isDirectory()) return "is a directory";
  if (!found.isFile()) return "is no regular file";
  // For root, access says yes to files that nobody may execute.
  if ((found.mode & 0o111) === 0) return "permission denied (it is not executable)";
  try {
    await access(file, constants.X_OK);
  } catch {
    return "permission denied";
  }
  return hasFormat(file) ? undefined : "exec format error (it is no binary, and does not begin with #!)";
}

/** Binaries of Linux and macOS, and scripts. For anything else the system's own search would put a shell in between. */
const formats = ["7f454c46", "cffaedfe", "cefaedfe", "feedface", "feedfacf", "cafebabe"];

function hasFormat(file: string): boolean {
  const head = Buffer.alloc(4);
  try {
    const fd = openSync(file, "r");
    try {
      readSync(fd, head, 0, 4, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    return true; // executable but not readable: the system will know
  }
  return head.toString("latin1", 0, 2) === "#!" || formats.includes(head.toString("hex"));
}

function refused(name: string, problem: string): Refusal {
  return new Refusal("CreateContainerError", `exec: ${JSON.stringify(name)}: ${problem}`);
}
