// Where the real kube-apiserver, etcd and kubectl are: given by the environment, in the cache, or built once with Go.
// kube-controller-manager is there, and built, only where somebody asks for it.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheRoot, type Environment } from "../cache.ts";
import { skipOrFail } from "../require.ts";

const components = [
  { name: "etcd", module: "go.etcd.io/etcd/server/v3" },
  { name: "kube-apiserver", module: "k8s.io/kubernetes/cmd/kube-apiserver" },
  { name: "kubectl", module: "k8s.io/kubernetes/cmd/kubectl" },
] as const;

/** What few need, by name. */
const extras = {
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
} as const;

export type Extra = keyof typeof extras;

const here = fileURLToPath(new URL(".", import.meta.url));

/** The folder with the components, or undefined where they would have to be built first. What few need is seldom in a given one. */
export function findAssets(env: Environment = process.env, more: readonly Extra[] = []): string | undefined {
  const given = env["KUBEBUILDER_ASSETS"];
  if (given) {
    const missing = missingIn(given, []);
    if (missing.length > 0) {
      const names = missing.map(({ name }) => name).join(", ");
      throw new Error(
        `KUBEBUILDER_ASSETS is ${given}, which has no ${names}; correct it, or unset it to build them with Go`,
      );
    }
    if (missingIn(given, more).length === 0) return given;
  }
  const cached = cacheFolder(env);
  return missingIn(cached, more).length === 0 ? cached : undefined;
}

/**
 * The components for a suite that runs only where they are; without them see `skipOrFail`:
 * `describe.skipIf(assets === undefined)`.
 */
export function assetsFor(
  suite: string,
  env: Environment = process.env,
  more: readonly Extra[] = [],
): string | undefined {
  const assets = findAssets(env, more);
  if (assets === undefined) {
    const names = ["kube-apiserver", ...more].join(" and ");
    const command = more.length === 0 ? "npm run envtest" : "npm run envtest -- --controller-manager";
    return skipOrFail(suite, names, `set KUBEBUILDER_ASSETS or run: ${command}`, env);
  }
  return assets;
}

/** Builds what is missing in the cache, one line to `say` before and after each component. Minutes, the first time. */
export async function buildAssets(
  say: (line: string) => void,
  env: Environment = process.env,
  more: readonly Extra[] = [],
): Promise<string> {
  const target = cacheFolder(env);
  if (spawnSync("go", ["version"], { env }).status !== 0) {
    throw new Error(
      "there is no Go to build kube-apiserver with; install Go, or set KUBEBUILDER_ASSETS to a folder that has it",
    );
  }
  mkdirSync(target, { recursive: true });
  // Each process builds in a folder of its own and renames: two at once do the work twice, and neither sees half a file.
  const scratch = mkdtempSync(join(target, "build-"));
  try {
    for (const { name, module } of missingIn(target, more)) {
      say(`building ${name} of Kubernetes ${kubernetesVersion()} (minutes the first time)`);
      const started = performance.now();
      await goBuild(module, join(scratch, name), env);
      renameSync(join(scratch, name), join(target, name));
      say(`built ${name} in ${Math.round((performance.now() - started) / 1000)} s`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return target;
}

/** In the cache, a folder for each version. */
export function cacheFolder(env: Environment): string {
  return join(cacheRoot(env), "envtest", kubernetesVersion());
}

export function kubernetesVersion(): string {
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(readFileSync(join(here, "go.mod"), "utf8"))?.[1];
  if (version === undefined) throw new Error("tools/envtest/go.mod names no version of k8s.io/kubernetes; require one");
  return version;
}

/** Without these the binaries say v0.0.0-master. */
function versionFlags(): string {
  const version = kubernetesVersion();
  const [major = "", minor = ""] = version.slice(1).split(".");
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}

function missingIn(folder: string, more: readonly Extra[]) {
  const wanted = [...components, ...more.map((name) => ({ name, module: extras[name] }))];
  return wanted.filter(({ name }) => !existsSync(join(folder, name)));
}

function goBuild(module: string, output: string, env: Environment): Promise<void> {
  const args = ["build", "-trimpath", "-ldflags", `-s -w ${versionFlags()}`, "-o", output, module];
  const go = spawn("go", args, {
    cwd: here,
    env: { ...env, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve, reject) => {
    go.once("error", reject);
    go.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go build ${module} ended with ${code ?? signal}; its messages are above`));
    });
  });
}
