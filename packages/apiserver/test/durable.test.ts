// The server as a process with a folder, killed in the middle of writes again and again. The store's own test kills it
// more often; here it is the whole way of a write, from the client's socket to the folder and back.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { seededRandom } from "@telltale/clock";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { run } from "./program.ts";

const kills = 12;
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

// A kill leaves the system running, so a folder in memory shows as much as a disk, and sooner.
const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "telltale-durable-"));
// A process that is killed leaves no compiled code for the next one: one that ends well does.
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, "compiled") };
const alive = new Set<ChildProcess>();

beforeAll(() => {
  const whole = `const { startApiServer } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)}); await (await startApiServer()).stop();`;
  spawnSync(process.execPath, ["--input-type=module", "-e", whole], { env });
}, 60_000);

afterEach(() => {
  for (const child of alive) child.kill("SIGKILL");
});
afterAll(() => rmSync(root, { recursive: true }));

interface Child {
  readonly process: ChildProcess;
  readonly ca: string;
  /** What it has said on its standard error. */
  said(): string;
  /** Undefined: no answer came. */
  send(method: string, path: string, body?: object): Promise<{ status: number; object: ApiObject } | undefined>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

interface ApiObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly items: readonly ApiObject[];
  readonly data: Readonly<Record<string, string>>;
  readonly size: number;
  readonly message: string;
}

async function start(dir: string): Promise<Child> {
  const kubeconfig = join(dir, "..", "kubeconfig");
  const child = spawn(process.execPath, [main, "--data-dir", dir, "--kubeconfig-out", kubeconfig, "--token", "t"], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
  alive.add(child);
  const gone = once(child, "close").then(() => alive.delete(child));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const ready = await Promise.race([once(createInterface(child.stdout), "line"), gone]);
  if (typeof ready === "boolean") throw new Error(`the server did not start: ${said}`);
  const { url } = JSON.parse(String(ready[0])) as { url: string };
  const { 1: encoded = "" } = /certificate-authority-data: (\S+)/.exec(readFileSync(kubeconfig, "utf8")) ?? [];
  const ca = Buffer.from(encoded, "base64").toString();
  const agent = new Agent({ keepAlive: true, ca });
  return {
    process: child,
    ca,
    said: () => said,
    send: (method, path, body) =>
      new Promise((resolve) => {
        const headers = {
          authorization: "Bearer t",
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
        };
        const out = request(`${url}${path}`, { method, agent, headers }, (answer) => {
          readText(answer).then(
            (text) => resolve({ status: answer.statusCode ?? 0, object: JSON.parse(text) as ApiObject }),
            () => resolve(undefined),
          );
        });
        out.on("error", () => resolve(undefined));
        out.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    async kill() {
      child.kill("SIGKILL");
      await gone;
      agent.destroy();
    },
    async stop() {
      agent.destroy();
      child.kill("SIGTERM");
      await gone;
    },
  };
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const widgets = "/apis/durable.io/v1/namespaces/default/widgets";
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.durable.io" },
  spec: {
    group: "durable.io",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { size: { type: "integer" } } } },
      },
    ],
  },
};

/** What the server has said yes to. */
class Ledger {
  readonly made = new Map<string, string>();
  readonly gone = new Set<string>();
  /** By counter: the last value that was acknowledged, and the last that was asked for. */
  readonly counters = new Map<string, { sure: number; asked: number }>();
  newest = 0;
  count = 0;

  acknowledge(version: string): void {
    this.newest = Math.max(this.newest, Number(version));
    this.count += 1;
  }
}

/** Writes until the server no longer answers, keeping account of what it said. */
async function lane(child: Child, name: string, ledger: Ledger, acknowledged: () => void): Promise<void> {
  const before = ledger.newest;
  for (let i = 0; ; i += 1) {
    const path = i % 2 === 0 ? configMaps : widgets;
    const fill =
      i % 2 === 0 ? { data: { fill: "x".repeat(300) } } : { apiVersion: "durable.io/v1", kind: "Widget", size: i };
    // Not a generated name: one that was deleted may come again.
    const made = await child.send("POST", path, { ...fill, metadata: { name: `${name}-${before}-${i}` } });
    if (made === undefined) return;
    expect(made.status, made.object.message).toBe(201);
    const { name: given, resourceVersion } = made.object.metadata;
    expect(Number(resourceVersion)).toBeGreaterThan(before);
    const own = `${path}/${given}`;
    ledger.made.set(own, resourceVersion);
    ledger.acknowledge(resourceVersion);
    acknowledged();

    const counter = ledger.counters.get(name) ?? { sure: 0, asked: 0 };
    ledger.counters.set(name, counter);
    const next = Math.max(counter.sure, counter.asked) + 1;
    counter.asked = next;
    const counted = await child.send("PATCH", `${configMaps}/counter-${name}`, { data: { n: String(next) } });
    if (counted === undefined) return;
    expect(counted.status).toBe(200);
    counter.sure = next;
    ledger.acknowledge(counted.object.metadata.resourceVersion);
    acknowledged();

    if (i % 3 !== 2) continue;
    ledger.made.delete(own); // from here on it may be there or not
    const taken = await child.send("DELETE", own);
    if (taken === undefined) return;
    expect(taken.status, taken.object.message).toBe(200);
    ledger.gone.add(own);
    ledger.count += 1;
    acknowledged();
  }
}

