// The folder of zone files. It is resolved once; nothing is written or removed outside it.
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { originOf } from "./zone-file.ts";

export class ZoneFolder {
  readonly path: string;
  #written = 0;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(path: string): Promise<ZoneFolder> {
    await mkdir(path, { recursive: true });
    const real = await realpath(path);
    // It becomes part of a quoted text in named's configuration.
    if (!/^[\w./@:+,= -]+$/.test(real))
      throw new Error(
        `the folder of zones ${JSON.stringify(real)} has a name that named could misread; choose another one`,
      );
    return new ZoneFolder(real);
  }

  fileOf(zone: string): string {
    const file = join(this.path, `${stemOf(zone)}.zone`);
    if (!file.startsWith(`${this.path}/`)) throw new Error("a zone file would lie outside the folder of zones");
    return file;
  }

  /** At once or not at all; without the journal of a zone that had the name before. */
  async write(zone: string, text: string): Promise<void> {
    const file = this.fileOf(zone);
    this.#written += 1;
    const scratch = join(this.path, `.${process.pid}-${this.#written}.tmp`);
    const handle = await open(scratch, "w", 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    try {
      await removeBeside(file);
      await rename(scratch, file);
    } catch (error) {
      await rm(scratch, { force: true });
      throw error;
    }
  }

  async remove(zone: string): Promise<void> {
    const file = this.fileOf(zone);
    await rm(file, { force: true });
    await removeBeside(file);
  }

  async isThere(): Promise<boolean> {
    return stat(this.path).then(
      (it) => it.isDirectory(),
      () => false,
    );
  }

  async zones(): Promise<readonly string[]> {
    const files = (await readdir(this.path)).filter((name) => name.endsWith(".zone") && !name.startsWith("."));
    const names = await Promise.all(files.map((name) => this.#zoneOf(name)));
    return names.filter((name) => name !== undefined).sort();
  }

  async #zoneOf(file: string): Promise<string | undefined> {
    const stem = file.slice(0, -".zone".length);
    if (!isHash(stem)) return stem;
    return originOf(await readFile(join(this.path, file), "utf8").catch(() => ""));
  }
}

/** What named writes beside the file of a zone. */
async function removeBeside(file: string): Promise<void> {
  for (const end of [".jnl", ".jbk", ".signed", ".signed.jnl"]) await rm(`${file}${end}`, { force: true });
}

/** A file name has 255 characters at most, and a zone nearly as many. No zone has a label of 64: the hash is nobody's name. */
const stemOf = (zone: string): string => (zone.length <= 240 ? zone : createHash("sha256").update(zone).digest("hex"));

const isHash = (stem: string): boolean => /^[0-9a-f]{64}$/.test(stem);
