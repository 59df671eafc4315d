// Files of a volume that change all at once, laid out as a kubelet does it: the files are in a folder of their own, `..data`
// is a link to it, and what a program opens are links through `..data`. One rename moves all of them.
import { chmod, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Instant } from "@telltale/kinds";
import { codeOf } from "./refusal.ts";
import type { Files } from "./volumes.ts";

const current = "..data";

/** Puts these files in place of what is there. A crash at any point leaves the old files or the new ones. */
export async function replaceFiles(folder: string, files: Files, now: Instant): Promise<void> {
  await mkdir(folder, { recursive: true });
  const made = await newFolder(folder, now);
  for (const [path, { bytes, mode }] of files) {
    const file = join(folder, made, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    await chmod(file, mode); // not at creation: the umask would take bits away
  }
  const before = await readlink(join(folder, current)).catch(() => undefined);
  await link(made, join(folder, current));
  await showFiles(folder, files);
  for (const name of await readdir(folder)) {
    const isOld = name.startsWith("..") && name !== current && name !== made;
    if (isOld || name === before) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** A folder named after the moment; in the same millisecond, after its turn. */
async function newFolder(folder: string, now: Instant): Promise<string> {
  const moment = new Date(now).toISOString().replace(/[-:T]/g, "_").slice(0, -1);
  for (let turn = 0; ; turn += 1) {
    const name = `..${moment}.${turn}`;
    try {
      await mkdir(join(folder, name));
      return name;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** The links that programs see: one for each first part of a path. */
async function showFiles(folder: string, files: Files): Promise<void> {
  const wanted = new Set([...files.keys()].map((path) => path.split("/")[0] ?? path));
  for (const name of await readdir(folder)) {
    if (name.startsWith("..") || wanted.has(name)) continue;
    const target = await readlink(join(folder, name)).catch(() => undefined);
    if (target === join(current, name)) await rm(join(folder, name), { force: true });
  }
  for (const name of wanted) {
    const target = await readlink(join(folder, name)).catch(() => undefined);
    if (target !== join(current, name)) await link(join(current, name), join(folder, name));
  }
}

/** A link in place of whatever is there, in one step. */
async function link(target: string, path: string): Promise<void> {
  const aside = join(dirname(path), "..next");
  await rm(aside, { force: true });
  await symlink(target, aside);
  await rename(aside, path);
}
