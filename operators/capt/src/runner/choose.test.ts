import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { finalizers } from "../names.ts";
import { chooseRunner, type Finding } from "./choose.ts";
import { providerAt, type Signs } from "./presence.ts";

const finding = (versions: { tofu?: string; terraform?: string }, provider?: string): Finding => ({
  provider: async () => provider,
  program: async (name) => {
    const version = versions[name];
    return version === undefined ? undefined : { file: `/bin/${name}`, version };
  },
});

describe("12.1 who runs Workspaces", () => {
  it.each([
    ["none", {}, undefined, "none"],
    ["simulated", { tofu: "1.9.0" }, "there", "simulated"],
    ["auto", { tofu: "1.9.0", terraform: "1.11.4" }, "there", "none"],
    ["auto", { tofu: "1.6.0", terraform: "1.11.4" }, undefined, "tofu"],
    ["auto", { tofu: "1.5.9", terraform: "1.4.0" }, undefined, "terraform"],
    ["auto", { terraform: "1.3.9" }, undefined, "missing"],
    ["auto", {}, undefined, "missing"],
    ["tofu", { tofu: "2.0.0-rc1" }, "there", "tofu"],
    ["terraform", { terraform: "1.4.0" }, undefined, "terraform"],
  ] as const)("with %s, %j and a provider that is %s it is %s", async (kind, versions, provider, expected) => {
    expect((await chooseRunner(kind, finding(versions, provider))).as).toBe(expected);
  });

  it("is nobody where a program is asked for that is not there or too old", async () => {
    await expect(chooseRunner("tofu", finding({}))).rejects.toThrow(
      "--workspace-runner is tofu, and it is not on the PATH; install tofu 1.6 or newer, or set --workspace-runner to auto",
    );
    await expect(chooseRunner("terraform", finding({ terraform: "1.3.0" }))).rejects.toThrow("is version 1.3.0");
  });
});

describe("12.1 Crossplane's provider is there", () => {
  const now = instant(Date.parse("2026-01-01T00:01:00Z"));
  const none: Signs = { definition: async () => undefined, leases: async () => [], workspaces: () => [] };
  const lease = (renewTime: string) => async () => [
    { spec: { holderIdentity: "p", renewTime, leaseDurationSeconds: 15 } },
  ];

  it("where its package manager made the definition", async () => {
    const owner = { apiVersion: "pkg.crossplane.io/v1", kind: "ProviderRevision", name: "p", uid: "u" };
    const definition = async () => ({ metadata: { ownerReferences: [owner] } }) as never;
    expect(await providerAt({ ...none, definition }, now)).toBe("Crossplane's package manager installed Workspaces");
    const other = async () => ({ metadata: { ownerReferences: [{ ...owner, kind: "Configuration" }] } }) as never;
    expect(await providerAt({ ...none, definition: other }, now)).toBeUndefined();
  });

  it("where its lease is fresh", async () => {
    const fresh = lease("2026-01-01T00:00:31.000000Z");
    expect(await providerAt({ ...none, leases: fresh as never }, now)).toBe(
      "Crossplane's provider-terraform holds its lease",
    );
    expect(await providerAt({ ...none, leases: lease("2026-01-01T00:00:30.000000Z") as never }, now)).toBeUndefined();
  });

  it("where it holds a Workspace", async () => {
    const workspaces = () => [{ metadata: { name: "w", finalizers: [finalizers.crossplane] } }];
    expect(await providerAt({ ...none, workspaces }, now)).toBe("Crossplane's provider-terraform holds a Workspace");
    expect(await providerAt({ ...none, workspaces: () => [{ metadata: { name: "w" } }] }, now)).toBeUndefined();
  });
});
