// `npm run record:tree`: records what `npm start` shows on terminals of 80 and of 160 columns, for the docs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Event, thin } from "./thin.ts";

const help = `npm run record:tree

Runs telltale up with all operators and their samples on terminals of 80 and of 160 columns until the last sample has settled (a minute
each), and writes docs/live-tree-80.cast and docs/live-tree-160.cast: asciinema plays them. Needs python3.

  --help   print this`;

/** So that every tree has its line. */
const rows = 76;
/** The last that come: a machine that was found, and one that has moved. */
const settled = ["VirtualMachine\\S* db-1", "VMMigration\\S* mover-to-next"]
  .map((name) => `(?=.*?✓\\S* \\S*${name} )`)
  .join("");
/** Longer than that nobody waits. */
const patience = "180";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function record(columns: number): void {
  const folder = mkdtempSync(join(tmpdir(), "telltale-record-"));
  try {
    const raw = join(folder, "raw.cast");
    const data = join(folder, "data");
    const program = [process.execPath, at("packages/telltale/src/main.ts"), "up", "--data", data];
    const args = [
      at("packages/telltale/test/terminal.py"),
      String(columns),
      String(rows),
      `(?s)\\A${settled}`,
      ...program,
    ];
    // What it shows comes back on standard output too: nobody wants it there.
    const { status, stderr } = spawnSync("python3", args, {
      env: { ...process.env, TERMINAL_CAST: raw, TERMINAL_SECONDS: patience },
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr}`);
    const [head = "{}", ...lines] = readFileSync(raw, "utf8").trimEnd().split("\n");
    // On a busy machine a start takes long: nobody wants to watch that.
    const header = JSON.stringify({ ...JSON.parse(head), idle_time_limit: 2 });
    const events = lines.map((line): Event => {
      const [time, , text] = JSON.parse(line) as [number, string, string];
      return [time, text.replaceAll(data, "~/.local/state/telltale")];
    });
    const file = at(`docs/live-tree-${columns}.cast`);
    const kept = thin(events).map(([time, text]) => JSON.stringify([time, "o", text]));
    writeFileSync(file, `${[header, ...kept].join("\n")}\n`);
    console.log(`wrote docs/live-tree-${columns}.cast: ${kept.length} pictures, ${statSync(file).size} bytes`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help === true) console.log(help);
  else for (const columns of [80, 160]) record(columns);
} catch (error) {
  console.error(`record-tree: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
