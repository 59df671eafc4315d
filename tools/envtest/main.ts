// `npm run envtest`: prints the folder with kube-apiserver, etcd and kubectl, and builds them when they are nowhere.
import { parseArgs } from "node:util";
import { buildAssets, findAssets, kubernetesVersion } from "./assets.ts";

const help = `npm run envtest [-- --json]

Prints the folder that has kube-apiserver, etcd and kubectl ${kubernetesVersion()}: $KUBEBUILDER_ASSETS where that is set,
else the cache ($TELLTALE_CACHE, $XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is built once with Go.

  --json   print {"assets": FOLDER, "version": VERSION}
  --help   print this`;

try {
  const { values } = parseArgs({ options: { json: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) console.log(help);
  else {
    const assets = findAssets() ?? (await buildAssets((line) => console.error(`envtest: ${line}`)));
    const version = process.env["KUBEBUILDER_ASSETS"] ? undefined : kubernetesVersion();
    console.log(values.json ? JSON.stringify({ assets, version }) : assets);
  }
} catch (error) {
  console.error(`envtest: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
