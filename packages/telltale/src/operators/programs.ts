// Programs of this machine, by name.
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Where it is on a PATH; undefined: nowhere. */
export async function programOn(path: string | undefined, name: string): Promise<string | undefined> {
  for (const folder of (path ?? "").split(delimiter).filter((it) => it !== "")) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
