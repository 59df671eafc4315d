// A real etcd and kube-apiserver for one suite, with kube-controller-manager where it is wanted: on free loopback ports,
// in a temporary folder, gone after `stop()`.
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface ControlPlaneOptions {
  /** The folder with `etcd` and `kube-apiserver`: see `findAssets`. */
  readonly assets: string;
  /** Further flags of kube-apiserver. */
  readonly apiserverFlags?: readonly string[];
  /** Further users: lines of a token file, `token,user,uid,"group,group"`. */
  readonly tokens?: readonly string[];
  /** Whether pods need a ServiceAccount and get its name, as in a cluster. Default: no. */
  readonly serviceAccounts?: boolean;
  /** Whether kube-controller-manager runs too, and its further flags. Default: no. */
  readonly controllerManager?: readonly string[];
  /** Where etcd keeps its data, which then outlives `stop()`. Default: in the temporary folder, gone with it. */
  readonly data?: string;
  /** How long to wait until it is ready. */
  readonly timeoutMs?: number;
}

export interface ControlPlane {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  /** A bearer token of a member of `system:masters`. */
  readonly token: string;
  /** PEM: who signed the serving certificate. */
  readonly ca: string;
  /** Where etcd answers, without any proof of who asks. */
  readonly etcd: string;
  /** The path of a kubeconfig with all of these. */
  readonly kubeconfig: string;
  /** The processes, for who measures them. */
  readonly pids: () => { readonly etcd: number; readonly apiserver: number };
  /** Ends kube-apiserver and starts it again at the same address, over the same etcd. */
  restart(): Promise<void>;
  /** Ends the processes and removes the folder. */
  stop(): Promise<void>;
}

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(options);
    } catch (error) {
      // Between choosing a free port and listening on it, somebody else may have taken it.
      if (attempt === 3 || !/address already in use/.test(String(error))) throw error;
    }
  }
}

