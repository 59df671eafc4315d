import { describe, expect, it } from "vitest";
import { configFrom, standardConfig } from "./config.ts";

const config = (env: Record<string, string>) => {
  const read = configFrom(env);
  if ("errors" in read) throw new Error(read.errors.join("; "));
  return read.config;
};
const errors = (env: Record<string, string>) => {
  const read = configFrom(env);
  return "errors" in read ? read.errors : [];
};

describe("the operator's environment (appendix C)", () => {
  it("has the standard values of 8.1 where nothing is set", () => {
    expect(standardConfig).toEqual({
      operatorNamespace: "bindy-system",
      zoneReadinessGate: true,
      imageRegistries: [],
      process: {
        replicas: {
          as: "lease",
          namespace: "bindy-system",
          lease: "bindy-leader",
          duration: 15_000,
          renewDeadline: 10_000,
          retry: 2_000,
        },
        rate: { perSecond: 20, burst: 30 },
      },
    });
    expect(config({})).toEqual(standardConfig);
  });

  it("reads every variable", () => {
    expect(
      config({
        POD_NAME: "bindy-0",
        POD_NAMESPACE: "dns",
        BINDY_WATCH_NAMESPACES: "a, b,a",
        BINDY_ENABLE_LEADER_ELECTION: "true",
        BINDY_LEASE_NAME: "other",
        BINDY_LEASE_NAMESPACE: "leases",
        BINDY_LEASE_DURATION_SECONDS: "30",
        BINDY_LEASE_RENEW_DEADLINE_SECONDS: "20",
        BINDY_LEASE_RETRY_PERIOD_SECONDS: "5",
        BINDY_KUBE_QPS: "50",
        BINDY_KUBE_BURST: "100",
        BINDY_ZONE_READINESS_GATE: "false",
        BINDY_IMAGE_REGISTRIES: "ghcr.io/firestoned, registry.example.com:5000/dns/",
      }),
    ).toEqual({
      operatorNamespace: "dns",
      namespaces: ["a", "b"],
      zoneReadinessGate: false,
      imageRegistries: ["ghcr.io/firestoned", "registry.example.com:5000/dns"],
      process: {
        replicas: {
          as: "lease",
          namespace: "leases",
          lease: "other",
          identity: "bindy-0",
          duration: 30_000,
          renewDeadline: 20_000,
          retry: 5_000,
        },
        rate: { perSecond: 50, burst: 100 },
      },
    });
  });

  it("takes the lease's namespace from POD_NAMESPACE, and its holder from HOSTNAME", () => {
    expect(config({ POD_NAMESPACE: "dns", HOSTNAME: "h" }).process.replicas).toMatchObject({
      namespace: "dns",
      identity: "h",
    });
    expect(config({ POD_NAME: "p", HOSTNAME: "h" }).process.replicas).toMatchObject({ identity: "p" });
  });

  it("without leader election there is one process", () => {
    expect(config({ BINDY_ENABLE_LEADER_ELECTION: "false" }).process.replicas).toEqual({ as: "one" });
  });

  it.each([
    [{ POD_NAMESPACE: "a,b" }, "POD_NAMESPACE"],
    [{ POD_NAMESPACE: "No" }, "POD_NAMESPACE"],
    [{ BINDY_WATCH_NAMESPACES: "a,,b" }, "BINDY_WATCH_NAMESPACES"],
    [{ BINDY_LEASE_NAME: "A_B" }, "BINDY_LEASE_NAME"],
    [{ BINDY_LEASE_RENEW_DEADLINE_SECONDS: "15" }, "BINDY_LEASE_RENEW_DEADLINE_SECONDS"],
    [{ BINDY_LEASE_RETRY_PERIOD_SECONDS: "5" }, "BINDY_LEASE_RETRY_PERIOD_SECONDS"],
    [{ BINDY_KUBE_QPS: "0" }, "BINDY_KUBE_QPS"],
    [{ BINDY_ZONE_READINESS_GATE: "yes" }, "BINDY_ZONE_READINESS_GATE"],
    [{ BINDY_IMAGE_REGISTRIES: "ok, not ok" }, "BINDY_IMAGE_REGISTRIES"],
  ] as const)("refuses %o and names the variable", (env, name) => {
    expect(errors(env)).toHaveLength(1);
    expect(errors(env)[0]).toMatch(new RegExp(`^${name} `));
  });

  it("says everything that is wrong at once", () => {
    expect(errors({ BINDY_ZONE_READINESS_GATE: "yes", BINDY_KUBE_QPS: "many" })).toHaveLength(2);
  });
});
