// A listening server, the runner as a process that can be killed, and a real program that can be held at each of its steps.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, isNotFound } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { Event, Namespace, Secret } from "@telltale/kinds/builtin";
import { Workspace } from "../src/kinds/workspace.ts";
import { stateSecretName } from "../src/names.ts";
import type { Journal } from "../src/runner/process/journal.ts";
import { fromSecrets, type Kept } from "../src/runner/record.ts";

export const namespace = "t1";
export const operatorNamespace = "capt-system";

export interface RealProgram {
  readonly name: "tofu" | "terraform";
  readonly file: string;
  readonly version: string;
}

export interface RealStage {
  readonly client: Client;
  readonly root: string;
  /** Everything that the runner has logged. */
  readonly log: () => string;
  /** All that anybody could ever read on the server, but for specs and Secrets: each state of each object, Events too. */
  readonly told: () => string;
  start(): void;
  /** `SIGKILL`: at once. `SIGTERM`: in good order. */
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** The program waits at its beginning when it is called with this word. */
  hold(word: string): () => void;
  make(forProvider: object, more?: Partial<Workspace["spec"]>, name?: string): Promise<Workspace>;
  get(name?: string): Promise<Workspace>;
  isGone(name?: string): Promise<boolean>;
  says(type: string, name?: string): Promise<string>;
  /** Until something holds, or for as long as a test has. */
  until(what: string, holds: () => Promise<boolean> | boolean, limit?: number): Promise<void>;
  ready(name?: string): Promise<void>;
  /** The step that is written down as running. */
  step(uid: string): string | undefined;
  /** The id of the run that is written down. */
  run(uid: string): string | undefined;
  /** The process that leads the run. */
  leader(uid: string): number;
  /** Processes of runs, by their home. */
  processes(): readonly number[];
  /** The same, and whoever has a file of a run open: the process that waits for a run has no home. */
  left(): readonly number[];
  kept(uid: string): Promise<Kept | undefined>;
  secret(name: string): Promise<Readonly<Record<string, string>> | undefined>;
  events(): Promise<string>;
  end(): Promise<void>;
}

/** One resource, and outputs of which one is sensitive. */
export const simple = `
variable "name" { type = string }
resource "terraform_data" "vpc" { input = var.name }
output "vpc_id" { value = "vpc-\${substr(sha256(terraform_data.vpc.id), 0, 17)}" }
output "azs" { value = ["b", "a"] }
output "admin" {
  sensitive = true
  value     = "only for the Secret"
}
`;
export const vars = [{ key: "name", value: "net" }];

/** Three resources, one after the other, each of which takes a while to be made. */
export const slow = (seconds: number) =>
  [0, 1, 2]
    .map(
      (i) => `
resource "terraform_data" "r${i}" {
  input = "${i}"
  ${i === 0 ? "" : `depends_on = [terraform_data.r${i - 1}]`}
  provisioner "local-exec" { command = "sleep ${seconds}" }
}`,
    )
    .join("\n");

const runner = fileURLToPath(new URL("./run-runner.ts", import.meta.url));

