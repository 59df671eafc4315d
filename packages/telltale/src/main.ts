#!/usr/bin/env node
// `telltale`: see `program/program.ts`.
import { enableCompileCache } from "node:module";

// To take the types off a thousand small files takes a second; the next start finds them as they were.
enableCompileCache();
const { program } = await import("./program/program.ts");

const stop = new AbortController();
let asked = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    asked += 1;
    // Who asks twice does not want to wait for a good end.
    if (asked > 1) process.exit(130);
    stop.abort();
  });
}
// Whoever read what we print has gone away: `telltale tree | head`.
process.stdout.on("error", () => process.exit(0));

const { argv, env, stdout, stderr } = process;
const code = await program({ argv: argv.slice(2), env, stdout, stderr, signal: stop.signal });
// What was printed arrives; whatever else is still open keeps nobody waiting.
stdout.write("", () => process.exit(code));
