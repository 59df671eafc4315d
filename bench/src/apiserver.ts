// What the embedded API server costs: to start, to write, to list, to watch and to keep. Everything that must be fresh, or
// must not share a core with the server, is a process of its own: see `apiserver-child.ts`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@telltale/apiserver";
import { percentile, type Result } from "./table.ts";

const child = fileURLToPath(new URL("./apiserver-child.ts", import.meta.url));

export async function measureApiServer(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-bench-"));
  try {
    return [
      ...(await starts(folder)),
      ...(await writes(folder)),
      ...(await size()),
      ...(await watchers(folder)),
      ...(await definitions()),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const result = (name: string, value: number, unit: string, more: { aim?: number; atLeast?: number } = {}): Result => ({
  suite: "apiserver",
  name,
  value,
  unit,
  ...more,
});

async function starts(folder: string): Promise<Result[]> {
  const cache = { NODE_COMPILE_CACHE: join(folder, "compiled") };
  await play(["cold-tls"], cache); // fills the cache
  const inProcess = await several(9, () => play(["cold"], cache));
  const tls = await several(9, () => play(["cold-tls"], cache));
  const first = await several(5, () => play(["cold"]));
  const real = await realStart();
  return [
    result("cold start of a process to ready, in-process", inProcess, "ms", { aim: 300 }),
    result("cold start of a process to ready, with TLS", tls, "ms"),
    result("cold start of a process to ready, in-process, nothing compiled yet", first, "ms"),
    ...(real === undefined
      ? []
      : [
          result("cold start, kube-apiserver with etcd", real, "ms"),
          result("cold start, kube-apiserver with etcd, against ours with TLS", real / tls, "times"),
        ]),
  ];
}

async function writes(folder: string): Promise<Result[]> {
  const inProcess = await several(3, () => play(["writes"]));
  const server = await startApiServer({ tokens: { bench: administrator } });
  try {
    const ca = join(folder, "ca.pem");
    writeFileSync(ca, server.ca());
    await play(["load", server.url ?? "", ca, "3000"]); // until the code is warm
    const https = await several(3, () => play(["load", server.url ?? "", ca, "10000"]));
    return [
      result("creates of 2 KB, in-process", inProcess, "/s", { atLeast: 5_000 }),
      result("creates of 2 KB, over HTTPS from another process", https, "/s", { atLeast: 3_000 }),
    ];
  } finally {
    await server.stop();
  }
}

async function size(): Promise<Result[]> {
  const { rss, list } = await playAll(["size"]);
  return [
    result("100,000 objects of 2 KB: resident", rss ?? Number.NaN, "MB", { aim: 1_000 }),
    result("list of 10,000 of them", list ?? Number.NaN, "ms", { aim: 250 }),
  ];
}

async function watchers(folder: string): Promise<Result[]> {
  const server = await startApiServer({ tokens: { bench: administrator } });
  try {
    const ca = join(folder, "ca.pem");
    writeFileSync(ca, server.ca());
    const p99 = await play(["watch", server.url ?? "", ca]);
    return [result("1,000 watchers over HTTPS at 50 events/s: delivery, p99", p99, "ms", { aim: 100 })];
  } finally {
    await server.stop();
  }
}

async function definitions(): Promise<Result[]> {
  const server = await startApiServer({ listen: false });
  const samples: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    const kind = `Kind${"abcdefghijklmnopqrstuvwxyz"[i % 26]}${i}`;
    const plural = `${kind.toLowerCase()}s`;
    const post = (path: string, object: object) =>
      server.client({
        method: "POST",
        path,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(object),
      });
    const started = performance.now();
    await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(kind, plural));
    const object = { apiVersion: "bench.telltale.dev/v1", kind, metadata: { name: "first" }, spec: { size: 1 } };
    while ((await post(`/apis/bench.telltale.dev/v1/namespaces/default/${plural}`, object)).status !== 201);
    samples.push(performance.now() - started);
  }
  await server.stop();
  return [result("CRD install to first create, median", percentile(samples, 0.5), "ms", { aim: 50 })];
}

function definition(kind: string, plural: string): object {
  const spec = { type: "object", properties: { size: { type: "integer", minimum: 0, default: 1 } } };
  const openAPIV3Schema = {
    type: "object",
    properties: { spec, status: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  };
  return {
    metadata: { name: `${plural}.bench.telltale.dev` },
    spec: {
      group: "bench.telltale.dev",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        { name: "v1", served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  };
}

const administrator = { username: "bench", uid: "", groups: ["system:masters", "system:authenticated"], extra: {} };

async function several(count: number, measure: () => Promise<number>): Promise<number> {
  const samples: number[] = [];
  for (let i = 0; i < count; i += 1) samples.push(await measure());
  return percentile(samples, 0.5);
}

const play = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> =>
  (await playAll(args, env))["value"] ?? Number.NaN;

/** The figures that a process of its own measures. */
async function playAll(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Record<string, number>> {
  const { NODE_COMPILE_CACHE: _, ...plain } = process.env;
  const started = spawn(process.execPath, ["--expose-gc", child, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...plain, ...env },
  });
  const [said] = await Promise.all([text(started.stdout), once(started, "close")]);
  return JSON.parse(said) as Record<string, number>;
}

interface Envtest {
  findAssets(): string | undefined;
  startControlPlane(options: { readonly assets: string }): Promise<{ stop(): Promise<void> }>;
}

/** How long the real one takes, where it is there. */
async function realStart(): Promise<number | undefined> {
  const module = new URL("../../tools/envtest/envtest.ts", import.meta.url);
  if (!existsSync(module)) return undefined;
  const { findAssets, startControlPlane } = (await import(module.href)) as Envtest;
  const assets = findAssets();
  if (assets === undefined) return undefined;
  return several(3, async () => {
    const started = performance.now();
    const plane = await startControlPlane({ assets });
    const taken = performance.now() - started;
    await plane.stop();
    return taken;
  });
}
