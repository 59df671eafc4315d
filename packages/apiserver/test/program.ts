// The server as a person starts it: a child process, by its command line, with a kubeconfig in a folder of its own.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

export interface Program {
  /** Its own, for whatever a suite wants to write; gone after `stop`. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly url: string;
  /** The administrator, for `send` of tools/envtest. */
  readonly token: string;
  readonly ca: string;
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const token = "administrator-of-a-test";

export async function startProgram(args: readonly string[] = []): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-program-"));
  const kubeconfig = join(folder, "kubeconfig");
  const child = spawn(process.execPath, [main, "--kubeconfig-out", kubeconfig, "--token", token, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = JSON.parse(await firstLine(child)) as { url: string };
  const config = parse(readFileSync(kubeconfig, "utf8")) as {
    clusters: { cluster: { "certificate-authority-data": string } }[];
  };
  const ca = Buffer.from(config.clusters[0]?.cluster["certificate-authority-data"] ?? "", "base64").toString();
  return {
    folder,
    kubeconfig,
    url: ready.url,
    token,
    ca,
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
}

export interface Running {
  /** What it has written so far. */
  output(): Omit<Ended, "exit">;
  stop(): Promise<Ended>;
}

/** One command to its end; one that takes longer than `timeoutMs` is ended, and its exit code is null. */
export function run(
  file: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; stdin?: string; timeoutMs?: number } = {},
): Promise<Ended> {
  const { env = process.env, cwd, stdin, timeoutMs = 60_000 } = options;
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env, cwd, timeout: timeoutMs, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        resolve({ stdout, stderr, exit: typeof code === "number" ? code : null });
      },
    );
    child.stdin?.end(stdin ?? "");
  });
}

/** A command that goes on until it is stopped. */
export function start(
  file: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Running {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (exit) => resolve({ stdout, stderr, exit }));
  });
  return {
    output: () => ({ stdout, stderr }),
    async stop() {
      if (child.exitCode === null) child.kill("SIGTERM");
      return ended;
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it was ready`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}