/** Everything that was said is so. */
async function check(child: Child, ledger: Ledger): Promise<void> {
  const found = new Map<string, ApiObject>();
  for (const path of [configMaps, widgets]) {
    const list = await child.send("GET", path);
    expect(list?.status, `${path} at once after the start`).toBe(200);
    expect(Number(list?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(ledger.newest);
    for (const item of list?.object.items ?? []) found.set(`${path}/${item.metadata.name}`, item);
  }
  expect([...ledger.made].filter(([path, version]) => found.get(path)?.metadata.resourceVersion !== version)).toEqual(
    [],
  );
  expect([...ledger.gone].filter((path) => found.has(path))).toEqual([]);
  for (const [name, { sure, asked }] of ledger.counters) {
    const n = Number(found.get(`${configMaps}/counter-${name}`)?.data["n"]);
    expect(n).toBeGreaterThanOrEqual(sure);
    expect(n).toBeLessThanOrEqual(asked);
  }
}

test("killed in the middle of writes, a server comes back with all that it acknowledged", async () => {
  const dir = join(root, "killed", "data");
  const random = seededRandom(7);
  const ledger = new Ledger();
  const lanes = ["a", "b", "c", "d"];
  let ca: string | undefined;
  for (let kill = 0; kill <= kills; kill += 1) {
    const child = await start(dir);
    ca ??= child.ca;
    expect(child.ca).toBe(ca);
    if (kill === 0) {
      expect(
        (await child.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition))?.status,
      ).toBe(201);
      for (const name of lanes)
        await child.send("POST", configMaps, { metadata: { name: `counter-${name}` }, data: { n: "0" } });
    } else {
      expect(child.said()).toContain("took over the lock");
      await check(child, ledger);
    }
    if (kill === kills) {
      await child.stop();
      break;
    }
    let left = 5 + Math.floor(random.next() * 150);
    const acknowledged = () => {
      left -= 1;
      if (left === 0) child.process.kill("SIGKILL");
    };
    await Promise.all(lanes.map((name) => lane(child, name, ledger, acknowledged)));
    await child.kill();
  }
  expect(ledger.count).toBeGreaterThan(kills * 5);
}, 60_000);

test("a folder that another server has is refused in one line, and the other goes on", async () => {
  const dir = join(root, "shared", "data");
  const child = await start(dir);
  const second = await run(process.execPath, [main, "--data-dir", dir], { env });
  expect(second.exit).toBe(1);
  expect(second.stdout).toBe("");
  expect(second.stderr).toBe(
    `store ${dir} is in use by process ${child.process.pid}; stop it first, or use another folder\n`,
  );
  expect((await child.send("GET", configMaps))?.status).toBe(200);
  await child.stop();
}, 30_000);

test("a torn tail of the log is cut off and told, and what came before it is there", async () => {
  const dir = join(root, "torn", "data");
  const first = await start(dir);
  const made = await first.send("POST", configMaps, { metadata: { name: "kept" } });
  expect(made?.status).toBe(201);
  await first.kill();
  const segment = readdirSync(dir)
    .filter((name) => name.endsWith(".log"))
    .sort()
    .at(-1);
  expect(segment).toBeDefined();
  appendFileSync(join(dir, segment ?? ""), Buffer.from("half of a record"));
  const second = await start(dir);
  expect(second.said()).toMatch(/the write at byte \d+ was cut short and never acknowledged; cut off 16 bytes/);
  const kept = await second.send("GET", `${configMaps}/kept`);
  expect(kept?.object.metadata.resourceVersion).toBe(made?.object.metadata.resourceVersion);
  const next = await second.send("POST", configMaps, { metadata: { name: "next" } });
  expect(Number(next?.object.metadata.resourceVersion)).toBeGreaterThan(Number(kept?.object.metadata.resourceVersion));
  await second.stop();
}, 30_000);
