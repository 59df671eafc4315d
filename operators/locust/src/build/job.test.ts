import { describe, expect, test } from "vitest";
import { demo, master, worker } from "../../test/demo.ts";
import { type Config, type Role, standardConfig } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { buildJob, buildService, notesOn } from "./index.ts";

const applied = {
  "locust.io/applied-generation": "1",
  "locust.io/applied-spec-hash": "b69578e3255b620b",
};
const labels = (role: Role) => ({
  app: "demo",
  "performance-test-name": "demo",
  "performance-test-pod-name": `demo-${role}`,
  "managed-by": "locust-k8s-operator",
});
const resources = {
  requests: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "30M" },
  limits: { cpu: "1000m", memory: "1024Mi", "ephemeral-storage": "50M" },
};
const scrape = {
  "prometheus.io/scrape": "true",
  "prometheus.io/path": "/metrics",
  "prometheus.io/port": "9646",
};

const podOf = (it: LocustTest, role: Role, config: Partial<Config> = {}) => {
  const template = buildJob(it, role, { ...standardConfig, ...config }).spec?.template;
  const [container] = template?.spec?.containers ?? [];
  if (template?.spec === undefined || container === undefined) throw new Error("a Job without a container");
  return { ...template, spec: template.spec, container };
};

describe("A96 the example of section 4.8", () => {
  test("becomes this master Job", () => {
    expect(buildJob(demo(), "master", standardConfig)).toEqual({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "demo-master", namespace: "perf", labels: labels("master"), annotations: applied },
      spec: {
        parallelism: 1,
        backoffLimit: 0,
        template: {
          metadata: { labels: labels("master"), annotations: scrape },
          spec: {
            restartPolicy: "Never",
            automountServiceAccountToken: false,
            securityContext: { seccompProfile: { type: "RuntimeDefault" } },
            initContainers: [
              {
                name: "locust-metrics-exporter",
                image: "containersol/locust_exporter:v0.5.0",
                imagePullPolicy: "IfNotPresent",
                restartPolicy: "Always",
                ports: [{ containerPort: 9646 }],
                env: [
                  { name: "LOCUST_EXPORTER_URI", value: "http://localhost:8089" },
                  { name: "LOCUST_EXPORTER_WEB_LISTEN_ADDRESS", value: ":9646" },
                ],
                resources: {
                  requests: { cpu: "100m", memory: "64Mi", "ephemeral-storage": "30M" },
                  limits: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "50M" },
                },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  capabilities: { drop: ["ALL"] },
                  readOnlyRootFilesystem: true,
                },
              },
            ],
            containers: [
              {
                name: "demo-master",
                image: "locustio/locust:2.46.3",
                imagePullPolicy: "IfNotPresent",
                args: [
                  ..."--locustfile /lotest/src/test.py --host https://shop.example".split(" "),
                  ..."--users 100 --spawn-rate 10 --run-time 5m".split(" "),
                  ..."--master --master-port=5557 --expect-workers=3 --autostart --autoquit 30".split(" "),
                  ..."--enable-rebalancing --only-summary".split(" "),
                ],
                ports: [{ containerPort: 5557 }, { containerPort: 5558 }, { containerPort: 8089 }],
                resources,
                volumeMounts: [{ name: "demo-master", mountPath: "/lotest/src" }],
              },
            ],
            volumes: [{ name: "demo-master", configMap: { name: "demo-scripts" } }],
          },
        },
      },
    });
  });

  test("becomes this worker Job", () => {
    expect(buildJob(demo(), "worker", standardConfig)).toEqual({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "demo-worker", namespace: "perf", labels: labels("worker"), annotations: applied },
      spec: {
        parallelism: 3,
        backoffLimit: 2_147_483_647,
        template: {
          metadata: { labels: labels("worker") },
          spec: {
            restartPolicy: "Never",
            automountServiceAccountToken: false,
            securityContext: { seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              {
                name: "demo-worker",
                image: "locustio/locust:2.46.3",
                imagePullPolicy: "IfNotPresent",
                args: "--locustfile /lotest/src/test.py --worker --master-port=5557 --master-host=demo-master".split(
                  " ",
                ),
                ports: [{ containerPort: 8080 }],
                resources,
                volumeMounts: [{ name: "demo-worker", mountPath: "/lotest/src" }],
              },
            ],
            volumes: [{ name: "demo-worker", configMap: { name: "demo-scripts" } }],
          },
        },
      },
    });
  });

  test("becomes this Service", () => {
    expect(buildService(demo(), standardConfig)).toEqual({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "demo-master", namespace: "perf", labels: labels("master"), annotations: applied },
      spec: {
        type: "ClusterIP",
        selector: { "performance-test-pod-name": "demo-master" },
        ports: [
          { name: "port5557", port: 5557, protocol: "TCP" },
          { name: "port5558", port: 5558, protocol: "TCP" },
          { name: "prometheus-metrics", port: 9646, protocol: "TCP" },
        ],
        publishNotReadyAddresses: true,
      },
    });
  });
});

