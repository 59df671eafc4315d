// Runs Locust as a pod of the process runtime: there is no Service DNS, so that the name of the master's Service is replaced by
// the address of the pod behind it, and the master listens on its own address only. Nothing else is changed.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, findConnection, httpTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import { Pod, Service } from "@telltale/kinds/builtin";

const [program = "", ...args] = process.argv.slice(2);
const {
  POD_IP: address = "127.0.0.1",
  POD_NAMESPACE: namespace = "default",
  HOSTNAME: pod = "",
  LOCUST_KUBECONFIG: path = "",
  PROCESS_FOLDER: processes = "",
} = process.env;

const flag = "--master-host=";
const host = args.find((it) => it.startsWith(flag))?.slice(flag.length);
const found = host === undefined ? undefined : await addressOf(host);
const rewritten = args.map((it) => (it.startsWith(flag) ? `${flag}${found}` : it));
const env = { ...process.env, LOCUST_WEB_HOST: address, LOCUST_MASTER_BIND_HOST: address };

const child = spawn(program, rewritten, { stdio: "inherit", env });
if (processes !== "") writeFileSync(join(processes, `${pod}.pid`), String(child.pid)); // for whoever has to kill it
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`${program}: ${error.message}`);
  process.exit(127);
});
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 143)));

/** Of the pod behind a Service, as soon as there is one. By the pods themselves: a real API server keeps no loopback address in an EndpointSlice. */
async function addressOf(name: string): Promise<string> {
  const transport = httpTransport(await findConnection({ clock: systemClock, path }));
  const client = createClient({ transport, clock: systemClock, random: systemRandom });
  try {
    for (;;) {
      const { spec } = await client.get(Service, name, { namespace });
      const labels = Object.entries(spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`);
      const { items } = await client.list(Pod, { namespace, labelSelector: labels.join(",") });
      const first = items.map(({ status }) => status?.podIP).find((ip) => ip !== undefined && ip !== "");
      if (first !== undefined) return first;
      await sleep(systemClock, 100);
    }
  } finally {
    await client.close();
  }
}
