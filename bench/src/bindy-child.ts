// The DNS operator as a process of its own: `node bindy-child.ts <kubeconfig>`. Works until every record is published, and prints
// what memory it then has. The simulated nameservers are in it too, which a real one has elsewhere.
import {
  ARecord,
  bindcarClient,
  bindyOperator,
  type DNSRecord,
  fixedToken,
  SimulatedBindcar,
  simulatedWire,
  standardConfig,
} from "@telltale/bindy";
import { createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import { manager } from "@telltale/runtime";

const [kubeconfig = ""] = process.argv.slice(2);
const transport = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
const bindcars = new Map<string, SimulatedBindcar>();
const at = (endpoint: string): SimulatedBindcar => {
  const address = endpoint.split(":")[0] ?? "";
  const serverAt = (other: string) => bindcars.get(other.split(":")[0] ?? "")?.nameserver;
  const it = bindcars.get(address) ?? new SimulatedBindcar({ clock, random, address, serverAt });
  bindcars.set(address, it);
  return it;
};
const bindcar = bindcarClient({ wire: simulatedWire({ find: at, clock }), token: fixedToken("t"), clock, random });
const controllers = bindyOperator({ config: standardConfig, transport, bindcar });
// Without a limit of requests: what is measured is what it holds, not how long it takes.
const it = manager({ name: "bindy", transport, controllers, events: "none" });
const stop = new AbortController();
const run = it.run(stop.signal);

let most = 0;
const client = createClient({ transport, clock, random });
while (!(await arePublished())) {
  await sleep(clock, 500);
  most = Math.max(most, process.memoryUsage().rss);
}
await sleep(clock, 5_000);
globalThis.gc?.();
const { rss, heapUsed } = process.memoryUsage();
console.log(JSON.stringify({ rss: Math.max(most, rss), heap: heapUsed }));
stop.abort();
await run;
await transport.close();

async function arePublished(): Promise<boolean> {
  if (!it.isActive() || it.troubles().length > 0) return false;
  const store = it.cache.held().find(({ kind }) => kind.kind === ARecord.kind)?.store;
  let [all, published] = [0, 0];
  for (const record of store?.values() ?? []) {
    const { status } = record as DNSRecord;
    all += 1;
    if (status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true) published += 1;
  }
  return all > 0 && all === published && (await client.list(ARecord, { limit: 1 })).items.length > 0;
}
