// A real named with a Bindcar beside it, on loopback, on ports and in a folder of their own (10.2 to 10.4).
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sleep, systemClock } from "@telltale/clock";
import type { Log } from "@telltale/runtime";
import { Secret } from "@telltale/status";
import { bindcarConfig } from "../src/bindcar-server/config.ts";
import { type BindcarServer, startBindcar } from "../src/bindcar-server/server.ts";
import { dnsUpdates, type Updates } from "../src/dns-update/client.ts";
import { tcpWire } from "../src/dns-update/tcp.ts";
import type { UpServer } from "../src/zone/pods.ts";

const run = promisify(execFile);

export interface RealPod {
  readonly folder: string;
  readonly dns: { readonly host: string; readonly port: number };
  readonly url: string;
  readonly token: string;
  /** Of the key, to look for it where it must not be. */
  readonly secret: string;
  /** Lines of Bindcar's log. */
  readonly log: string[];
  rndc(...words: readonly string[]): Promise<string>;
  dig(...words: readonly string[]): Promise<string>;
  /** Ends named by SIGKILL, wipes what it had if told to, and starts it again on the same ports. */
  restart(storage: "kept" | "wiped"): Promise<void>;
  stop(): Promise<void>;
}

export interface RealPodOptions {
  readonly path: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Upstream's Bindcar, in the place of ours. */
  readonly upstream?: string;
}

export async function startPod({ path, env = {}, upstream }: RealPodOptions): Promise<RealPod> {
  const folder = await mkdtemp(join(tmpdir(), "bindy-pod-"));
  const [dnsPort, rndcPort] = [await freePort(), await freePort()];
  for (const name of ["etc", "zones", "run"]) await mkdir(join(folder, name), { mode: 0o700 });
  const key = (await run("tsig-keygen", ["-a", "hmac-sha256", "bindy-operator"], { env: { PATH: path } })).stdout;
  await writeFile(join(folder, "etc/rndc.key"), key, { mode: 0o600 });
  await writeFile(join(folder, "etc/named.conf"), namedConf(folder, dnsPort, rndcPort));
  await writeFile(join(folder, "etc/rndc.conf"), rndcConf(folder, rndcPort));
  const token = "a-token-for-tests-0123456789";
  const log: string[] = [];
  let named = await startNamed(folder, path);
  const start = upstream === undefined ? startReal : startUpstream(upstream);
  const bindcar = await start({
    path,
    log,
    env: {
      BIND_API_ADDRESS: "127.0.0.1",
      API_PORT: String(await freePort()),
      BIND_ZONE_DIR: join(folder, "zones"),
      TMPDIR: join(folder, "run"),
      RNDC_SERVER: `127.0.0.1:${rndcPort}`,
      RNDC_KEY_FILE: join(folder, "etc/rndc.key"),
      NSUPDATE_PORT: String(dnsPort),
      BIND_API_TOKEN: token,
      RATE_LIMIT_ENABLED: "false",
      ...env,
    },
    keyText: key,
  });
  const rndc = async (...words: readonly string[]) =>
    (await run("rndc", ["-c", join(folder, "etc/rndc.conf"), ...words], { env: { PATH: path } })).stdout.trim();
  const place = ["-r", "@127.0.0.1", "-p", String(dnsPort)];
  return {
    folder,
    dns: { host: "127.0.0.1", port: dnsPort },
    url: bindcar.url,
    token,
    secret: /secret "([^"]+)"/.exec(key)?.[1] ?? "",
    log,
    rndc,
    dig: async (...words) => (await run("dig", [...place, ...words], { env: { PATH: path } })).stdout.trim(),
    async restart(storage) {
      await ended(named, "SIGKILL");
      if (storage === "wiped") {
        await rm(join(folder, "zones"), { recursive: true });
        await mkdir(join(folder, "zones"), { mode: 0o700 });
      }
      named = await startNamed(folder, path);
    },
    async stop() {
      await bindcar.stop();
      await ended(named, "SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startReal(options: {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string[];
  readonly keyText: string;
}): Promise<Pick<BindcarServer, "url" | "stop">> {
  const { path, env, log, keyText } = options;
  const read = bindcarConfig({ env, read: () => keyText });
  if (!read.ok) throw new Error(read.errors.join("\n"));
  return startBindcar({ config: read.config, path, log: remembering(log) });
}