async function start(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { assets, apiserverFlags = [], tokens = [], serviceAccounts = false, timeoutMs = 120_000 } = options;
  const folder = mkdtempSync(join(tmpdir(), "telltale-envtest-"));
  const { data = join(folder, "etcd") } = options;
  const running: Component[] = [];
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const abandon = () => {
    for (const { process: child } of running) child.kill("SIGKILL");
    removeFolder();
  };
  process.once("exit", abandon);
  const stop = async () => {
    for (const component of running.splice(0).reverse()) await end(component);
    process.off("exit", abandon);
    removeFolder();
  };

  try {
    const [etcdPort, port] = await freePorts();
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const url = `https://127.0.0.1:${port}`;
    const token = randomBytes(16).toString("hex");
    const users = [`${token},admin,admin,system:masters`, ...tokens];
    writeFileSync(join(folder, "tokens.csv"), `${users.join("\n")}\n`, { mode: 0o600 });
    writeServiceAccountKeys(folder);

    const etcd = run(assets, "etcd", folder, etcdFlags(data, etcdUrl));
    running.push(etcd);
    const serve = () => {
      const accounts = serviceAccounts ? [] : [withoutAccounts];
      const args = [...flags(folder, etcdUrl, port), ...accounts, ...apiserverFlags];
      const started = run(assets, "kube-apiserver", folder, args);
      running.push(started);
      return started;
    };
    let apiserver = serve();
    const ca = await ready(folder, url, token, running, timeoutMs);
    const restart = async () => {
      running.splice(running.indexOf(apiserver), 1);
      await end(apiserver);
      apiserver = serve();
      await ready(folder, url, token, running, timeoutMs);
    };
    const pids = () => ({ etcd: etcd.process.pid ?? 0, apiserver: apiserver.process.pid ?? 0 });
    const kubeconfig = writeKubeconfig(folder, url, token, ca);
    if (options.controllerManager !== undefined) {
      const args = [...managerFlags(folder, kubeconfig), ...options.controllerManager];
      running.push(run(assets, "kube-controller-manager", folder, args));
    }
    return { url, token, ca, etcd: etcdUrl, kubeconfig, pids, restart, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Component {
  readonly name: string;
  readonly process: ChildProcess;
  readonly log: string;
  failure?: string;
}

function etcdFlags(data: string, url: string): string[] {
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    "--listen-peer-urls=http://127.0.0.1:0",
    "--unsafe-no-fsync",
  ];
}

const withoutAccounts = "--disable-admission-plugins=ServiceAccount";

function flags(folder: string, etcdUrl: string, port: number): string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--token-auth-file=${join(folder, "tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${join(folder, "sa.pub")}`,
    `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    // The `kubernetes` service would get a loopback endpoint, which kube-apiserver refuses to write.
    "--endpoint-reconciler-type=none",
    "--allow-privileged=true",
  ];
}

function managerFlags(folder: string, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--secure-port=0",
    `--root-ca-file=${join(folder, "apiserver.crt")}`,
    `--service-account-private-key-file=${join(folder, "sa.key")}`,
  ];
}

function run(assets: string, name: string, folder: string, args: readonly string[]): Component {
  const log = join(folder, `${name}.log`);
  const output = openSync(log, "a");
  const component: Component = {
    name,
    log,
    process: spawn(join(assets, name), args, { stdio: ["ignore", output, output] }),
  };
  closeSync(output);
  component.process.once("error", (error) => {
    component.failure = `did not start: ${error.message}`;
  });
  component.process.once("exit", (code, signal) => {
    component.failure ??= `ended with ${code ?? signal}`;
  });
  return component;
}

async function end({ process: child }: Component): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  // kube-apiserver waits up to a minute for open watches; a test does not.
  const patience = setTimeout(() => child.kill("SIGKILL"), 2_000);
  await gone;
  clearTimeout(patience);
}

/** Waits until `/readyz` says so, and gives back what signed the certificate. */
async function ready(
  folder: string,
  url: string,
  token: string,
  running: readonly Component[],
  timeoutMs: number,
): Promise<string> {
  const deadline = performance.now() + timeoutMs;
  let last = "no answer";
  while (performance.now() < deadline) {
    const dead = running.find(({ failure }) => failure !== undefined);
    if (dead) throw new Error(`${dead.name} ${dead.failure}; the end of its log:\n${tail(dead.log)}`);
    try {
      const ca = readFileSync(join(folder, "apiserver.crt"), "utf8");
      const { status, body } = await get(`${url}/readyz`, { token, ca });
      if (status === 200) return ca;
      last = `${status} ${body.trim()}`;
    } catch (error) {
      last = String(error);
    }
    await sleep(100);
  }
  const logs = running.map(({ name, log }) => `the end of the log of ${name}:\n${tail(log)}`).join("\n");
  throw new Error(`kube-apiserver is not ready after ${timeoutMs} ms (${last}); ${logs}`);
}

/** One GET that trusts only `ca`. */
export function get(
  url: string,
  { token, ca }: { readonly token: string; readonly ca: string },
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { ca, agent: false, timeout: 10_000, headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("error", reject);
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      },
    );
    sent.once("timeout", () => sent.destroy(new Error(`no answer from ${url} in 10 s`)));
    sent.once("error", reject);
    sent.end();
  });
}

function tail(log: string): string {
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-20).join("\n");
}

function writeServiceAccountKeys(folder: string): void {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  writeFileSync(join(folder, "sa.pub"), publicKey);
  writeFileSync(join(folder, "sa.key"), privateKey, { mode: 0o600 });
}

/** JSON, which is YAML. */
function writeKubeconfig(folder: string, server: string, token: string, ca: string): string {
  const path = join(folder, "kubeconfig");
  const cluster = { server, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "envtest", cluster }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "envtest", context: { cluster: "envtest", user: "admin" } }],
    "current-context": "envtest",
  };
  writeFileSync(path, JSON.stringify(config, null, 2), { mode: 0o600 });
  return path;
}

/** Two different ports: both are held until both are known. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()] as const;
  const port = async (server: (typeof servers)[number]) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const ports: [number, number] = [await port(servers[0]), await port(servers[1])];
  for (const server of servers) {
    server.close();
    await once(server, "close");
  }
  return ports;
}
