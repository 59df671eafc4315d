import { expect, test } from "vitest";
import { bindcarConfig } from "./config.ts";

const secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQ=";
const base = { RNDC_SECRET: secret, BIND_API_TOKEN: "t" };
const read = () => undefined;

function errorsOf(env: Record<string, string>, insecure = false): readonly string[] {
  const found = bindcarConfig({ env, read, insecure });
  return found.ok ? [] : found.errors;
}

test("the environment that the operator sets is enough", () => {
  const env = {
    BIND_ZONE_DIR: "/var/cache/bind",
    API_PORT: "8080",
    RUST_LOG: "debug",
    BIND_ALLOWED_SERVICE_ACCOUNTS: "system:serviceaccount:bindy-system:bindy",
    BIND_TOKEN_AUDIENCES: "bindcar",
    TMPDIR: "/tmp",
    RNDC_SECRET: secret,
    RNDC_ALGORITHM: "hmac-sha256",
    NSUPDATE_PORT: "5353",
    NSUPDATE_KEY_NAME: "bindy-operator",
    KUBERNETES_SERVICE_HOST: "10.96.0.1",
  };
  const found = bindcarConfig({ env, read });
  expect(found).toMatchObject({
    ok: true,
    config: {
      address: "0.0.0.0",
      port: 8080,
      zoneFolder: "/var/cache/bind",
      rndc: { server: "127.0.0.1", port: 9530, key: { name: "bindy-operator", algorithm: "hmac-sha256" } },
      update: { server: "127.0.0.1", port: 5353, tcp: false, key: { name: "bindy-operator" } },
      access: {
        by: "token review",
        rules: { audiences: ["bindcar"], namespaces: [], accounts: ["system:serviceaccount:bindy-system:bindy"] },
        cluster: { at: "here" },
      },
      limit: { requests: 100, periodSeconds: 60, burst: 10 },
      docs: false,
      logLevel: "debug",
    },
  });
  expect(JSON.stringify(found)).not.toContain(secret);
});

test("A-142 without authentication it does not start where others can reach it", () => {
  const open = { RNDC_SECRET: secret, DISABLE_AUTH: "true" };
  expect(errorsOf(open)).toEqual([
    "authentication is switched off, and 0.0.0.0 can be reached by others: set BIND_API_TOKEN, or BIND_API_ADDRESS to 127.0.0.1, or say --i-know-this-is-insecure",
  ]);
  expect(errorsOf({ ...open, BIND_API_ADDRESS: "127.0.0.1" })).toEqual([]);
  expect(errorsOf(open, true)).toEqual([]);
  expect(errorsOf({ ...open, BINDCAR_ALLOW_INSECURE_AUTH: "true" })).toEqual([]);
});

test("A-142 where nobody can be asked about tokens it does not start", () => {
  const alone = { RNDC_SECRET: secret, BIND_ALLOWED_NAMESPACES: "bindy-system" };
  expect(errorsOf(alone)).toEqual([
    expect.stringMatching(/^nobody can be asked about tokens, as this is no pod: set BIND_API_TOKEN/),
  ]);
  expect(errorsOf({ ...alone, KUBE_API_SERVER: "https://10.0.0.1:6443" })).toEqual([
    expect.stringMatching(/^KUBE_TOKEN_PATH and KUBE_CA_CERT_PATH must be set too/),
  ]);
  const whole = { ...alone, KUBE_API_SERVER: "https://10.0.0.1:6443", KUBE_TOKEN_PATH: "/t", KUBE_CA_CERT_PATH: "/c" };
  expect(errorsOf(whole)).toEqual([]);
});

test("A-142 tokens of every account are accepted only when somebody says so", () => {
  const pod = { RNDC_SECRET: secret, KUBERNETES_SERVICE_HOST: "10.96.0.1" };
  expect(errorsOf(pod)).toEqual([
    expect.stringMatching(/^every service account of the cluster could change every zone/),
  ]);
  expect(errorsOf({ ...pod, BIND_ALLOW_ANY_SERVICEACCOUNT: "true" })).toEqual([]);
});

test("everything that is wrong is said at once, and no secret with it", () => {
  const wrong = {
    ...base,
    RNDC_SECRET: "not base64!",
    RNDC_ALGORITHM: "hmac-md5",
    RNDC_KEY_NAME: 'x"; }; ',
    RNDC_SERVER: "localhost:953",
    NSUPDATE_SERVER: "localhost",
    API_PORT: "0",
    BIND_API_ADDRESS: "all",
    LOG_LEVEL: "loud",
  };
  const errors = errorsOf(wrong);
  for (const name of [
    "RNDC_SECRET",
    "RNDC_ALGORITHM",
    "RNDC_KEY_NAME",
    "RNDC_SERVER",
    "NSUPDATE_SERVER",
    "API_PORT",
    "BIND_API_ADDRESS",
    "LOG_LEVEL",
  ])
    expect(errors.filter((error) => error.startsWith(name))).toHaveLength(1);
  expect(errors.join()).not.toContain("not base64!");
  expect(errorsOf({ BIND_API_TOKEN: "t" })).toEqual([
    expect.stringMatching(/^there is no key for rndc: set RNDC_SECRET/),
  ]);
  expect(errorsOf({ BIND_API_TOKEN: "t", RNDC_KEY_FILE: "/none" })).toEqual([
    expect.stringMatching(/^RNDC_KEY_FILE "\/none" holds no key/),
  ]);
});

test("9.5 the key of updates is that of rndc, as far as nothing else is said", () => {
  const keyFile = `key "from-file" { algorithm hmac-sha512; secret "${secret}"; };`;
  const found = bindcarConfig({
    env: { BIND_API_TOKEN: "t", RNDC_KEY_FILE: "/k", NSUPDATE_KEY_NAME: "other", NSUPDATE_SECRET: "b3RoZXI=" },
    read: () => keyFile,
  });
  if (!found.ok) throw new Error(found.errors.join());
  const { rndc, update } = found.config;
  expect([rndc.key.name, rndc.key.algorithm]).toEqual(["from-file", "hmac-sha512"]);
  expect([update.key.name, update.key.algorithm, update.key.secret.reveal()]).toEqual([
    "other",
    "hmac-sha512",
    "b3RoZXI=",
  ]);
});
