// The operators that are measured, each made ready once in the cache outside the checkout: built, or installed, and
// found again by the hash of what it is made of.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../../../tools/envtest/assets.ts";

/** A program that takes the flags of the bench: `--kubeconfig`, `--mode`, `--namespace`, `--workers`, `--expect`. */
export interface Peer {
  readonly name: PeerName;
  readonly program: string;
  readonly args: readonly string[];
  /** Where a module is loaded, how: in this folder, by this name. */
  readonly module?: { readonly folder: string; readonly name: string };
}

const peers = {
  ours: prepareOurs,
  "controller-runtime": (say: Say) => prepareGo(say, []),
  "controller-runtime-patch": (say: Say) => prepareGo(say, ["--write=patch"]),
  "controller-runtime-stripped": (say: Say) => prepareGo(say, ["--strip-managed-fields"]),
  "client-node": (say: Say) => prepareClientNode(say, []),
  "client-node-patch": (say: Say) => prepareClientNode(say, ["--write=patch"]),
};

export type PeerName = keyof typeof peers;
export const peerNames = Object.keys(peers) as readonly PeerName[];
export const isPeer = (name: string): name is PeerName => name in peers;

type Say = (line: string) => void;
type Ready = Omit<Peer, "name">;

export async function prepare(name: PeerName, say: Say): Promise<Peer> {
  return { name, ...(await peers[name](say)) };
}

const root = fileURLToPath(new URL("../../../", import.meta.url));

async function prepareGo(say: Say, args: readonly string[]): Promise<Ready> {
  const source = join(root, "bench/peers/controller-runtime");
  const folder = await made("controller-runtime", files(source, ["**/*.go", "go.mod", "go.sum"]), async (target) => {
    say("building the operator on controller-runtime (minutes the first time)");
    const build = ["build", "-trimpath", "-ldflags", "-s -w", "-o", join(target, "operator"), "."];
    await run("go", build, source, { CGO_ENABLED: "0" });
  });
  return { program: join(folder, "operator"), args };
}

async function prepareClientNode(say: Say, args: readonly string[]): Promise<Ready> {
  const source = join(root, "bench/peers/client-node");
  const parts = files(source, ["*.js", "*.json"]);
  const folder = await made("client-node", parts, async (target) => {
    say("installing @kubernetes/client-node");
    for (const path of parts) copyFileSync(path, join(target, relative(source, path)));
    await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], target);
  });
  const module = { folder, name: "@kubernetes/client-node" };
  return { program: process.execPath, args: [join(folder, "operator.js"), ...args], module };
}

/** A package of ours and all of ours that it needs, by the names of their folders. */
function withNeeds(name: string, found = new Set<string>()): Set<string> {
  found.add(name);
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const other of Object.keys(dependencies)) {
    const folder = other.startsWith("@telltale/") ? other.slice("@telltale/".length) : name;
    if (!found.has(folder)) withNeeds(folder, found);
  }
  return found;
}

/**
 * Ours runs as a user runs it: from the JavaScript that is published, not from the workspace. Copies of each `dist` stand
 * side by side in a `node_modules`; what they need from others is linked to the workspace's.
 */
async function prepareOurs(say: Say): Promise<Ready> {
  const packages = [...withNeeds("runtime")];
  const sources = packages.flatMap((name) => files(join(root, "packages", name), ["src/**/*.ts", "package.json"]));
  const own = files(join(root, "bench/src/runtime"), ["ours.ts", "kinds.ts"]);
  const folder = await made("ours", [...sources, ...own], async (target) => {
    say("building our packages");
    await run(process.execPath, ["tools/build.ts"], root);
    const modules = join(target, "node_modules");
    for (const name of packages) {
      cpSync(join(root, "packages", name, "dist"), join(modules, "@telltale", name), { recursive: true });
    }
    for (const name of readdirSync(join(root, "node_modules"))) {
      if (!name.startsWith(".") && name !== "@telltale")
        symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
    writeFileSync(join(target, "package.json"), JSON.stringify({ type: "module" }));
    for (const path of own) copyFileSync(path, join(target, basename(path)));
    const config = { extends: join(root, "tsconfig.json"), compilerOptions: { noEmit: false }, include: ["*.ts"] };
    writeFileSync(join(target, "tsconfig.json"), JSON.stringify(config));
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", target], target);
  });
  const module = { folder, name: "@telltale/runtime" };
  return { program: process.execPath, args: [join(folder, "ours.js")], module };
}

function files(folder: string, patterns: string[]): string[] {
  return globSync(patterns, { cwd: folder, exclude: ["**/node_modules/**", "**/*.test.ts"] })
    .sort()
    .map((path) => join(folder, path));
}

/** The folder for these sources, filled by `fill` when it is not there. Renamed when complete: nobody sees half of it. */
async function made(
  name: string,
  sources: readonly string[],
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  for (const path of sources) hash.update(`${relative(root, path)}\n`).update(readFileSync(path));
  const cache = join(cacheFolder(process.env), "..", "..", "bench");
  const folder = join(cache, `${name}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, "build-"));
  try {
    await fill(scratch);
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

function run(file: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
  return new Promise<void>((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`${file} did not start (${error.message}); is it installed?`)));
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code ?? signal}; its messages are above`));
    });
  });
}
