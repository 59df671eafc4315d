// `docs/write-an-operator.md` says nothing that was not run: each block of TypeScript on it is a file here, and is run as it
// says, in this process or as a program.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { type KindRef, type KubeObject, toCrd } from "@telltale/kinds";
import { CustomResourceDefinition, Event, Lease, Namespace } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { world } from "../world.ts";
import { Domain, domains, type Registrar } from "./domain.example.ts";
import { Sandbox, sandboxes } from "./sandbox.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const page = read("../../../../docs/write-an-operator.md");
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, it]) => it === language).map(([, , code = ""]) => code);

/** A file as a reader would have it. */
const shown = (file: string) =>
  read(file).replaceAll(".example.ts", ".ts").replaceAll(`"@telltale/runtime"`, `"@telltale/runtime"`);

describe("the page", () => {
  const files = [
    "sandbox.example.ts",
    "sandbox.test.ts",
    "manifests.example.ts",
    "domain.example.ts",
    "operate.example.ts",
  ];

  it("shows the files that are run, and no other code", () => {
    expect([...blocks("ts")].sort()).toEqual(files.map(shown).sort());
  });

  it("has a whole operator in fewer than 60 lines", () => {
    const [operator = ""] = blocks("ts");
    expect(operator).toBe(shown("sandbox.example.ts"));
    expect(operator.trimEnd().split("\n").length).toBeLessThan(60);
  });

  it("names programs and files that are there", () => {
    const commands = blocks("sh").join("\n");
    for (const [path = ""] of commands.matchAll(/packages\/\S+/g)) read(`../../../../${path}`);
    const named = [...commands.matchAll(/node operators\/sandbox\/src\/(\w+)\.ts/g)].map(([, name]) => name);
    expect(named).toEqual(["manifests", "sandbox"]);
  });

  it("shows what kubectl shows", async () => {
    const w = await world({ kinds: [Sandbox] });
    const { apiVersion, kind } = Sandbox;
    const spec = { lasts: "8h", pods: 10 };
    await w.client.create(Sandbox, { apiVersion, kind, metadata: { name: "demo" }, spec });
    await w.start([sandboxes]);
    await w.until(async () => (await w.client.get(Sandbox, "demo")).status?.expiresAt !== undefined);
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const { body } = await w.server.client({ method: "GET", path: "/apis/example.com/v1/sandboxes", headers });
    const { columnDefinitions, rows } = JSON.parse(body) as Table;
    const lines = [columnDefinitions.map(({ name }) => name.toUpperCase()), ...rows.map(({ cells }) => cells)];
    const wide = (i: number) => Math.max(...lines.map((line) => line[i]?.length ?? 0)) + 3;
    const printed = lines.map((line) =>
      line
        .map((cell, i) => cell.padEnd(wide(i)))
        .join("")
        .trimEnd(),
    );
    expect(page).toContain(`\n\`\`\`\n${printed.join("\n")}\n\`\`\`\n`);
    await w.end();
  });
});

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly string[] }[];
}

/** Programs have to start. */
const slow = { timeout: 60_000 };