/** Its settings have the same names, but for the key, which it does not read from a file. */
function startUpstream(program: string): typeof startReal {
  return async ({ path, env, log, keyText }) => {
    const secret = /secret "([^"]+)"/.exec(keyText)?.[1] ?? "";
    const key = { RNDC_SECRET: secret, RNDC_ALGORITHM: "hmac-sha256", NSUPDATE_KEY_NAME: "bindy-operator" };
    const child = spawn(program, ["run"], { env: { PATH: path, ...key, ...env }, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout?.on("data", (part: Buffer) => log.push(part.toString("utf8")));
    const url = `http://127.0.0.1:${env["API_PORT"]}`;
    for (let waited = 0; waited < 30_000 && child.exitCode === null; waited += 50) {
      const healthy = await fetch(`${url}/api/v1/health`).catch(() => undefined);
      if (healthy?.ok === true) return { url, stop: () => ended(child, "SIGTERM") };
      await sleep(systemClock, 50);
    }
    child.kill("SIGKILL");
    throw new Error(`${program} did not start: ${log.join("").slice(-2000)}`);
  };
}

/** The way to its DNS port, with its key. */
export function updatesOf(...pods: readonly RealPod[]): Updates {
  const keyOf = (secret: string) => pods.find((pod) => pod.folder === secret)?.secret ?? "";
  return dnsUpdates({
    wire: tcpWire({ clock: systemClock }),
    keys: { get: async ({ secret, ...key }) => ({ ...key, secret: new Secret(keyOf(secret)) }), forget() {} },
    clock: systemClock,
  });
}

/** A pod as a zone knows it. */
export const serverOf = (pod: RealPod, i = 0): UpServer => ({
  uid: `pod-${i}`,
  name: `pod-${i}`,
  namespace: "dns",
  http: new URL(pod.url).host,
  dns: `127.0.0.1:${pod.dns.port}`,
  keyName: "bindy-operator",
  key: { namespace: "dns", secret: pod.folder, field: "secret", name: "bindy-operator", algorithm: "hmac-sha256" },
});

function remembering(lines: string[]): Log {
  const line = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: line, info: line, warn: line, error: line, with: () => remembering(lines) };
}

async function startNamed(folder: string, path: string): Promise<ChildProcess> {
  const conf = join(folder, "etc/named.conf");
  const child = spawn("named", ["-g", "-c", conf, "-n", "1"], {
    env: { PATH: path },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said: string[] = [];
  child.stderr?.on("data", (part: Buffer) => {
    said.push(part.toString("utf8"));
    appendFileSync(join(folder, "run/named.log"), part);
  });
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (child.exitCode !== null) break;
    const status = await run("rndc", ["-c", join(folder, "etc/rndc.conf"), "status"], { env: { PATH: path } }).catch(
      () => undefined,
    );
    if (status?.stdout.includes("server is up and running") === true) return child;
    await sleep(systemClock, 50);
  }
  child.kill("SIGKILL");
  throw new Error(`named did not start: ${said.join("").slice(-2000)}`);
}

async function ended(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

export const namedLog = (pod: RealPod): Promise<string> => readFile(join(pod.folder, "run/named.log"), "utf8");

const namedConf = (folder: string, dns: number, rndc: number): string => `
include "${folder}/etc/rndc.key";
options {
    directory "${folder}/zones";
    pid-file "${folder}/run/named.pid";
    session-keyfile "${folder}/run/session.key";
    lock-file none;
    managed-keys-directory "${folder}/zones";
    dump-file "${folder}/run/dump.db";
    statistics-file "${folder}/run/stats.txt";
    memstatistics-file "${folder}/run/memstats.txt";
    listen-on port ${dns} { 127.0.0.1; };
    listen-on-v6 { none; };
    allow-new-zones yes;
    recursion no;
    allow-query { any; };
    allow-transfer { none; };
    notify explicit;
    dnssec-validation no;
    empty-zones-enable no;
};
controls { inet 127.0.0.1 port ${rndc} allow { 127.0.0.1; } keys { "bindy-operator"; }; };
`;

const rndcConf = (folder: string, rndc: number): string => `
include "${folder}/etc/rndc.key";
options { default-server 127.0.0.1; default-port ${rndc}; default-key "bindy-operator"; };
`;

/** Free for TCP and UDP. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const socket = createSocket("udp4");
    const isFree = await new Promise<boolean>((resolve) => {
      socket.once("error", () => resolve(false));
      socket.bind(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise<void>((done) => socket.close(() => done()));
    await new Promise<void>((done) => void server.close(() => done()));
    if (isFree) return port;
  }
}

/** Asks over HTTP. */
export async function ask(pod: Pick<RealPod, "url" | "token">, method: string, path: string, body?: unknown) {
  const headers = {
    authorization: `Bearer ${pod.token}`,
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const response = await fetch(`${pod.url}/api/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}
