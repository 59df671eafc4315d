import { describe, expect, it } from "vitest";
import { parseScript } from "./script.ts";
import { simulatedOutputs } from "./values.ts";

describe("12.9 the script of a simulated run", () => {
  it("is the standard one where nothing, or nothing readable, is said", () => {
    const standard = parseScript(undefined);
    expect(standard).toMatchObject({ latency: { init: 10, plan: 10, apply: 50, destroy: 20 }, resources: 5, fail: [] });
    for (const text of ["", "{", "[]", "7", '{"fail":[1,{"operation":"rm"}],"resources":-1,"latencyMs":3}']) {
      expect(parseScript(text)).toEqual(standard);
    }
  });

  it("is what the annotation says", () => {
    const text = JSON.stringify({
      seed: 1,
      latencyMs: { apply: 1 },
      resources: 2,
      fail: [
        { operation: "apply", times: 2, class: "ApplyFailed", message: "m" },
        { operation: "plan", class: "NoClass" },
      ],
      neverReady: true,
      secretDelayMs: 3,
      dropKeys: ["vpc_id"],
      unsync: [{ afterMs: 1000, forMs: 500, message: "m" }],
    });
    expect(parseScript(text)).toEqual({
      seed: 1,
      latency: { init: 10, plan: 10, apply: 1, destroy: 20 },
      resources: 2,
      fail: [
        { operation: "apply", times: 2, class: "ApplyFailed", message: "m" },
        { operation: "plan", times: 1, message: "simulated failure" },
      ],
      quirks: {
        neverReady: true,
        secretDelay: 3,
        dropKeys: ["vpc_id"],
        unsync: [{ after: 1000, for: 500, message: "m" }],
      },
    });
  });
});

describe("12.9 what a simulated run puts out", () => {
  const names = [
    "vpc_id",
    "private_subnets",
    "azs",
    "availability_zones",
    "cluster_endpoint",
    "role_exists",
    "kubeconfig",
  ];
  const module = [...names, "cluster_certificate_authority_data", "other"]
    .map((name) => `output "${name}" { value = 1 }`)
    .join("\n");
  const values = (workspace: string) =>
    Object.fromEntries(
      Object.entries(simulatedOutputs(workspace, module, {})).map(([name, { value }]) => [name, value]),
    );

  it("looks like the real thing", () => {
    const subnet = expect.stringMatching(/^subnet-[0-9a-f]{17}$/);
    const endpoint = expect.stringMatching(/^https:\/\/[0-9a-f]{8}\.sim\.capt\.invalid:6443$/);
    const made = values("demo");
    expect(made).toMatchObject({
      vpc_id: expect.stringMatching(/^vpc-[0-9a-f]{17}$/),
      private_subnets: [subnet, subnet, subnet],
      azs: ["sim-a", "sim-b", "sim-c"],
      availability_zones: ["sim-a", "sim-b", "sim-c"],
      cluster_endpoint: endpoint,
      role_exists: true,
      other: expect.stringMatching(/^sim-[0-9a-f]{12}$/),
    });
    expect(Buffer.from(String(made["cluster_certificate_authority_data"]), "base64").toString()).toContain(
      "BEGIN CERTIFICATE",
    );
    expect(made["kubeconfig"]).toContain(`server: ${made["cluster_endpoint"]}`);
    expect(made["kubeconfig"]).toContain("token: simulated");
  });

  it("is the same each time, and another for another Workspace", () => {
    expect(values("demo")).toEqual(values("demo"));
    expect(values("demo")["vpc_id"]).not.toBe(values("other")["vpc_id"]);
  });

  it("is what it is told to be", () => {
    const text = 'output "a" {\n sensitive = true\n value = 1\n}\noutput "b" { value = 1 }';
    expect(simulatedOutputs("w", text, { a: "mine", b: null, c: [1] })).toEqual({
      a: { value: "mine", isSensitive: true },
      c: { value: [1], isSensitive: false },
    });
  });
});
