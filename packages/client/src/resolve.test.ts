import { VirtualClock } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import { fakeFiles, fakeRun } from "../test/fake-machine.ts";
import { mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";
import { type ResolveOptions, resolveConnection } from "./resolve.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const pemOf = (name: string) => `-----BEGIN ${name}-----`;

interface Given {
  readonly user?: object;
  readonly cluster?: object;
  readonly context?: object;
  readonly files?: Record<string, string>;
  readonly options?: Partial<ResolveOptions>;
}

async function connect({ user = {}, cluster = {}, context = {}, files = {}, options = {} }: Given) {
  const text = JSON.stringify({
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: "https://host:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u", ...context } }],
  });
  const clock = new VirtualClock();
  const config = await parseKubeconfig("/dir/config", text);
  const run = fakeRun(() => new Error("no programs here"));
  const connection = resolveConnection(config, { files: fakeFiles(files), run, env: {}, clock, ...options });
  return { connection, clock, files };
}

describe("who we are", () => {
  it.each<[string, object, object]>([
    ["nobody", {}, {}],
    ["a token", { token: "t" }, { authorization: "Bearer t" }],
    ["name and password", { username: "u", password: "p" }, { authorization: `Basic ${base64("u:p")}` }],
    ["a token file, relative to its kubeconfig", { tokenFile: "token" }, { authorization: "Bearer from-file" }],
    [
      "a token file before the token beside it",
      { tokenFile: "token", token: "t" },
      { authorization: "Bearer from-file" },
    ],
    ["the token while the file is missing", { tokenFile: "none", token: "t" }, { authorization: "Bearer t" }],
    [
      "someone else, with several groups",
      {
        token: "t",
        as: "jane",
        "as-uid": "7",
        "as-groups": ["dev", "ops, all"],
        "as-user-extra": { "Acme.com/Scope": ["a", "b"] },
      },
      {
        authorization: "Bearer t",
        "impersonate-user": "jane",
        "impersonate-uid": "7",
        "impersonate-group": ["dev", "ops, all"],
        "impersonate-extra-acme.com%2Fscope": ["a", "b"],
      },
    ],
  ])("%s", async (_name, user, headers) => {
    const { connection } = await connect({ user, files: { "/dir/token": "from-file\n" } });
    expect(await connection.identity()).toEqual(headers);
  });

  it("a token file is read again after a minute, or at once when the server did not believe it", async () => {
    const files: Record<string, string> = { "/dir/token": "one" };
    const { connection, clock } = await connect({ user: { tokenFile: "token" }, files });
    const token = async () => (await connection.identity())["authorization"];
    expect(await token()).toBe("Bearer one");
    files["/dir/token"] = "two";
    clock.advance(59_000);
    expect(await token()).toBe("Bearer one");
    clock.advance(1_000);
    expect(await token()).toBe("Bearer two");
    files["/dir/token"] = "three";
    expect(connection.forget()).toBe(true);
    expect(await token()).toBe("Bearer three");
    delete files["/dir/token"];
    clock.advance(60_000);
    expect(await token()).toBe("Bearer three");
  });

  it("a token that cannot change is not asked for again", async () => {
    const { connection } = await connect({ user: { token: "t" } });
    expect(connection.forget()).toBe(false);
  });
});

describe("the certificates", () => {
  it("come from data before files, and files are relative to their kubeconfig", async () => {
    const { connection } = await connect({
      cluster: {
        "certificate-authority": "ignored",
        "certificate-authority-data": base64(pemOf("CA")),
        "tls-server-name": "kube",
      },
      user: { "client-certificate": "pki/cert", "client-key": "/abs/key" },
      files: { "/dir/pki/cert": pemOf("CERT"), "/abs/key": pemOf("KEY") },
    });
    expect(await connection.tls()).toEqual({
      ca: pemOf("CA"),
      cert: pemOf("CERT"),
      key: pemOf("KEY"),
      serverName: "kube",
    });
  });

  it("are one and the same value until a file changes", async () => {
    const files: Record<string, string> = { "/dir/ca": pemOf("ONE") };
    const { connection, clock } = await connect({ cluster: { "certificate-authority": "ca" }, files });
    const first = await connection.tls();
    clock.advance(60_000);
    expect(await connection.tls()).toBe(first);
    files["/dir/ca"] = pemOf("TWO");
    clock.advance(60_000);
    expect(await connection.tls()).toEqual({ ca: pemOf("TWO") });
  });

  it.each<[string, Given, string]>([
    [
      "a file that is missing",
      { cluster: { "certificate-authority": "ca" } },
      "/dir/config: certificate-authority: /dir/ca does not exist; correct the path",
    ],
    ["data that is no PEM", { user: { "client-key-data": "AAAA" } }, "client-key-data: it is no PEM in base64"],
    [
      "a certificate without a key",
      { user: { "client-certificate-data": base64(pemOf("CERT")) } },
      "client-key: it is missing, but client-certificate is there; give both, or none",
    ],
  ])("tell of %s", async (_name, given, message) => {
    const { connection } = await connect(given);
    await expect(connection.tls()).rejects.toThrow(message);
  });
});

