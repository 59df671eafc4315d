// Pods of tests as local processes: what the process runtime has to be told so that it can run them with a real Locust.
import { fileURLToPath } from "node:url";

export interface LocalPodsOptions {
  /** The program: `locust`, or the path to it. */
  readonly locust: string;
  /** By which workers find their master: there is no Service DNS. */
  readonly kubeconfig: string;
  /** Where the process id of each pod is written, for whoever has to kill one. */
  readonly processes?: string;
}

/** To be spread into the options of `processRuntime`. */
export interface LocalPods {
  readonly images: Readonly<Record<string, LocalProgram>>;
}

interface LocalProgram {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export function localPods({ locust, kubeconfig, processes }: LocalPodsOptions): LocalPods {
  const env = { LOCUST_KUBECONFIG: kubeconfig, ...(processes !== undefined && { PROCESS_FOLDER: processes }) };
  return { images: { "locustio/locust*": { command: [process.execPath, runner, locust], env } } };
}

const runner = fileURLToPath(new URL("./run-locust.ts", import.meta.url));
