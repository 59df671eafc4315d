// Where upstream's Bindcar is: given by the environment, in the cache, or built once with cargo. Bindy runs with several versions of it.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheRoot, type Environment } from "../cache.ts";
import { skipOrFail } from "../require.ts";

interface Release {
  readonly version: string;
  /** Beside `bindcar --version`. A build with TLS takes minutes longer, and pods are reached without it. */
  readonly flags: readonly string[];
}

/** The release that the default image of Bindy names, and the newest. */
const releases: readonly Release[] = [
  { version: "0.7.2", flags: [] },
  { version: "0.9.0", flags: ["--no-default-features", "--features", "server"] },
];

export const bindcarVersions: readonly string[] = releases.map(({ version }) => version);

const variable = "TELLTALE_BINDCAR";

/** The program of a version, in a folder that `findBindcar` has found. */
export const bindcarIn = (folder: string, version: string): string => join(folder, version, "bin", "bindcar");

const missingIn = (folder: string): readonly string[] =>
  bindcarVersions.filter((version) => !existsSync(bindcarIn(folder, version)));

const cacheFolder = (env: Environment): string => join(cacheRoot(env), "bindcar");

/** The folder with a folder for each version, or undefined where one has to be built first. */
export function findBindcar(env: Environment = process.env): string | undefined {
  const configured = env[variable];
  const folder = configured || cacheFolder(env);
  const missing = missingIn(folder);
  if (missing.length === 0) return folder;
  if (!configured) return undefined;
  const paths = missing.map((version) => bindcarIn("", version)).join(", ");
  throw new Error(
    `${variable} is ${configured}, which has no ${paths}; correct it, or unset it to build them with cargo`,
  );
}

/** The folder for a suite that runs only where Bindcar is. Without it see `skipOrFail`. */
export function bindcarFor(suite: string, env: Environment = process.env): string | undefined {
  const folder = findBindcar(env);
  return folder ?? skipOrFail(suite, "upstream's Bindcar", `set ${variable} or run: npm run bindcar`, env);
}

/** Builds what is missing in the cache. Minutes, the first time. Needs Rust 1.88 or newer, and the registry of crates. */
export async function buildBindcar(say: (line: string) => void, env: Environment = process.env): Promise<string> {
  const folder = cacheFolder(env);
  const missing = missingIn(folder);
  if (missing.length === 0) return folder;
  if (spawnSync("cargo", ["--version"], { env }).status !== 0)
    throw new Error(
      `there is no cargo to build Bindcar with; install Rust, or set ${variable} to a folder that has ${missing.map((it) => bindcarIn("", it)).join(", ")}`,
    );
  mkdirSync(folder, { recursive: true });
  // Each process builds in a folder of its own and renames: two at once do the work twice, and neither sees half a file.
  const scratch = mkdtempSync(join(folder, "build-"));
  try {
    const pages = env[pagesVariable] ?? `file://${fetchPages(scratch, env)}`;
    for (const release of releases.filter(({ version }) => missing.includes(version))) {
      say(`building Bindcar ${release.version} (minutes the first time)`);
      await install(release, scratch, { [pagesVariable]: pages, ...env });
      mkdirSync(join(folder, release.version, "bin"), { recursive: true });
      renameSync(bindcarIn(scratch, release.version), bindcarIn(folder, release.version));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

const pagesVariable = "SWAGGER_UI_DOWNLOAD_URL";

/** The pages of its documentation, which its build downloads from GitHub unless they are given: a crate has them too. */
function fetchPages(scratch: string, env: Environment): string {
  const [crate, version, file] = ["utoipa-swagger-ui-vendored", "0.2.0", "res/v5.32.6.zip"];
  const manifest = join(scratch, "pages", "Cargo.toml");
  mkdirSync(join(scratch, "pages"));
  writeFileSync(join(scratch, "pages", "lib.rs"), "");
  writeFileSync(
    manifest,
    `[package]\nname = "pages"\nedition = "2021"\n[lib]\npath = "lib.rs"\n[dependencies]\n${crate} = "=${version}"\n`,
  );
  const args = ["metadata", "--format-version", "1", "--manifest-path", manifest];
  const { status, stdout } = spawnSync("cargo", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const { packages = [] } = status === 0 ? (JSON.parse(stdout) as Metadata) : {};
  const found = packages.find(({ name }) => name === crate);
  if (found === undefined) throw new Error(`cargo cannot fetch the crate ${crate} ${version}; its messages are above`);
  return join(dirname(found.manifest_path), file);
}

interface Metadata {
  readonly packages?: readonly { readonly name: string; readonly manifest_path: string }[];
}

/** As its authors locked it, and not optimised: that takes several times as long, and a suite waits for BIND. */
function install({ version, flags }: Release, scratch: string, env: Environment): Promise<void> {
  const args = ["install", "bindcar", "--version", version, "--locked", "--debug", "--no-track", ...flags];
  const child = spawn("cargo", [...args, "--root", join(scratch, version)], {
    env: { CARGO_PROFILE_DEV_DEBUG: "0", CARGO_TARGET_DIR: join(scratch, "target"), ...env },
    stdio: ["ignore", 2, "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`cargo install ended with ${code ?? signal}; its messages are above`));
    });
  });
}