export async function realStage(program: RealProgram): Promise<RealStage> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-capt-"));
  const [root, holds, bin] = [join(folder, "runs"), join(folder, "holds"), join(folder, "bin")];
  for (const path of [root, holds, bin]) mkdirSync(path);
  const file = join(bin, program.name);
  writeFileSync(file, `#!/bin/sh\nwhile [ -e ${holds}/$1 ]; do sleep 0.05; done\nexec ${program.file} "$@"\n`);
  chmodSync(file, 0o755);
  const named = (name: string) => ({ apiVersion: "v1", kind: Namespace.kind, metadata: { name } });
  const server = await startApiServer({
    authorization: "always-allow",
    objects: [toCrd(Workspace), named(namespace), named(operatorNamespace)],
  });
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfig());
  const client = createClient({ transport: inProcessTransport(server.client), clock, random, fieldManager: "person" });
  let operator: ChildProcess | undefined;
  let log = "";
  const told: string[] = [];
  server.store.subscribe("/", server.store.revision, ({ key, record }) => {
    const { spec: _spec, ...rest } = record.object();
    if (!key.startsWith("//secrets/")) told.push(JSON.stringify(rest));
  });

  const pids = () =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 1);
  const isAtHome = (pid: number) => `\0${text(`/proc/${pid}/environ`)}`.includes(`\0HOME=${root}/`);
  const processes = () => pids().filter(isAtHome);

  const read = (name: string) => client.get(Workspace, name);
  const secret = (name: string, of: string) =>
    client.get(Secret, name, { namespace: of }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const journal = (uid: string) => {
    const found = text(join(root, uid, "run.json"));
    return found === "" ? undefined : (JSON.parse(found) as Journal);
  };
  const says = async (type: string, name = "demo") => {
    const found = (await read(name)).status?.conditions?.find((it) => it.type === type);
    return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
  };
  const until = async (what: string, holds: () => Promise<boolean> | boolean, limit = 100_000) => {
    const end = clock.uptime() + limit;
    while (!(await holds())) {
      if (clock.uptime() > end) {
        const { items } = await client.list(Workspace);
        throw new Error(`it did not come to this: ${what}; ${JSON.stringify(items.map((it) => it.status))}\n${log}`);
      }
      await sleep(clock, 25);
    }
  };

  const stage: RealStage = {
    client,
    root,
    log: () => log,
    told: () => told.join("\n"),
    start() {
      operator = spawn(process.execPath, [runner, kubeconfig, root, file, program.version], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: process.env["PATH"], OPERATOR_ONLY: "of the operator alone" },
      });
      for (const stream of [operator.stdout, operator.stderr]) stream?.on("data", (part) => (log += String(part)));
    },
    async kill(signal) {
      if (operator === undefined) return;
      const gone = operator.exitCode === null && operator.signalCode === null ? once(operator, "exit") : undefined;
      operator.kill(signal);
      await gone;
      operator = undefined;
    },
    hold(word) {
      writeFileSync(join(holds, word), "");
      return () => rmSync(join(holds, word), { force: true });
    },
    make: (forProvider, more = {}, name = "demo") =>
      client.create(Workspace, {
        apiVersion: Workspace.apiVersion,
        kind: Workspace.kind,
        metadata: { name },
        spec: {
          writeConnectionSecretToRef: { name: `${name}-connection`, namespace },
          ...more,
          forProvider: { source: "Inline", ...forProvider },
        },
      } as Workspace),
    get: (name = "demo") => read(name),
    isGone: (name = "demo") =>
      read(name).then(
        () => false,
        (error: unknown) => isNotFound(error),
      ),
    says,
    until,
    ready: (name = "demo") =>
      until(`${name} is ready`, async () => {
        const { status, metadata } = await read(name);
        const isNow = status?.observedGeneration === metadata.generation;
        return (
          isNow && (await says("Ready", name)).startsWith("True") && (await says("Synced", name)).startsWith("True")
        );
      }),
    step: (uid) => {
      const found = journal(uid);
      return found?.phase === "running" ? found.step : undefined;
    },
    run: (uid) => journal(uid)?.id,
    leader: (uid) => journal(uid)?.process?.pid ?? 0,
    processes,
    left: () => pids().filter((pid) => pid !== operator?.pid && (isAtHome(pid) || opened(pid, `${root}/`))),
    async kept(uid) {
      const found = await secret(stateSecretName(uid), operatorNamespace);
      return found === undefined ? undefined : fromSecrets(found as Parameters<typeof fromSecrets>[0], []);
    },
    async secret(name) {
      const data = (await secret(name, namespace))?.data;
      if (data === undefined) return undefined;
      return Object.fromEntries(Object.entries(data).map(([key, it]) => [key, Buffer.from(it, "base64").toString()]));
    },
    events: async () =>
      (await client.list(Event)).items.map(({ type, reason, note }) => `${type} ${reason} ${note}`).join("\n"),
    async end() {
      await stage.kill("SIGKILL");
      for (const pid of processes()) process.kill(pid, "SIGKILL");
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return stage;
}

/** What there is to run on this machine: on the PATH, or in a folder where it was built. */
export function realPrograms(built: string | undefined, path = process.env["PATH"] ?? ""): readonly RealProgram[] {
  const folders = [...path.split(":"), ...(built === undefined ? [] : [built])];
  return (["terraform", "tofu"] as const).flatMap((name) => {
    const found = folders.find((folder) => existsSync(join(folder, name)));
    if (found === undefined) return [];
    const file = join(found, name);
    const env = { TF_CLI_CONFIG_FILE: "/dev/null", CHECKPOINT_DISABLE: "1" };
    const told = execFileSync(file, ["version", "-json"], { env, encoding: "utf8" });
    const { terraform_version: version } = JSON.parse(told) as { terraform_version: string };
    return [{ name, file, version }];
  });
}

/** A file that is gone is still open, under the name that it had. */
function opened(pid: number, folder: string): boolean {
  try {
    const files = readdirSync(`/proc/${pid}/fd`);
    return files.some((file) => readlinkSync(`/proc/${pid}/fd/${file}`).startsWith(folder));
  } catch {
    return false; // it is gone
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
