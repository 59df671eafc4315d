// Files and programs that exist in a test only.
import type { Files, Run } from "../src/connection.ts";

/** Files by path; a test may change them while it runs. */
export function fakeFiles(texts: Record<string, string>): Files & { readonly reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    async read(path) {
      reads.push(path);
      return texts[path];
    },
  };
}

export interface Ran {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program that prints what it is told to. */
export function fakeRun(print: (time: number) => object | string | Error): Run & { readonly ran: Ran[] } {
  const ran: Ran[] = [];
  const run: Run = async (command, args, env) => {
    ran.push({ command, args, env });
    const out = print(ran.length);
    if (out instanceof Error) throw out;
    if (typeof out === "string") return { code: 1, stdout: "", stderr: out };
    return { code: 0, stdout: JSON.stringify(out), stderr: "" };
  };
  return Object.assign(run, { ran });
}
