// The samples of an operator, as objects: those that a person would apply, in the order of their files.
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { KubeObject } from "@telltale/kinds";
import { parseAllDocuments } from "yaml";
import type { Operator } from "./operator.ts";

export interface Sample {
  /** `minimal.yaml` */
  readonly file: string;
  readonly object: KubeObject;
}

export async function samplesOf(operator: Pick<Operator, "packageName">): Promise<readonly Sample[]> {
  const folder = await folderBeside(operator, "samples");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml")).sort();
  const all = await Promise.all(files.map(async (file) => samplesIn(file, await readFile(join(folder, file), "utf8"))));
  return all.flat();
}

export const samplesIn = (file: string, text: string): readonly Sample[] =>
  parseAllDocuments(text).flatMap((document) => {
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [{ file, object }];
  });

/** In a checkout it is beside the sources, in a package that is installed beside what was built of them. */
export async function folderBeside({ packageName }: Pick<Operator, "packageName">, name: string): Promise<string> {
  const entry = dirname(createRequire(import.meta.url).resolve(packageName));
  const places = [join(entry, name), join(entry, "..", name)];
  for (const place of places) if (await readdir(place).catch(() => undefined)) return place;
  throw new Error(`${packageName} has no folder ${name}: looked in ${places.join(" and ")}`);
}