describe("as programs, by a kubeconfig", () => {
  const programs = new Set<ChildProcess>();
  let folder: string;
  let server: ApiServer;
  let client: Client;

  afterEach(async () => {
    for (const program of programs) program.kill("SIGKILL");
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (...users: Parameters<ApiServer["kubeconfig"]>) => {
    folder = mkdtempSync(join(tmpdir(), "telltale-docs-"));
    server = await startApiServer();
    const transport = inProcessTransport(server.client);
    client = createClient({ transport, clock: systemClock, random: systemRandom, fieldManager: "kubectl" });
    writeFileSync(join(folder, "kubeconfig"), server.kubeconfig(...users));
  };

  const run = (file: URL, more: NodeJS.ProcessEnv = {}) => {
    const env = { ...process.env, ...more, KUBECONFIG: join(folder, "kubeconfig") };
    const program = spawn(process.execPath, [fileURLToPath(file)], { env, stdio: ["ignore", "pipe", "inherit"] });
    programs.add(program);
    return program;
  };

  /** Watches until an object of the kind is as it should be. */
  const until = async <T extends KubeObject>(kind: KindRef<T>, holds: (object: T) => boolean): Promise<void> => {
    for await (const { object } of client.watch(kind, { sendInitialEvents: true })) if (holds(object as T)) return;
  };
  const sandbox = (name: string) => {
    const { apiVersion, kind } = Sandbox;
    return client.create(Sandbox, { apiVersion, kind, metadata: { name }, spec: { lasts: "1h", pods: 3 } });
  };
  const isEstablished = ({ status: { conditions = [] } = {} }: CustomResourceDefinition) =>
    conditions.some(({ type, status }) => type === "Established" && status === "True");
  const isOpen = ({ status }: Sandbox) => status?.conditions?.some(({ reason }) => reason === "Open") === true;

  it("the operator works", slow, async () => {
    await start();
    await client.create(CustomResourceDefinition, toCrd(Sandbox));
    await until(CustomResourceDefinition, isEstablished);
    await sandbox("demo");
    const program = run(new URL("./sandbox.example.ts", import.meta.url));
    await until(Sandbox, isOpen);
    await until(Namespace, ({ metadata }) => metadata?.name === "demo");
    program.kill("SIGTERM");
  });

  it(
    "it works as its own account under the roles of the manifests, tells how it is, and ends in good order",
    slow,
    async () => {
      await start({ name: "system:serviceaccount:operators:sandboxes", groups: ["system:authenticated"] });
      await client.create(Namespace, { metadata: { name: "operators" } });
      const { stdout } = run(new URL("./manifests.example.ts", import.meta.url));
      if (stdout === null) throw new Error("the program has no output");
      const { items } = JSON.parse(await text(stdout)) as { items: KubeObject[] };
      for (const item of items) await applied(client, item);
      await until(CustomResourceDefinition, isEstablished);
      await sandbox("demo");
      const port = await freePort();
      const program = run(new URL("./operate.example.ts", import.meta.url), { PORT: `${port}` });
      await until(Sandbox, isOpen);
      await until(Event, ({ reason, regarding }) => reason === "Open" && regarding?.name === "demo");
      const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      expect([await ask("/healthz"), await ask("/readyz")]).toEqual(["ok", "ok"]);
      expect(await ask("/metrics")).toMatch(
        /^telltale_status_writes_total\{controller="sandbox".*outcome="written".*\} [1-9]$/m,
      );
      program.kill("SIGTERM");
      expect(await once(program, "exit")).toEqual([0, null]);
      await until(Lease, ({ metadata, spec }) => metadata?.name === "sandboxes" && spec?.holderIdentity === "");
    },
  );
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** What `kubectl apply` does with one object. */
async function applied(client: Client, object: KubeObject): Promise<void> {
  const { apiVersion = "", kind = "", metadata: { name, namespace } = {} } = object;
  const plural = `${kind.toLowerCase()}s`;
  const at = `${apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`}${namespace === undefined ? "" : `/namespaces/${namespace}`}`;
  await client.request({
    method: "PATCH",
    path: `${at}/${plural}/${name}`,
    query: { fieldManager: "kubectl", force: true },
    headers: { "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify(object),
  });
}

describe("something outside the cluster", () => {
  it("is registered once, refused in words, and given back before the object goes", async () => {
    const w = await world({ kinds: [Domain] });
    const held = new Map<string, string>();
    let pending = 1;
    const registrar: Registrar = {
      find: async (token) => held.get(token),
      register: async (host, token) => {
        if (host.includes(" ")) throw new Error(`${host} is no host`);
        held.set(token, `R${held.size + 1}`);
        return held.get(token) ?? "";
      },
      release: async (token) => {
        if (pending-- > 0) return "pending";
        held.delete(token);
        return "released";
      },
    };
    const make = (name: string, host: string) => {
      const { apiVersion, kind } = Domain;
      return w.client.create(Domain, { apiVersion, kind, metadata: { name, namespace: "default" }, spec: { host } });
    };
    const ready = async (name: string) =>
      (await w.client.get(Domain, name, { namespace: "default" })).status?.conditions?.[0];
    await make("good", "example.com");
    await make("bad", "no host");
    await w.start([domains(registrar)], { events: "events.k8s.io/v1" });
    await w.until(async () => (await ready("good"))?.status === "True");
    expect(await ready("bad")).toMatchObject({ status: "False", reason: "Refused", message: "no host is no host" });
    expect([...held.values()]).toEqual(["R1"]);
    const notes = (await w.client.list(Event, { namespace: "default" })).items.map(({ note }) => note);
    expect(notes).toContain("example.com has the number R1");
    await w.client.delete(Domain, { name: "good", namespace: "default" }, { propagation: "Background" });
    await w.until(async () => (await ready("good"))?.reason === "Leaving");
    await w.until(async () => (await w.client.list(Domain)).items.length === 1);
    expect(held.size).toBe(0);
    await w.end();
  });
});
