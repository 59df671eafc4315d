import { describe, expect, test } from "vitest";
import { allowedArguments, argumentLists, unusable, unusableTemplate } from "./run-options.ts";

const env = (name: string, value?: string) => unusable({ module: "m", env: [{ name: "TF_VAR_a" }, { name, value }] });

describe("SEC-5 environment variables", () => {
  test.each([
    ...["PATH", "HOME", "TMPDIR", "LD_PRELOAD", "LD_LIBRARY_PATH", "NODE_OPTIONS", "BASH_ENV", "GIT_SSH_COMMAND"],
    ...["TF_CLI_ARGS", "TF_CLI_ARGS_apply", "TF_CLI_CONFIG_FILE", "TF_DATA_DIR", "TF_PLUGIN_CACHE_DIR", "TF_LOG_PATH"],
    ...[
      "TF_CLI_ARGS_init",
      "tf_cli_args",
      " PATH",
      "PATH=x",
      "TF_VAR_a\nPATH",
      "TF_PLUGIN_DIR",
      "KUBECONFIG",
      "SSH_AUTH_SOCK",
    ],
    ...["TF_WORKSPACE", "TF_REATTACH_PROVIDERS", "TF_VAR_", "AWS_", "aws_region", "AWS_A=B", "A", "", "constructor"],
  ])("%s is not allowed", (name) => {
    expect(env(name)).toMatch(/^forProvider\.env\[1\]: .* is not allowed; pass it as TF_VAR_… .*allowed: TF_VAR_\*/);
  });

  test.each([
    ...["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CA_BUNDLE"],
    ...["GOOGLE_APPLICATION_CREDENTIALS", "ARM_CLIENT_CERTIFICATE_PATH", "AZURE_CONFIG_DIR", "KUBE_CONFIG_PATHS"],
    ...["OS_CACERT", "OS_CLIENT_CONFIG_FILE", "VSPHERE_VIM_SESSION_PATH", "GOOGLE_API_CERTIFICATE_CONFIG"],
    ...["ARM_OIDC_TOKEN_FILE_PATH", "AZURE_FEDERATED_TOKEN_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"],
  ])("%s would let a provider read a file of the operator", (name) => {
    expect(env(name, "x")).toBe(
      `forProvider.env[1]: ${name} names a file, which is not allowed; pass what is in the file, or set it in the ProviderConfig`,
    );
  });

  test.each(["TF_VAR_my-path", "TF_VAR_config_FILE", "AWS_REGION", "ARM_CLIENT_ID", "HTTPS_PROXY", "VAULT_TOKEN"])(
    "%s is allowed, whatever its value",
    (name) => expect(env(name, "/a/../b")).toBeUndefined(),
  );

  test("GOOGLE_CREDENTIALS may be what is in a file, not where the file is", () => {
    expect(env("GOOGLE_CREDENTIALS", ' {"type": "service_account"}')).toBeUndefined();
    expect(env("GOOGLE_CREDENTIALS", "/var/run/secrets/token")).toBe(
      "forProvider.env[1]: GOOGLE_CREDENTIALS names a file, which is not allowed; set it to the JSON that is in the file",
    );
  });

  test.each([
    { file: "/var/run/secrets/kubernetes.io/serviceaccount/token" },
    { executable: { command: "/bin/sh -c id" } },
    { url: "https://a.example", executable: { command: "id" } },
    { environment_id: "aws1" },
  ])(
    "GOOGLE_CREDENTIALS with the credential_source %j would read a file of the operator or start a program",
    (source) => {
      const credentials = JSON.stringify({ type: "external_account", credential_source: source });
      expect(env("GOOGLE_CREDENTIALS", credentials)).toMatch(/has a credential_source that is a file or a program/);
      expect(env("GOOGLE_CREDENTIALS", `\n${credentials}`)).toMatch(/has a credential_source/);
    },
  );

  test("GOOGLE_CREDENTIALS of an external account may be asked for at an address, and nothing lets it start a program", () => {
    const credentials = JSON.stringify({ type: "external_account", credential_source: { url: "https://a.example" } });
    expect(env("GOOGLE_CREDENTIALS", credentials)).toBeUndefined();
    expect(env("GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES", "1")).toMatch(/lets credentials start programs/);
  });
});

const args = (list: string, ...values: string[]) => unusable({ module: "m", [list]: values });

