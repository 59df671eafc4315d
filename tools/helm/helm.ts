// Where Helm is: given by the environment, in the cache, or built once with Go. Beside the one in the cache lies the definition of
// ServiceMonitors, which a chart that makes some needs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../cache.ts";
import { build, find, type GoProgram } from "../go.ts";
import { skipOrFail } from "../require.ts";

const module = "helm.sh/helm/v3";
const version = "3.22.0";
const definition = "servicemonitors.yaml";

/** Without these it says v3.22, and takes every cluster that it cannot ask for a Kubernetes 1.20. */
const built = {
  "internal/version.version": `v${version}`,
  "pkg/chartutil.k8sVersionMajor": "1",
  "pkg/chartutil.k8sVersionMinor": "37",
  "pkg/lint/rules.k8sVersionMajor": "1",
  "pkg/lint/rules.k8sVersionMinor": "37",
};

const helm: GoProgram = {
  title: "Helm",
  name: "helm",
  variable: "TELLTALE_HELM",
  version,
  module,
  source: "./cmd/helm",
  flags: Object.entries(built)
    .map(([name, value]) => `-X ${module}/${name}=${value}`)
    .join(" "),
  files: [
    {
      name: definition,
      module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
      path: "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
    },
  ],
};

export const helmVersion = version;
export const findHelm = (env?: Environment) => find(helm, env);
export const buildHelm = (say: (line: string) => void, env?: Environment) => build(helm, say, env);

/** The folder for a suite that runs only where Helm is. Without it see `skipOrFail`. */
export function helmFor(suite: string, env?: Environment): string | undefined {
  return findHelm(env) ?? skipOrFail(suite, "Helm", "set TELLTALE_HELM or run: npm run helm", env);
}

/** The definition of ServiceMonitors beside that Helm; undefined where somebody else's has none. */
export function serviceMonitorsBeside(folder: string): string | undefined {
  const file = join(folder, definition);
  return existsSync(file) ? file : undefined;
}
