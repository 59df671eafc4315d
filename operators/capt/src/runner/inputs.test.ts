import { describe, expect, it } from "vitest";
import { gather, type Reader, revisionOf, type Source } from "./inputs.ts";

const reader = (found: Readonly<Record<string, string>> = {}, provider?: string): Reader => ({
  secret: async ({ namespace, name, key }) => found[`${namespace}/${name}/${key}`],
  configMap: async ({ namespace, name, key }) => found[`${namespace}/${name}/${key}`],
  provider: async () => provider,
});
const source = (more: Partial<Source> = {}): Source => ({ source: "Inline", module: "# m", ...more });
const inputs = async (more: Partial<Source>, from = reader()) => {
  const gathered = await gather(source(more), from);
  return gathered.as === "inputs" ? gathered.inputs : gathered;
};

describe("what a run is fed with", () => {
  it("12.2 vars win over varmap", async () => {
    const vars = [{ key: "a", value: "mine" }];
    expect(await inputs({ vars, varmap: { a: 1, b: [2] } })).toMatchObject({ variables: { a: "mine", b: [2] } });
  });

  it("holds what Secrets and ConfigMaps say", async () => {
    const ref = (name: string) => ({ namespace: "n", name, key: "k" });
    const from = reader({ "n/s/k": "from the Secret", "n/c/k": "from the ConfigMap" }, "provider {}");
    const made = await inputs(
      {
        varFiles: [
          { source: "SecretKey", secretKeyRef: ref("s") },
          { source: "ConfigMapKey", format: "JSON", configMapKeyRef: ref("c") },
        ],
        env: [{ name: "TF_VAR_a", value: "plain" }, { name: "TF_VAR_b", secretKeyRef: ref("s") }, { name: "TF_VAR_c" }],
        entrypoint: "./a//b/",
        inlineFormat: "JSON",
        enableTerraformCLILogging: true,
      },
      from,
    );
    expect(made).toMatchObject({
      variableFiles: [
        { format: "HCL", text: "from the Secret" },
        { format: "JSON", text: "from the ConfigMap" },
      ],
      env: { TF_VAR_a: "plain", TF_VAR_b: "from the Secret", TF_VAR_c: "" },
      entrypoint: "a/b",
      format: "JSON",
      provider: "provider {}",
      hasLog: true,
    });
  });

  it("names everything that is not there", async () => {
    const env = [
      { name: "TF_VAR_a", secretKeyRef: { namespace: "n", name: "s", key: "k" } },
      { name: "TF_VAR_b", configMapKeyRef: { namespace: "n", name: "c", key: "k" } },
    ];
    expect(await inputs({ env })).toEqual({
      as: "missing",
      message: "not there: ConfigMap n/c key k, Secret n/s key k",
    });
  });

  it("SEC-5 refuses arguments and variables that are not on the list", async () => {
    const refused = { as: "refused", class: "InvalidConfiguration" };
    expect(await inputs({ planArgs: ["-out=/tmp/plan"] })).toMatchObject(refused);
    expect(await inputs({ env: [{ name: "TF_CLI_ARGS_plan", value: "-destroy" }] })).toMatchObject(refused);
  });

  it("SEC-5 holds for what a Secret has too, and the value is not told", async () => {
    const secretKeyRef = { namespace: "n", name: "s", key: "k" };
    const from = reader({ "n/s/k": "/var/run/secrets/token" });
    const found = await inputs({ env: [{ name: "GOOGLE_CREDENTIALS", secretKeyRef }] }, from);
    expect(found).toEqual({
      as: "refused",
      class: "InvalidConfiguration",
      message:
        "forProvider.env[0]: GOOGLE_CREDENTIALS names a file, which is not allowed; set it to the JSON that is in the file",
    });
    expect(await inputs({ env: [{ name: "LD_PRELOAD", secretKeyRef }] }, from)).toMatchObject({ as: "refused" });
  });

  it.each(["/etc", "..", "a/../../b", "a\\b", "a\0b"])("SEC-6 refuses the entrypoint %j", async (entrypoint) => {
    expect(await inputs({ entrypoint })).toMatchObject({ as: "refused", class: "InvalidConfiguration" });
  });

  it.each(["Remote", "Flux"])("12.2 does not support the source %s", async (from) => {
    expect(await inputs({ source: from })).toMatchObject({ as: "refused", class: "UnsupportedSource" });
  });

  it("refuses an empty module", async () => {
    expect(await inputs({ module: " \n" })).toMatchObject({ as: "refused", message: "forProvider.module is empty" });
  });

  it("has another revision when anything of it changes, and no value in it", async () => {
    const one = await gather(source({ vars: [{ key: "a", value: "hush" }] }), reader());
    const two = await gather(source({ vars: [{ key: "a", value: "other" }] }), reader());
    if (one.as !== "inputs" || two.as !== "inputs") throw new Error("not gathered");
    expect(revisionOf(one.inputs)).toMatch(/^[0-9a-f]{16}$/);
    expect(revisionOf(one.inputs)).not.toBe(revisionOf(two.inputs));
    expect(revisionOf({ ...one.inputs })).toBe(revisionOf(one.inputs));
  });
});
