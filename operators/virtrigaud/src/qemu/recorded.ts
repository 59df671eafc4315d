// A program that leaves its exit code in a file: by renaming, so that the file is there with the code or not at all.
import { readFile } from "node:fs/promises";

/** What its process is found by, with the file. */
export const marker = "telltale-task";

/** Its text is fixed, and what it runs comes as arguments: nothing of a caller's is ever read by a shell. */
const script = 'rc=$1; shift; "$@"; code=$?; printf %s "$code" > "$rc.tmp" && mv -f "$rc.tmp" "$rc"';

export function recorded(argv: readonly string[], rc: string): readonly string[] {
  return ["sh", "-c", script, marker, rc, ...argv];
}

/** The exit code; undefined while it runs, or when it was ended with its shell. */
export async function readRc(path: string): Promise<number | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
