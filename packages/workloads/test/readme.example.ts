import { writeFile } from "node:fs/promises";
import { startApiServer } from "@telltale/apiserver";
import { inProcessTransport } from "@telltale/client";
import { processRuntime, workloads } from "@telltale/workloads";

export async function cluster(kubeconfig: string, signal: AbortSignal): Promise<void> {
  const runtime = processRuntime();
  const server = await startApiServer({ serviceAccounts: true, ...(runtime.access && { pods: runtime.access }) });
  await writeFile(kubeconfig, server.kubeconfig());
  await workloads({ transport: inProcessTransport(server.client), runtime, rootCertificate: server.ca() }).run(signal);
  await server.stop();
}
