import { describe, expect, test } from "vitest";
import { type Config, configFrom, standardConfig } from "./config.ts";

const configOf = (flags: Record<string, string>): Config => {
  const read = configFrom(flags);
  if ("errors" in read) throw new Error(read.errors.join("\n"));
  return read.config;
};
const errorsOf = (flags: Record<string, string>): readonly string[] => {
  const read = configFrom(flags);
  return "errors" in read ? read.errors : [];
};

describe("without flags", () => {
  test("everything runs but the machines, with the times of the design", () => {
    expect(configOf({})).toEqual(standardConfig);
    expect(standardConfig).toEqual({
      controllers: ["infrastructure", "control-plane", "cluster-bridge", "workspace-runner"],
      clusterApiMode: "auto",
      failureDomainsShape: "auto",
      timeouts: { controlPlane: 1_800_000, vpcReady: 900_000, secret: 300_000 },
      timeoutPolicy: "terminal",
      concurrency: 4,
      runner: { kind: "auto", root: "/var/lib/capt", concurrency: 2, timeout: 1_200_000 },
      allowedSecretNamespaces: [],
      features: { machines: false },
      process: { metrics: { port: 8080 }, health: { port: 8081 }, leaderElect: false },
    });
  });

  test("an empty flag is one that is not given", () => {
    const empty = { "--namespace": "", "--watch-filter": "", "--allowed-secret-namespaces": "", "--nonsense": "" };
    expect(configOf(empty)).toEqual(standardConfig);
  });
});

test("every flag arrives", () => {
  const config = configOf({
    "--enable-controller": "infrastructure,machines",
    "--metrics-bind-address": "127.0.0.1:9090",
    "--health-probe-bind-address": "[::1]:9091",
    "--leader-elect": "true",
    "--namespace": "t1,t2",
    "--watch-filter": "blue",
    "--cluster-api-mode": "standalone",
    "--failure-domains-shape": "list",
    "--control-plane-timeout": "1h",
    "--vpc-ready-timeout": "10m",
    "--secret-timeout": "90s",
    "--workspace-ready-timeout": "45m",
    "--timeout-policy": "degraded",
    "--concurrency": "8",
    "--workspace-runner": "tofu",
    "--runner-root": "/data",
    "--runner-concurrency": "3",
    "--runner-timeout": "1h30m",
    "--allowed-secret-namespaces": "shared, ops",
    "--feature-gates": "Machines=true",
  });
  expect(config).toEqual({
    controllers: ["infrastructure", "machines"],
    namespaces: ["t1", "t2"],
    watchFilter: "blue",
    clusterApiMode: "standalone",
    failureDomainsShape: "list",
    timeouts: { controlPlane: 3_600_000, vpcReady: 600_000, secret: 90_000, workspaceReady: 2_700_000 },
    timeoutPolicy: "degraded",
    concurrency: 8,
    runner: { kind: "tofu", root: "/data", concurrency: 3, timeout: 5_400_000 },
    allowedSecretNamespaces: ["shared", "ops"],
    features: { machines: true },
    process: { metrics: { host: "127.0.0.1", port: 9090 }, health: { host: "::1", port: 9091 }, leaderElect: true },
  });
});

test("the gate of the machines starts them where no part is named", () => {
  expect(configOf({ "--feature-gates": "Machines=true" }).controllers).toContain("machines");
});

test("0 leaves the time of a Workspace to what it is for, and an address out", () => {
  expect(configOf({ "--workspace-ready-timeout": "0" }).timeouts).not.toHaveProperty("workspaceReady");
  expect(configOf({ "--metrics-bind-address": "0" }).process).not.toHaveProperty("metrics");
});

test.each([
  [
    "--enable-controller",
    "infra",
    "is not accepted: set it to one or more of infrastructure, control-plane, cluster-bridge, workspace-runner, machines",
  ],
  ["--enable-controller", "machines", "needs a feature gate: set --feature-gates to Machines=true too"],
  ["--metrics-bind-address", "8080", "is no address: set it to one as in :8080 or 127.0.0.1:8080, or to 0 for none"],
  [
    "--health-probe-bind-address",
    ":70000",
    "is no address: set it to one as in :8080 or 127.0.0.1:8080, or to 0 for none",
  ],
  ["--leader-elect", "yes", "is no boolean: set it to true or false"],
  ["--namespace", "T1", "is no list of namespaces: write their names with commas between them, as in perf,staging"],
  [
    "--watch-filter",
    "a b",
    "is no value of a label: use at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends",
  ],
  ["--cluster-api-mode", "alone", "is not accepted: set it to one of auto, external, standalone"],
  ["--failure-domains-shape", "set", "is not accepted: set it to one of auto, map, list"],
  ["--control-plane-timeout", "30", "is no length of time: set it to one as in 30s or 15m"],
  ["--vpc-ready-timeout", "0", "is no length of time: set it to one as in 30s or 15m"],
  ["--secret-timeout", "-5m", "is no length of time: set it to one as in 30s or 15m"],
  [
    "--workspace-ready-timeout",
    "1d",
    "is no length of time: set it to one as in 30s or 15m, or to 0 for that of the network or control plane",
  ],
  ["--timeout-policy", "never", "is not accepted: set it to one of terminal, degraded"],
  ["--concurrency", "0", "is not accepted: set it to a whole number from 1 to 1000"],
  ["--workspace-runner", "opentofu", "is not accepted: set it to one of auto, none, tofu, terraform, simulated"],
  ["--runner-root", "runs", "is no absolute path: set it to one as in /var/lib/capt"],
  ["--runner-concurrency", "two", "is not accepted: set it to a whole number from 1 to 1000"],
  ["--runner-timeout", "0s", "is no length of time: set it to one as in 30s or 15m"],
  [
    "--allowed-secret-namespaces",
    "a/b",
    "is no list of namespaces: write their names with commas between them, as in perf,staging",
  ],
  ["--feature-gates", "Machine=true", "is not accepted: set it to Machines=true or Machines=false"],
  ["--feature-gates", "Machines=true,Machines=false", "is not accepted: set it to Machines=true or Machines=false"],
])("%s %s is refused with its name, its value and a way out", (flag, value, problem) => {
  expect(errorsOf({ [flag]: value })).toEqual([`${flag} ${JSON.stringify(value)} ${problem}`]);
});

test("a flag that nobody knows is refused", () => {
  expect(errorsOf({ "--secret-timeouts": "5m" })).toEqual([
    expect.stringMatching(/^--secret-timeouts "5m" is no flag of this operator: leave it out; there are --enable-/),
  ]);
});

test("all errors are told at once", () => {
  expect(errorsOf({ "--concurrency": "0", "--runner-timeout": "x", "--leader-elect": "1" })).toHaveLength(3);
});