describe("A97 with OpenTelemetry", () => {
  const it = demo({
    observability: {
      openTelemetry: {
        enabled: true,
        endpoint: "http://collector:4317",
        insecure: true,
        extraEnvVars: { OTEL_SERVICE_NAME: "shop", A_FIRST: "1", OTEL_TRACES_EXPORTER: "console" },
      },
    },
  });

  test.each(["master", "worker"] as const)("the %s gets --otel right after its own command", (role) => {
    const { args = [] } = podOf(it, role).container;
    const own = it.spec[role].command.split(" ").length;
    expect(args.indexOf("--otel")).toBe(own);
    expect(args[own + 1]).toBe(`--${role}`);
  });

  test.each(["master", "worker"] as const)("the %s gets the variables in order, and extra ones in place", (role) => {
    expect(podOf(it, role).container.env).toEqual([
      { name: "OTEL_TRACES_EXPORTER", value: "console" },
      { name: "OTEL_METRICS_EXPORTER", value: "otlp" },
      { name: "OTEL_LOGS_EXPORTER", value: "none" },
      { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector:4317" },
      { name: "OTEL_EXPORTER_OTLP_PROTOCOL", value: "grpc" },
      { name: "OTEL_EXPORTER_OTLP_INSECURE", value: "true" },
      { name: "A_FIRST", value: "1" },
      { name: "OTEL_SERVICE_NAME", value: "shop" },
    ]);
  });

  test("there is no sidecar, nothing for Prometheus and no port for it", () => {
    const { spec, metadata } = podOf(it, "master");
    expect(spec).not.toHaveProperty("initContainers");
    expect(metadata).not.toHaveProperty("annotations");
    const ports = buildService(it, standardConfig).spec?.ports ?? [];
    expect(ports.map(({ name }) => name)).toEqual(["port5557", "port5558"]);
  });

  test("that is not enabled nothing changes", () => {
    const off = demo({ observability: { openTelemetry: { enabled: false, endpoint: "http://collector:4317" } } });
    expect(podOf(off, "master").spec).toEqual(podOf(demo(), "master").spec);
  });
});

describe("the exporter", () => {
  test("that is disabled leaves no trace", () => {
    const config: Config = { ...standardConfig, exporter: { at: "disabled" } };
    expect(podOf(demo(), "master", config).spec).not.toHaveProperty("initContainers");
    expect(podOf(demo(), "master", config).metadata).not.toHaveProperty("annotations");
    expect(buildService(demo(), config).spec?.ports).toHaveLength(2);
    expect(notesOn(demo().spec, config)).toEqual([]);
  });

  test("that an old server cannot run is left out, and it is said", () => {
    const config: Config = { ...standardConfig, exporter: { at: "unsupported" } };
    expect(podOf(demo(), "master", config).spec).not.toHaveProperty("initContainers");
    expect(notesOn(demo().spec, config).map(({ reason }) => reason)).toEqual(["SidecarLeftOut"]);
  });

  test("listens on its own port everywhere", () => {
    if (standardConfig.exporter.at !== "deployed") throw new Error("no exporter");
    const config: Config = { ...standardConfig, exporter: { ...standardConfig.exporter, port: 9000 } };
    const { spec, metadata } = podOf(demo(), "master", config);
    expect(metadata?.annotations?.["prometheus.io/port"]).toBe("9000");
    expect(spec.initContainers?.[0]?.ports).toEqual([{ containerPort: 9000 }]);
    expect(spec.initContainers?.[0]?.env?.[1]?.value).toBe(":9000");
    expect(buildService(demo(), config).spec?.ports?.[2]?.port).toBe(9000);
  });

  test.each([
    ["arguments", demo({ master: master({ extraArgs: ["--web-port", "9000", "--web-base-path", "/l"] }) })],
    [
      "variables",
      demo({
        env: {
          variables: [
            { name: "LOCUST_WEB_PORT", value: "9000" },
            { name: "LOCUST_WEB_BASE_PATH", value: "/l" },
          ],
        },
      }),
    ],
  ])("A78 reads the web API where the %s put it", (_, it) => {
    expect(podOf(it, "master").spec.initContainers?.[0]?.env?.[0]?.value).toBe("http://localhost:9000/l");
  });
});

describe("the Service", () => {
  const service: Config = { ...standardConfig, telemetry: { ...standardConfig.telemetry, mode: "service" } };

  test("has the web port only where telemetry goes through it", () => {
    expect(buildService(demo(), service).spec?.ports?.at(-1)).toEqual({
      name: "port8089",
      port: 8089,
      protocol: "TCP",
    });
    const elsewhere = demo({ master: master({ extraArgs: ["--web-port=9000"] }) });
    expect(buildService(elsewhere, service).spec?.ports?.at(-1)).toMatchObject({ name: "port8089", port: 9000 });
  });

  test("of a dotted name is found by its pods", () => {
    const dotted = demo({}, "team.load");
    const { metadata, spec } = buildService(dotted, standardConfig);
    expect(metadata?.name).toBe("team-load-master");
    expect(podOf(dotted, "master").metadata?.labels).toMatchObject(spec?.selector ?? {});
    expect(metadata?.labels).toMatchObject({ app: "team.load", "performance-test-name": "team.load" });
    expect(podOf(dotted, "worker").container.args?.at(-1)).toBe("--master-host=team-load-master");
  });
});

describe("labels and annotations", () => {
  test("A64 a user's label that is ours is ignored", () => {
    const it = demo({
      master: master({ labels: { "performance-test-name": "x", app: "x", "managed-by": "x", team: "shop" } }),
      worker: worker({ labels: { "performance-test-pod-name": "x" } }),
    });
    expect(podOf(it, "master").metadata?.labels).toEqual({ ...labels("master"), team: "shop" });
    expect(podOf(it, "worker").metadata?.labels).toEqual(labels("worker"));
  });

  test("a user's annotation wins", () => {
    const it = demo({ master: master({ annotations: { "prometheus.io/port": "1", team: "shop" } }) });
    expect(podOf(it, "master").metadata?.annotations).toEqual({ ...scrape, "prometheus.io/port": "1", team: "shop" });
  });
});

describe("a Job", () => {
  test("lives as long as the operator says, zero included", () => {
    expect(buildJob(demo(), "master", standardConfig).spec).not.toHaveProperty("ttlSecondsAfterFinished");
    const job = buildJob(demo(), "worker", { ...standardConfig, jobTtl: 0 });
    expect(job.spec?.ttlSecondsAfterFinished).toBe(0);
  });

  test("remembers the generation that it was made from", () => {
    const { metadata, ...rest } = demo();
    const job = buildJob({ ...rest, metadata: { ...metadata, generation: 7 } }, "master", standardConfig);
    expect(job.metadata?.annotations?.["locust.io/applied-generation"]).toBe("7");
  });

  test("hands over pull secrets, pull policy, contexts and the token setting", () => {
    const it = demo({
      imagePullPolicy: "Always",
      imagePullSecrets: [{ name: "registry" }],
      security: {
        podSecurityContext: { runAsUser: 1000 },
        containerSecurityContext: { readOnlyRootFilesystem: true },
      },
    });
    const { spec, container } = podOf(it, "worker", { automountToken: true });
    expect(spec).toMatchObject({
      automountServiceAccountToken: true,
      imagePullSecrets: [{ name: "registry" }],
      securityContext: { runAsUser: 1000 },
    });
    // A context of the test replaces the default as a whole.
    expect(spec.securityContext).toEqual({ runAsUser: 1000 });
    expect(container).toMatchObject({
      imagePullPolicy: "Always",
      securityContext: { readOnlyRootFilesystem: true },
    });
  });
});
