import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { configFrom, standardConfig } from "./config.ts";

describe("settings", () => {
  test("without any the operator watches everything, trusts no annotation, and waits for its lease", () => {
    expect(configFrom({})).toEqual({ config: standardConfig });
    expect(standardConfig).toMatchObject({
      allowCrossNamespaceRefs: false,
      allowExternalProviderEndpoints: false,
      legacyProviderConditions: false,
      allowedHosts: [],
      dryRun: false,
      workers: { VirtualMachine: 10, Provider: 5, VMSnapshot: 5 },
      process: {
        replicas: { as: "lease", namespace: "virtrigaud-system", lease: "8da97394.virtrigaud.io" },
        rate: { perSecond: 20, burst: 40 },
      },
    });
    expect(standardConfig).not.toHaveProperty("namespaces");
    expect(standardConfig).not.toHaveProperty("migrationJobs");
  });

  test("every one is read", () => {
    const read = configFrom({
      VIRTRIGAUD_WATCH_NAMESPACES: "demo,shop",
      VIRTRIGAUD_ALLOW_CROSS_NAMESPACE_REFS: "true",
      VIRTRIGAUD_ALLOW_EXTERNAL_PROVIDER_ENDPOINTS: "true",
      VIRTRIGAUD_LEGACY_PROVIDER_CONDITIONS: "true",
      VIRTRIGAUD_MIGRATION_STORAGE_ALLOWED_HOSTS: " 10.0.0.0/8, 2001:db8::/32,192.0.2.10,",
      VIRTRIGAUD_MIGRATION_JOB_IMAGE: "example/qemu-img:1.0",
      VIRTRIGAUD_MIGRATION_JOB_SHELL: "/bin/busybox  sh",
      VIRTRIGAUD_DRY_RUN: "true",
      VIRTRIGAUD_MAX_CONCURRENT_RECONCILES: "VirtualMachine=20,Provider=2",
      VIRTRIGAUD_KUBE_QPS: "50",
      VIRTRIGAUD_KUBE_BURST: "100",
      VIRTRIGAUD_LEASE_NAME: "one-of-many",
      POD_NAMESPACE: "machines",
      POD_NAME: "manager-0",
    });
    expect(read).toEqual({
      config: {
        namespaces: ["demo", "shop"],
        allowCrossNamespaceRefs: true,
        allowExternalProviderEndpoints: true,
        legacyProviderConditions: true,
        allowedHosts: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.10"],
        migrationJobs: { image: "example/qemu-img:1.0", shell: ["/bin/busybox", "sh"] },
        dryRun: true,
        workers: { ...standardConfig.workers, VirtualMachine: 20, Provider: 2 },
        process: {
          replicas: { as: "lease", namespace: "machines", lease: "one-of-many", identity: "manager-0" },
          rate: { perSecond: 50, burst: 100 },
        },
      },
    });
  });

  test("one process alone needs no lease", () => {
    const read = configFrom({ VIRTRIGAUD_LEADER_ELECT: "false" });
    expect(read).toMatchObject({ config: { process: { replicas: { as: "one" } } } });
  });

  test.each([
    "999.1.1.1/99",
    "10.0.0.0/33",
    "2001:db8::/129",
    "10.0.0",
    "fe80::1%eth0",
    "storage.example",
    "10.0.0.0/8/8",
  ])("a door is not left open by mistake: %s is no allowed host", (entry) => {
    const read = configFrom({ VIRTRIGAUD_MIGRATION_STORAGE_ALLOWED_HOSTS: `192.0.2.10,${entry}` });
    const said = "errors" in read ? read.errors.join("\n") : "";
    expect(said).toContain("VIRTRIGAUD_MIGRATION_STORAGE_ALLOWED_HOSTS");
    expect(said).toContain(entry);
  });

  test("everything that is wrong is told at once", () => {
    const read = configFrom({
      VIRTRIGAUD_DRY_RUN: "perhaps",
      VIRTRIGAUD_MAX_CONCURRENT_RECONCILES: "Boat=3,VMClass=0",
      VIRTRIGAUD_KUBE_QPS: "0",
      VIRTRIGAUD_MIGRATION_JOB_SHELL: "bash",
    });
    expect("errors" in read ? read.errors.length : 0).toBe(5);
  });

  test("every one is in the README, and nothing else is", () => {
    const read = new Set<string>();
    configFrom(new Proxy({}, { get: (_none, name) => void read.add(String(name)) }));
    read.delete("HOSTNAME"); // what a container's own name is called
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const [, table = ""] = /<!-- settings -->([\s\S]*)<!-- end of settings -->/.exec(readme) ?? [];
    const told = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
    expect(told.sort()).toEqual([...read].sort());
  });
});
