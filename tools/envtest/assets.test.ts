import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildAssets, cacheFolder, findAssets, kubernetesVersion } from "./assets.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-assets-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(where: string, ...names: string[]): void {
  mkdirSync(where, { recursive: true });
  for (const name of names) writeFileSync(join(where, name), "");
}

test("the version is that of go.mod", () => {
  expect(kubernetesVersion()).toMatch(/^v1\.\d+\.\d+$/);
});

test("the cache is the nearest one that the environment names", () => {
  const rest = `/envtest/${kubernetesVersion()}`;
  expect(cacheFolder({ TELLTALE_CACHE: "/a", XDG_CACHE_HOME: "/b", HOME: "/c" })).toBe(`/a${rest}`);
  expect(cacheFolder({ XDG_CACHE_HOME: "/b", HOME: "/c" })).toBe(`/b/telltale${rest}`);
  expect(cacheFolder({ HOME: "/c" })).toBe(`/c/.cache/telltale${rest}`);
});

test("a given folder comes first", () => {
  put(folder, "etcd", "kube-apiserver", "kubectl");
  expect(findAssets({ KUBEBUILDER_ASSETS: folder })).toBe(folder);
});

test("a given folder without a component is an error that names it", () => {
  put(folder, "etcd", "kubectl");
  expect(() => findAssets({ KUBEBUILDER_ASSETS: folder })).toThrow(/has no kube-apiserver; correct it, or unset it/);
});

test("the cache counts when it is complete", () => {
  const env = { TELLTALE_CACHE: folder };
  expect(findAssets(env)).toBeUndefined();
  put(cacheFolder(env), "etcd", "kube-apiserver");
  expect(findAssets(env)).toBeUndefined();
  put(cacheFolder(env), "kubectl");
  expect(findAssets(env)).toBe(cacheFolder(env));
});

test("without Go the error says what to do", async () => {
  await expect(buildAssets(() => {}, { TELLTALE_CACHE: folder, PATH: folder })).rejects.toThrow(
    /set KUBEBUILDER_ASSETS/,
  );
});

test("what is there is not built again", async () => {
  const env = { TELLTALE_CACHE: folder, PATH: folder };
  put(cacheFolder(env), "etcd", "kube-apiserver", "kubectl");
  writeFileSync(join(folder, "go"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const said: string[] = [];
  expect(await buildAssets((line) => said.push(line), env)).toBe(cacheFolder(env));
  expect(said).toEqual([]);
});

test("a component is in the cache only when its build has succeeded", async () => {
  const env = { TELLTALE_CACHE: folder, PATH: folder };
  const go = (then: string) =>
    writeFileSync(join(folder, "go"), `#!/bin/sh\n[ "$1" = version ] && exit 0\n: > "$6"\n${then}\n`, { mode: 0o755 });
  go("exit 1");
  await expect(buildAssets(() => {}, env)).rejects.toThrow(/go build go\.etcd\.io\/etcd\/server\/v3 ended with 1/);
  expect(findAssets(env)).toBeUndefined();
  go("exit 0");
  await buildAssets(() => {}, env);
  expect(findAssets(env)).toBe(cacheFolder(env));
});

test("kube-controller-manager is looked for, and built, only where it is asked for", async () => {
  const env = { TELLTALE_CACHE: folder, PATH: folder };
  put(cacheFolder(env), "etcd", "kube-apiserver", "kubectl");
  expect(findAssets(env)).toBe(cacheFolder(env));
  expect(findAssets(env, ["kube-controller-manager"])).toBeUndefined();
  writeFileSync(join(folder, "go"), `#!/bin/sh\n[ "$1" = version ] || : > "$6"\n`, { mode: 0o755 });
  const said: string[] = [];
  await buildAssets((line) => said.push(line), env, ["kube-controller-manager"]);
  expect(said.join()).toMatch(/^building kube-controller-manager of .*built kube-controller-manager in/);
  expect(findAssets(env, ["kube-controller-manager"])).toBe(cacheFolder(env));
});

test("where a given folder has no kube-controller-manager, the one of the cache is taken with all that belongs to it", () => {
  const env = { KUBEBUILDER_ASSETS: folder, TELLTALE_CACHE: join(folder, "cache") };
  put(folder, "etcd", "kube-apiserver", "kubectl");
  expect(findAssets(env, ["kube-controller-manager"])).toBeUndefined();
  put(cacheFolder(env), "etcd", "kube-apiserver", "kubectl", "kube-controller-manager");
  expect([findAssets(env), findAssets(env, ["kube-controller-manager"])]).toEqual([folder, cacheFolder(env)]);
});