describe("what cannot work is said at once", () => {
  it.each<[string, Given, string]>([
    ["no such context", { options: { context: "x" } }, "/dir/config: contexts: there is no context x; use one of: c"],
    [
      "no such cluster",
      { context: { cluster: "x" } },
      `/dir/config: contexts[c].cluster: there is no cluster "x"; use one of: c`,
    ],
    ["no such user", { context: { user: "x" } }, `contexts[c].user: there is no user "x"; use one of: u`],
    ["no server", { cluster: { server: "" } }, "clusters[c].server: it is missing; give the server's URL"],
    ["a server that is none", { cluster: { server: "ftp://x" } }, "ftp://x is no URL of a server"],
    [
      "trust in all and in one",
      { cluster: { "insecure-skip-tls-verify": true, "certificate-authority": "ca" } },
      "insecure-skip-tls-verify: it stands beside a certificate authority",
    ],
    [
      "a plugin of an unknown version",
      { user: { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1alpha1" } } },
      "users[u].exec.apiVersion: client.authentication.k8s.io/v1alpha1 is not known here",
    ],
    [
      "a plugin that needs a person",
      {
        user: { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Always" } },
      },
      "users[u].exec.interactiveMode",
    ],
  ])("%s", async (_name, given, message) => {
    await expect(connect(given)).rejects.toThrow(message);
  });

  it("no current context", () => {
    const options = { files: fakeFiles({}), run: fakeRun(() => ({})), env: {}, clock: new VirtualClock() };
    expect(() => resolveConnection(mergeKubeconfigs([]), options)).toThrow(
      "kubeconfig: current-context: it is not set; run `kubectl config use-context <name>`",
    );
  });

  it("groups of nobody", async () => {
    await expect(connect({ user: { "as-groups": ["dev"] } })).rejects.toThrow("name the user in `as`");
  });
});

it("takes namespace and proxy from the file, and the proxy from the environment where it has none", async () => {
  const plain = (await connect({})).connection;
  expect([plain.namespace, plain.proxy, plain.server]).toEqual(["default", undefined, "https://host:6443"]);
  const env = { HTTPS_PROXY: "http://env:3128" };
  const given = await connect({
    context: { namespace: "web" },
    cluster: { "proxy-url": "socks5://p:1080" },
    options: { env },
  });
  expect([given.connection.namespace, given.connection.proxy]).toEqual(["web", "socks5://p:1080"]);
  expect((await connect({ options: { env } })).connection.proxy).toBe("http://env:3128");
});

describe("a plugin", () => {
  const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "./bin/login", provideClusterInfo: true };
  const answer = (status: object) => ({ kind: "ExecCredential", apiVersion: exec.apiVersion, status });

  it("is found beside its kubeconfig, told of the cluster, and its token is used until it is not believed", async () => {
    const run = fakeRun((time) => answer({ token: `t${time}` }));
    const { connection } = await connect({
      user: { exec },
      cluster: { "certificate-authority": "ca" },
      files: { "/dir/ca": pemOf("CA") },
      options: { run },
    });
    expect(await connection.identity()).toEqual({ authorization: "Bearer t1" });
    expect(await connection.identity()).toEqual({ authorization: "Bearer t1" });
    expect(run.ran[0]?.command).toBe("/dir/bin/login");
    expect(JSON.parse(run.ran[0]?.env["KUBERNETES_EXEC_INFO"] ?? "")).toMatchObject({
      spec: { cluster: { server: "https://host:6443", "certificate-authority-data": base64(pemOf("CA")) } },
    });
    expect(connection.forget()).toBe(true);
    expect(await connection.identity()).toEqual({ authorization: "Bearer t2" });
  });

  it("may give a certificate, which counts where the user has none", async () => {
    const run = fakeRun(() => answer({ clientCertificateData: "C", clientKeyData: "K" }));
    const { connection } = await connect({ user: { exec }, options: { run } });
    expect([await connection.tls(), await connection.identity()]).toEqual([{ cert: "C", key: "K" }, {}]);
  });
});

describe("an auth-provider", () => {
  const user = { "auth-provider": { name: "oidc", config: { "client-id": "x" } } };

  it("says what to install where the official client is missing", async () => {
    const load = () => Promise.reject(new Error("not found"));
    const { connection } = await connect({ user, options: { load } });
    await expect(connection.identity()).rejects.toThrow(
      "auth-provider: oidc needs @kubernetes/client-node, which is not installed; run `npm install",
    );
  });

  it("asks the official client, loaded once, where it is there", async () => {
    const loaded: unknown[] = [];
    class KubeConfig {
      loadFromOptions(options: unknown): void {
        loaded.push(options);
      }
      async applyToHTTPSOptions(options: { headers?: Record<string, string> }): Promise<void> {
        options.headers = { Authorization: "Bearer oidc" };
      }
    }
    const { connection } = await connect({ user, options: { load: async () => ({ KubeConfig }) } });
    expect(await connection.identity()).toEqual({ authorization: "Bearer oidc" });
    await connection.identity();
    expect(loaded).toMatchObject([{ users: [{ authProvider: user["auth-provider"] }] }]);
  });
});
