// The folder where an embedded cluster lives: what is in it, and which version of this program it is for.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Env } from "@telltale/client";
import { Problem } from "../program/problem.ts";

/** Of what is in the folder. A program knows its own and older ones. */
const format = 1;

export interface Folder {
  readonly path: string;
  readonly store: string;
  readonly kubeconfig: string;
  /** Operators whose samples were applied here once: who deletes one does not want it back. */
  readonly sampled: readonly string[];
  sampledNow(operators: readonly string[]): void;
}

/** Where it is unless somebody says: where programs keep what they know. */
export function standardFolder(env: Env, home: string): string {
  const own = env["TELLTALE_DATA"];
  if (own !== undefined && own !== "") return own;
  const state = env["XDG_STATE_HOME"];
  return join(state !== undefined && state !== "" ? state : join(home, ".local/state"), "telltale");
}

export function openFolder(given: string): Folder {
  const path = resolve(given);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Problem(`the data folder ${path} cannot be used: ${why}`, "choose another with --data, or use --memory");
  }
  const file = join(path, "telltale.json");
  let record = recordIn(path, file);
  const save = () => {
    writeFileSync(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  save();
  return {
    path,
    store: join(path, "store"),
    kubeconfig: join(path, "kubeconfig"),
    get sampled() {
      return record.sampled;
    },
    sampledNow(operators) {
      record = { ...record, sampled: [...new Set([...record.sampled, ...operators])] };
      save();
    },
  };
}

interface Record {
  readonly format: number;
  readonly sampled: readonly string[];
}

function recordIn(path: string, file: string): Record {
  const text = textOf(file);
  if (text === undefined) return { format, sampled: [] };
  const record = parsed(text);
  if (record === undefined) {
    throw new Problem(`${file} cannot be read`, `remove ${path} to begin anew, or choose another folder with --data`);
  }
  if (record.format > format) {
    throw new Problem(
      `the data folder ${path} is of a newer telltale (format ${record.format}, and this one knows ${format})`,
      "update telltale, or choose another folder with --data",
    );
  }
  return { format, sampled: record.sampled };
}

function parsed(text: string): Record | undefined {
  try {
    const { format: version, sampled } = JSON.parse(text) as Partial<Record>;
    if (typeof version !== "number") return undefined;
    return { format: version, sampled: Array.isArray(sampled) ? sampled : [] };
  } catch {
    return undefined;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
