import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { certificateOf, kubeconfigProblem } from "./kubeconfig.ts";

const config = (change: (text: string) => string = (text) => text) =>
  change(`apiVersion: v1
kind: Config
current-context: c
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443
users:
- name: u
  user:
    token: hush
contexts:
- name: c
  context:
    cluster: c
    user: u
`);

describe("CP-11 a kubeconfig", () => {
  it("can be used as YAML, as JSON, and as Terraform encodes it", async () => {
    expect(await kubeconfigProblem(config())).toBeUndefined();
    const quoted = config((text) =>
      text.replaceAll(/^(\s*-? ?)([a-zA-Z-]+):/gm, '$1"$2":').replace("Config", '"Config"'),
    );
    expect(quoted).toContain('"kind": "Config"');
    expect(await kubeconfigProblem(quoted)).toBeUndefined();
    const json = {
      kind: "Config",
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: "https://a" } }],
      contexts: [{ name: "c", context: { cluster: "c" } }],
    };
    expect(await kubeconfigProblem(JSON.stringify(json))).toBeUndefined();
    expect(await kubeconfigProblem(JSON.stringify({ ...json, kind: "Pod" }))).toBe("kind is not Config");
    // Anything that YAML takes for the same.
    expect(
      await kubeconfigProblem(config((text) => text.replace("kind: Config", "kind : !!str Config"))),
    ).toBeUndefined();
  });

  it.each([
    ["text", () => "token: [", "it is not a YAML mapping with lists of named clusters, users and contexts"],
    ["nothing", () => "", "it is not a YAML mapping with lists of named clusters, users and contexts"],
    ["another kind", (text: string) => text.replace("kind: Config", "kind: Secret"), "kind is not Config"],
    ["no context", (text: string) => text.replace("current-context: c", ""), "current-context names no context"],
    [
      "another context",
      (text: string) => text.replace("context: c\n", "context: d\n"),
      "current-context names no context",
    ],
    [
      "an unknown cluster",
      (text: string) => text.replace("    cluster: c", "    cluster: d"),
      "the current context names no cluster",
    ],
    ["plain http", (text: string) => text.replace("https:", "http:"), "a cluster has no https server"],
    [
      "no server",
      (text: string) => text.replace("    server: https://10.0.0.1:6443\n", "    proxy-url: x\n"),
      "a cluster has no https server",
    ],
  ])("with %s is refused by the name of a rule", async (_what, change, rule) => {
    const problem = await kubeconfigProblem(config(change));
    expect(problem).toBe(rule);
    expect(problem).not.toContain("hush");
  });
});

describe("CP-10 a certificate", () => {
  const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

  it("is taken as PEM, and as PEM in base64", () => {
    expect(certificateOf(pem)).toBe(pem);
    expect(certificateOf(Buffer.from(pem).toString("base64"))).toBe(pem);
  });

  it("is decoded once, and is nothing else", () => {
    const twice = Buffer.from(Buffer.from(pem).toString("base64")).toString("base64");
    expect([certificateOf(twice), certificateOf("hello"), certificateOf("")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
