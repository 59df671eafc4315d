// Our merge beside kubectl's own, on the same files.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { type Entry, loadKubeconfig } from "./kubeconfig.ts";
import { systemFiles } from "./system.ts";

const assets = assetsFor("packages/client");

const texts: Record<string, string> = {
  red: `
current-context: red
clusters: [{ name: red, cluster: { server: "https://one" } }]
users: [{ name: red, user: { token: t1 } }]
contexts: [{ name: red, context: { cluster: red, user: red } }]`,
  blue: `
current-context: blue
clusters:
- { name: red, cluster: { server: "https://two", tls-server-name: x, proxy-url: "http://p" } }
- { name: blue, cluster: { server: "https://two" } }
users:
- { name: red, user: { username: u, password: p } }
- { name: blue, user: { token: t2 } }
contexts:
- { name: red, context: { cluster: blue, user: blue, namespace: web } }
- { name: blue, context: { cluster: blue, user: blue } }`,
  bare: `
users: [{ name: green, user: { token: t3, as: jane } }]`,
  empty: "",
};

interface View {
  readonly "current-context": string;
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[] | null;
  readonly users: readonly { readonly name: string; readonly user: object }[] | null;
  readonly contexts: readonly { readonly name: string; readonly context: object }[] | null;
}

describe.skipIf(assets === undefined)("merged as kubectl merges", () => {
  const folder = mkdtempSync(join(tmpdir(), "telltale-kubeconfig-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);

  const view = (list: string) => {
    const args = ["config", "view", "--raw", "-o", "json"];
    const env = { KUBECONFIG: list, HOME: folder };
    const output = execFileSync(join(assets ?? "", "kubectl"), args, { env, encoding: "utf8", stdio: "pipe" });
    return JSON.parse(output) as View;
  };
  const sorted = (all: ReadonlyMap<string, Entry<object>>) =>
    [...all].map(([name, { value }]) => [name, value]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));

  it.each([
    ["red"],
    ["red:blue"],
    ["blue:red"],
    ["bare:red:blue"],
    ["bare:blue:red"],
    ["none:red"],
    ["empty:blue:none:red"],
    ["red:red:blue"],
  ])("%s", async (names) => {
    const list = names
      .split(":")
      .map((name) => join(folder, name))
      .join(":");
    const ours = await loadKubeconfig({ files: systemFiles, env: { KUBECONFIG: list } });
    const theirs = view(list);
    expect(ours.currentContext).toBe(theirs["current-context"]);
    expect(sorted(ours.contexts)).toEqual((theirs.contexts ?? []).map(({ name, context }) => [name, context]));
    expect(sorted(ours.users)).toEqual((theirs.users ?? []).map(({ name, user }) => [name, user]));
    expect(sorted(ours.clusters)).toEqual((theirs.clusters ?? []).map(({ name, cluster }) => [name, cluster]));
  });
});
