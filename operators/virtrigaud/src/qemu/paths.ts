// Which of the host's files a caller may name: those inside given folders, after every symbolic link is followed.
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { RpcError } from "../contract/rpc-error.ts";

/** Whether a path is inside a folder, both already without links and dots. */
export function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The real path of a file that is there, which must be inside one of the folders. */
export async function allowedFile(path: string, folders: readonly string[]): Promise<string> {
  checked(path);
  const real = await realpath(path).catch(() => undefined);
  return within(real, folders);
}

/** The same for a file that is still to be written: its folder must be there. */
export async function allowedTarget(path: string, folders: readonly string[]): Promise<string> {
  checked(path);
  const name = basename(path);
  if (name === "" || name === "." || name === "..") throw refused();
  const folder = await realpath(dirname(path)).catch(() => undefined);
  return within(folder === undefined ? undefined : join(folder, name), folders);
}

async function within(real: string | undefined, folders: readonly string[]): Promise<string> {
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  // One answer whether it is not there or not allowed: who may not read the host's disk does not learn what is on it.
  if (real === undefined || !roots.some((root) => root !== undefined && isInside(root, real))) throw refused();
  return real;
}

function checked(path: string): void {
  if (!isAbsolute(path) || /[\0\n\r]/.test(path) || path.length > 4096 || path.split(sep).includes(".."))
    throw refused();
}

function refused(): RpcError {
  return new RpcError(
    "INVALID_ARGUMENT",
    "the path is not that of a file in the state directory, an image directory or the migration storage",
  );
}
