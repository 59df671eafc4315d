// Runs named as a container of the process runtime: its configuration is copied to where its paths and ports are the real ones.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { rewritten } from "./rewrite.ts";

const {
  TELLTALE_ROOT: root = "",
  POD_IP: address = "127.0.0.1",
  LOCAL_PATH: path = "",
  LOCAL_MODE: mode = "real",
} = process.env;
const [dns, rndc] = [Number(process.env["PORT_5353"] ?? 5353), Number(process.env["PORT_9530"] ?? 9530)];

if (mode === "simulated") stand();
else run();

/** Somebody has to answer the probes of a named that is only simulated. */
function stand(): void {
  const server = createServer((socket) => socket.end()).listen(dns, address);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => server.close(() => process.exit(0)));
}

function run(): void {
  const etc = join(root, "etc/bind");
  const copy = join(root, "local");
  mkdirSync(copy, { recursive: true, mode: 0o700 });
  const files = ["named.conf", "named.conf.options", "named.conf.zones"];
  for (const file of files) {
    const text = textOf(join(etc, file));
    if (text === undefined) continue;
    const place = rewritten(text, { root, address, dns, rndc });
    // What is included is a copy too.
    writeFileSync(
      join(copy, file),
      place.replace(/include "[^"]*\/etc\/bind\/(named\.conf\.(?:options|zones))"/g, `include "${copy}/$1"`),
    );
  }
  // A file that is mounted alone may have any name by now: it is the one after -c.
  const given = process.argv.slice(2);
  const args = given.map((word, i) => (given[i - 1] === "-c" ? join(copy, "named.conf") : word));
  const child = spawn("named", [...args, "-n", "1"], { stdio: "inherit", env: { ...process.env, PATH: path } });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`named: ${error.message}`);
    process.exit(127);
  });
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 143)));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
