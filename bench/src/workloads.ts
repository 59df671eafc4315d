// What it costs to make a thousand Deployments of three pods available on simulated pods, with the API server, all controllers,
// scheduler and kubelet in one process.
import { startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import { Deployment, Pod } from "@telltale/kinds/builtin";
import { workloads } from "@telltale/workloads";
import type { Result } from "./table.ts";

const count = 1000;
const pods = 3;

export async function measureWorkloads(): Promise<Result[]> {
  const server = await startApiServer({ listen: false });
  const writes = { status: 0, same: 0 };
  server.store.subscribe("/", server.store.revision, ({ type, record, previous }) => {
    if (type !== "MODIFIED" || previous === undefined) return;
    const [before, after] = [statusText(previous.object()), statusText(record.object())];
    const isStatus = metadataText(previous.object()) === metadataText(record.object());
    if (!isStatus || after === undefined) return;
    writes.status += 1;
    if (before === after) writes.same += 1;
  });
  const stop = new AbortController();
  const nodes = [1, 2, 3, 4].map((n) => ({ name: `node-${n}` }));
  const run = workloads({ transport: inProcessTransport(server.client), nodes }).run(stop.signal);
  const client = createClient({
    transport: inProcessTransport(server.client),
    clock: systemClock,
    random: systemRandom,
  });
  await sleep(systemClock, 500);
  const [cpu, began] = [process.cpuUsage(), systemClock.uptime()];
  for (let i = 0; i < count; i += 1) await client.create(Deployment, web(i));
  while (!(await areAvailable(client))) await sleep(systemClock, 200);
  const took = systemClock.uptime() - began;
  const used = process.cpuUsage(cpu);
  const made = (await client.list(Pod, {})).items.length;
  stop.abort();
  await run;
  await server.stop();
  const result = (name: string, value: number, unit: string, aim?: number): Result => ({
    suite: "workloads",
    name,
    value,
    unit,
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    result(`${count} Deployments of ${pods} pods available`, took / 1000, "s", 30),
    result("CPU of it", (used.user + used.system) / 1e6, "s"),
    result("pods beyond those wanted", made - count * pods, "pods", 0),
    result("status writes per Deployment and its pods", writes.status / count, "writes"),
    result("statuses written twice", writes.same, "writes", 0),
  ];
}

function web(i: number): Deployment {
  const labels = { app: `web-${i}` };
  const resources = { requests: { cpu: "1m", memory: "1Mi" } };
  const containers = [{ name: "main", image: "example.test/app:1", resources }];
  return {
    metadata: { name: `web-${i}`, namespace: "default" },
    spec: {
      replicas: pods,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

async function areAvailable(client: ReturnType<typeof createClient>): Promise<boolean> {
  const { items } = await client.list(Deployment, { namespace: "default" });
  return items.length === count && items.every(({ status }) => status?.availableReplicas === pods);
}

const statusText = (object: object): string | undefined => JSON.stringify((object as { status?: unknown }).status);

/** What a write of status does not change. */
function metadataText(object: object): string {
  const { metadata, spec } = object as { metadata?: Record<string, unknown>; spec?: unknown };
  const { resourceVersion: _version, managedFields: _fields, ...rest } = metadata ?? {};
  return JSON.stringify([rest, spec]);
}
