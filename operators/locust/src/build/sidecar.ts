// The metrics exporter: a native sidecar of the master, which reads its web API and answers Prometheus. As an ordinary container
// it would keep the pod alive after Locust has ended, and the Job would never complete.
import type { Config, Exporter } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { type LocustOptions, parseLocustArgs } from "../telemetry/options.ts";
import { buildArgs } from "./args.ts";
import { exporterName } from "./names.ts";
import { openTelemetryOf } from "./opentelemetry.ts";
import { requirements } from "./resources.ts";
import type { Container } from "./types.ts";

export function buildSidecar(test: LocustTest, config: Config): Container | undefined {
  const exporter = deployedExporter(test.spec, config);
  if (exporter === undefined) return undefined;
  return {
    name: exporterName,
    image: exporter.image,
    imagePullPolicy: exporter.pullPolicy,
    restartPolicy: "Always",
    ports: [{ containerPort: exporter.port }],
    env: [
      { name: "LOCUST_EXPORTER_URI", value: webAddress(test) },
      { name: "LOCUST_EXPORTER_WEB_LISTEN_ADDRESS", value: `:${exporter.port}` },
    ],
    resources: requirements(exporter.resources),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
  };
}

/** The exporter, where one is deployed: OpenTelemetry takes its place. */
export function deployedExporter(spec: LocustTestSpec, { exporter }: Config): Deployed | undefined {
  return exporter.at === "deployed" && openTelemetryOf(spec) === undefined ? exporter : undefined;
}

type Deployed = Extract<Exporter, { readonly at: "deployed" }>;

/** What the built command line and the test's own variables say about the web API. */
export function webOptions({ metadata, spec }: LocustTest): LocustOptions {
  return parseLocustArgs(buildArgs(spec, "master", metadata.name ?? ""), spec.env?.variables ?? []);
}

function webAddress(test: LocustTest): string {
  const { tls, webPort, basePath } = webOptions(test);
  return `${tls ? "https" : "http"}://localhost:${webPort}${basePath}`;
}
