// `npm run envtest`: prints the folder with kube-apiserver, etcd and kubectl, and builds them when they are nowhere.
import { parseArgs } from "node:util";
import { buildAssets, type Extra, findAssets, kubernetesVersion } from "./assets.ts";

const help = `npm run envtest [-- --json] [--controller-manager]

Prints the folder that has kube-apiserver, etcd and kubectl ${kubernetesVersion()}: $KUBEBUILDER_ASSETS where that is set,
else the cache ($TELLTALE_CACHE, $XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is built once with Go.

  --json                 print {"assets": FOLDER, "version": VERSION}
  --controller-manager   kube-controller-manager too
  --help                 print this`;

try {
  const isSet = { type: "boolean" } as const;
  const { values } = parseArgs({ options: { json: isSet, "controller-manager": isSet, help: isSet } });
  if (values.help) console.log(help);
  else {
    const more: readonly Extra[] = values["controller-manager"] ? ["kube-controller-manager"] : [];
    const say = (line: string) => console.error(`envtest: ${line}`);
    const assets = findAssets(process.env, more) ?? (await buildAssets(say, process.env, more));
    const version = assets === process.env["KUBEBUILDER_ASSETS"] ? undefined : kubernetesVersion();
    console.log(values.json ? JSON.stringify({ assets, version }) : assets);
  }
} catch (error) {
  console.error(`envtest: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
