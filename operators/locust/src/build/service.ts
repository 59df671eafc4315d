// The master's Service: where workers find the master, and Prometheus the exporter.
import type { Service } from "@telltale/kinds/builtin";
import type { Config } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { appliedAnnotations, ownLabels, podLabel } from "./labels.ts";
import { nodeName } from "./names.ts";
import { legacyPort, masterPort } from "./ports.ts";
import { deployedExporter, webOptions } from "./sidecar.ts";

export function buildService(test: LocustTest, config: Config): Service {
  const name = test.metadata.name ?? "";
  const master = nodeName(name, "master");
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: master,
      ...(test.metadata.namespace !== undefined && { namespace: test.metadata.namespace }),
      labels: ownLabels(name, "master"),
      annotations: appliedAnnotations(test),
    },
    spec: {
      type: "ClusterIP",
      selector: { [podLabel]: master },
      ports: portsOf(test, config).map((port) => ({ ...port, protocol: "TCP" })),
      // Workers usually start before the master is ready. Without endpoints their first attempt may be dropped, and the
      // kernel repeats it only after about two minutes.
      publishNotReadyAddresses: true,
    },
  };
}

/** The web port is only here where telemetry needs it: whoever reaches it can stop the test. */
function portsOf(test: LocustTest, config: Config): { readonly name: string; readonly port: number }[] {
  const exporter = deployedExporter(test.spec, config);
  return [
    { name: "port5557", port: masterPort },
    { name: "port5558", port: legacyPort },
    ...(exporter === undefined ? [] : [{ name: "prometheus-metrics", port: exporter.port }]),
    ...(config.telemetry.mode === "service" ? [{ name: "port8089", port: webOptions(test).webPort }] : []),
  ];
}