describe("SEC-5 arguments", () => {
  test.each([
    ...[
      "-chdir=/",
      "-state=x",
      "--state-out=x",
      "-backup=-",
      "-backend-config=k=v",
      "-backend=false",
      "-out=/tmp/plan",
    ],
    ...["-destroy", "-refresh-only", "-detailed-exitcode=false", "-input=true", "-json", "-auto-approve"],
    ...["-plugin-dir=/x", "-from-module=/x", "-migrate-state", "-reconfigure", "-generate-config-out=/x"],
    ...["-no-color=false", "-lock=0", "-lock-timeout=/x", "---lock", "- lock", "-", "--", "", "/plan", "other.plan"],
    ...["-lock=true\0", "-constructor", "-backend-config", "-chdir", "-state", "-plugin-dir", "-out", "--out=x"],
    ...["'-out=x'", '"-out=x"', " -out=x", "–out=x", "-OUT=x", "-lock -out=x", "-lock\n-out=x", "-lock=true -out=x"],
    ...["@/etc/passwd", "-get-plugins=true", "-get=false", "-force-copy", "-test-directory=/x", "-help", "-version"],
  ])("%j is allowed for no step", (argument) => {
    for (const list of argumentLists) expect(args(list, "-lock", argument)).toMatch(`forProvider.${list}[1]`);
  });

  test.each(["/etc/passwd", "../x", "a/../../x", "a\\..\\b", ""])("-var-file=%s is outside the module", (path) => {
    const message = "forProvider.planArgs[0]: -var-file has to be a relative path inside the module";
    expect(args("planArgs", `-var-file=${path}`)).toBe(message);
    expect(args("planArgs", "--var-file", path)).toBe(message);
    expect(args("planArgs", "-var-file", path)).toBe(message);
  });

  test("an option that needs a value takes the next argument for it, as Terraform does", () => {
    expect(args("planArgs", "-var", "a=b", "-var-file", "envs/prod.tfvars", "-target", "a.b", "-refresh=false")).toBe(
      undefined,
    );
    expect(args("planArgs", "-target", "-out=x")).toMatch(/planArgs\[0\]: -target has to be/);
    expect(args("planArgs", "--var", "a=b", "--var-file=x.tfvars")).toBeUndefined();
    expect(args("planArgs", "--var", "-out=x")).toMatch(/planArgs\[0\]: -var has to be NAME=VALUE/);
    expect(args("planArgs", "-var", "a=b", "-out", "/tmp/plan")).toMatch(/planArgs\[2\]: -out is not allowed/);
    expect(args("planArgs", "-refresh", "false", "-out=x")).toMatch(/planArgs\[1\]: what is no option is not allowed/);
    expect(args("planArgs", "-var")).toMatch(/planArgs\[0\]: -var has to be NAME=VALUE/);
  });

  test("each step has its own", () => {
    expect(args("initArgs", "-upgrade", "-lockfile=readonly")).toBeUndefined();
    expect(args("planArgs", "-upgrade")).toBe(
      "forProvider.planArgs[0]: -upgrade is not allowed; take it out (allowed: -compact-warnings, -exclude, -lock, -lock-timeout, -no-color, -parallelism, -refresh, -replace, -target, -var, -var-file)",
    );
    expect(args("applyArgs", "-replace=a.b", "-parallelism=2")).toBeUndefined();
    expect(args("destroyArgs", "-replace=a.b")).toMatch(/-replace is not allowed/);
  });

  test("what was kept when more was allowed is left out, with its value", () => {
    expect(allowedArguments("planArgs", ["-var-file", "/x", "-out=/x", "-var", "a=b", "plan"])).toEqual([
      "-var",
      "a=b",
    ]);
  });
});

test("a template is judged as far as its placeholders let it be", () => {
  const template = (planArgs: string[], name = "A") => unusableTemplate({ module: "m", planArgs, env: [{ name }] });
  for (const argument of ["${it}", "-var-file=${it}", "-var-file=/etc/${it}"]) {
    expect(template([argument], "${it}")).toBeUndefined();
  }
  for (const argument of ["${it}", "-var-file=/etc/${it}"]) {
    expect(args("planArgs", argument)).toMatch(/^forProvider.planArgs\[0\]: /);
  }
  expect(template(["-out=${it}"], "${it}")).toMatch(/-out is not allowed/);
  expect(template([], "A")).toMatch(/A is not allowed/);
});
