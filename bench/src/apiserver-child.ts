// One measurement in a fresh process: `node apiserver-child.ts <what> [...]`. Prints its figures as JSON.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { percentile } from "./table.ts";

const [what = "", url = "", ca = "", count = "0"] = process.argv.slice(2);
const path = "/api/v1/namespaces/default/configmaps";
const json = { "content-type": "application/json" };
const headers = { ...json, authorization: "Bearer bench" };

/** About 2 KB with what the server adds. */
const object = (name: string): string =>
  JSON.stringify({ metadata: { name, labels: { app: "bench", tier: "t" } }, data: { fill: "x".repeat(1_500), name } });

const measures: Readonly<Record<string, () => Promise<Record<string, number>>>> = {
  cold: () => cold(false),
  "cold-tls": () => cold(undefined),
  writes: creates,
  load,
  size,
  watch,
};

console.log(JSON.stringify(await measures[what]?.()));

/** From the start of this process, the loading of code included. */
async function cold(listen: false | undefined): Promise<Record<string, number>> {
  const { startApiServer } = await import("@telltale/apiserver");
  const server = await startApiServer(listen === undefined ? {} : { listen });
  const value = performance.now();
  await server.stop();
  return { value };
}

async function creates(): Promise<Record<string, number>> {
  const { startApiServer } = await import("@telltale/apiserver");
  const server = await startApiServer({ listen: false });
  let next = 0;
  const run = async (times: number) => {
    for (let i = 0; i < times; i += 1) {
      const { status, body } = await server.client({
        method: "POST",
        path,
        headers: json,
        body: object(`c-${next++}`),
      });
      if (status !== 201) throw new Error(body);
    }
  };
  await run(5_000); // until the code is warm
  const started = performance.now();
  await run(20_000);
  const value = 20_000 / ((performance.now() - started) / 1_000);
  await server.stop();
  return { value };
}

async function size(): Promise<Record<string, number>> {
  const { startApiServer } = await import("@telltale/apiserver");
  const server = await startApiServer({ listen: false });
  for (let i = 0; i < 100_000; i += 1)
    await server.client({ method: "POST", path, headers: json, body: object(`c-${i}`) });
  (globalThis as { gc?: () => void }).gc?.();
  const rss = process.memoryUsage().rss / 1e6;
  const samples: number[] = [];
  for (let i = 0; i < 9; i += 1) {
    const started = performance.now();
    const { body } = await server.client({ method: "GET", path: `${path}?limit=10000` });
    if (body.length < 10_000_000) throw new Error("the list is too short");
    samples.push(performance.now() - started);
  }
  await server.stop();
  return { rss, list: percentile(samples, 0.5) };
}

/** Creates over HTTPS, 32 at a time on connections that are kept. */
async function load(): Promise<Record<string, number>> {
  const lanes = 32;
  const agent = new Agent({ keepAlive: true, maxSockets: lanes, ca: readFileSync(ca) });
  const run = `${process.pid}`;
  const post = (body: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const out = request(
        `${url}${path}`,
        { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) }, agent },
        (answer) => {
          answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
        },
      );
      out.once("error", reject);
      out.end(body);
    });
  let next = 0;
  const lane = async (until: number) => {
    while (next < until) {
      const status = await post(object(`c-${run}-${next++}`));
      if (status !== 201) throw new Error(`${status} for a create`);
    }
  };
  const warm = 1_000; // connections and code of this side
  await Promise.all(Array.from({ length: lanes }, () => lane(warm)));
  const total = Number(count);
  const started = performance.now();
  await Promise.all(Array.from({ length: lanes }, () => lane(warm + total)));
  const value = (next - warm) / ((performance.now() - started) / 1_000);
  agent.destroy();
  return { value };
}

/** A thousand watchers, each on its own connection, and a writer; both here, so that there is one clock. */
async function watch(): Promise<Record<string, number>> {
  const { sleep, systemClock } = await import("@telltale/clock");
  const agent = new Agent({ keepAlive: true, ca: readFileSync(ca) });
  const ask = (method: string, where: string, body?: string) =>
    new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
      const out = request(`${url}${where}`, { method, headers, agent }, resolve);
      out.once("error", reject);
      out.end(body);
    });
  const warm = 50;
  let heard = 0;
  const sent = new Map<string, number>();
  const delays: number[] = [];
  const list = JSON.parse(await text(await ask("GET", path))) as { metadata: { resourceVersion: string } };
  const streams: import("node:http").IncomingMessage[] = [];
  while (streams.length < 1_000) {
    const batch = Array.from({ length: 50 }, () =>
      ask("GET", `${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`),
    );
    streams.push(...(await Promise.all(batch)));
  }
  for (const stream of streams) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const now = performance.now();
      for (const { 1: name = "" } of chunk.matchAll(/"name":"(w-\d+)"/g)) {
        heard += 1;
        if (Number(name.slice(2)) >= warm) delays.push(now - (sent.get(name) ?? now));
      }
    });
  }
  const events = warm + 500;
  const started = performance.now();
  for (let i = 0; i < events; i += 1) {
    await sleep(systemClock, Math.max(0, started + i * 20 - performance.now()));
    const name = `w-${i}`;
    sent.set(name, performance.now());
    void ask("POST", path, JSON.stringify({ metadata: { name }, data: { some: "thing" } })).then((answer) =>
      answer.resume(),
    );
  }
  while (heard < events * streams.length) await sleep(systemClock, 50);
  for (const stream of streams) stream.destroy();
  agent.destroy();
  return { value: percentile(delays, 0.99) };
}
