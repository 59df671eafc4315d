// The contract spoken with another language: code that protoc generates for Python from the same file, as client and as server.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type DescMessage, equals, type MessageShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { grpcPythonFor } from "../../../tools/grpc-python/grpc-python.ts";
import { type Method, service } from "../src/contract/contract.ts";
import { codes, RpcError } from "../src/contract/rpc-error.ts";
import type { SomeHandlers } from "../src/sdk/index.ts";
import type { Wire } from "../src/wire/wire.ts";
import { filled } from "./wire/filled.ts";
import { authority, errorOf, mounted, provider, secretOf, serverName, serving, wireTo } from "./wire/stage.ts";

const run = promisify(execFile);
const deadline = 20_000;
const proto = fileURLToPath(new URL("../proto", import.meta.url));
const scripts = fileURLToPath(new URL("./python", import.meta.url));
const names = service.methods.map(({ name }) => name);
/** What came with the additions: an old peer has neither these methods nor fields from 1001 on. */
const added = ["CleanupStaged", "GuestExec"];
const codeNames = Object.keys(codes);

const python = grpcPythonFor("the contract with another language");
describe.skipIf(python === undefined)("the contract, in Python", () => {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "telltale-grpc-"));
    const text = readFileSync(join(proto, "provider/v1/provider.proto"), "utf8");
    mkdirSync(join(folder, "old-proto/provider/v1"), { recursive: true });
    writeFileSync(join(folder, "old-proto/provider/v1/provider.proto"), withoutAdditions(text));
    await Promise.all([
      generate("new", proto, "provider/v1/provider.proto"),
      generate("new", join(proto, "grpc/health/v1"), "health.proto"),
      generate("old", join(folder, "old-proto"), "provider/v1/provider.proto"),
    ]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function generate(peer: Peer, from: string, file: string): Promise<void> {
    const out = join(folder, peer);
    mkdirSync(out, { recursive: true });
    const args = ["-m", "grpc_tools.protoc", `-I${from}`, `--python_out=${out}`, `--grpc_python_out=${out}`, file];
    await run(python ?? "", args);
  }

  /** What the client of that generation printed. It ends badly at the first thing that is not as it should be. */
  async function client(peer: Peer, port: number, scenario: string, ...tls: readonly string[]): Promise<string[]> {
    const args = [join(scripts, "client.py"), join(folder, peer), `127.0.0.1:${port}`, scenario, ...tls];
    const { stdout } = await run(python ?? "", args, { env: quiet });
    return stdout.trim().split("\n");
  }

  /** A server of that generation, until the test ends. */
  async function server(
    peer: Peer,
    port = 0,
    ...tls: readonly string[]
  ): Promise<{ port: number; kill(): Promise<void> }> {
    const args = [join(scripts, "server.py"), join(folder, peer), String(port), ...tls];
    const child = spawn(python ?? "", args, { env: quiet, stdio: ["pipe", "pipe", "ignore"] });
    const kill = () => ended(child);
    onTestFinished(kill);
    const chosen = await new Promise<number>((resolve, reject) => {
      child.stdout.on("data", (text: Buffer) => resolve(Number(/port (\d+)/.exec(text.toString())?.[1])));
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    return { port: chosen, kill };
  }

  it("a client gets every field of every method, every code, deadlines, cancelling and health from our server", async () => {
    const { handlers, seen } = filling();
    const { port } = await provider(handlers);
    expect(await client("new", port, "everything")).toEqual([
      ...names.map((name) => `answered ${name}`),
      ...codeNames.map((name) => `refused ${name}`),
      ...["late", "cancelled", "unknown method", "compressed", "healthy"],
    ]);
    expect(seen).toEqual({ wrong: [], running: 0, given: 2 });
  });

  it("an old client gets everything that it knows, and our additions do not disturb it", async () => {
    const { port } = await provider(filling().handlers);
    const known = names.filter((name) => !added.includes(name));
    expect(await client("old", port, "old")).toEqual(known.map((name) => `answered ${name}`));
  });

  it("a client with a certificate is let in by our server, and others are told why not", async () => {
    const issuer = authority();
    const { cert, key } = serving(issuer);
    const own = mounted({ "tls.crt": cert, "tls.key": key, "ca.crt": issuer.cert });
    const security = { is: "mtls", folder: own, allowed: ["manager"] } as const;
    const { port } = await provider(filling().handlers, { security });
    const as = (name: string) => {
      const secret = secretOf(issuer, name);
      return mounted({ "tls.crt": secret.cert, "tls.key": secret.key, "ca.crt": secret.ca });
    };
    const said = await Promise.all([
      client("new", port, "trusted", as("manager"), serverName),
      client("new", port, "stranger", as("manager"), serverName),
      client("new", port, "another", as("another"), serverName),
    ]);
    expect(said.flat()).toEqual(["trusted", "UNAUTHENTICATED", "PERMISSION_DENIED"]);
  });

  it("our client gets every field of every method and every code from a server, over connections that end all the time", async () => {
    const { port } = await server("new");
    const wire = wireTo(port);
    for (const { localName } of service.methods) await askFilled(wire, localName as Method);
    for (const code of codeNames) {
      const error = await errorOf(wire.ask("delete", { id: code }, { deadline }));
      expect(error).toMatchObject({ code, message: `because ü☃ ${code}`, after: 2_500 });
    }
    expect(await errorOf(wire.ask("delete", { id: "slow" }, { deadline: 300 }))).toMatchObject({
      code: "DEADLINE_EXCEEDED",
    });
    const plain = await errorOf(wire.ask("delete", { id: "plain" }, { deadline }));
    expect([plain.code, plain.message]).toEqual(["UNKNOWN", expect.stringContaining("domain not found")]);
    // Each connection lives for 0.1 s: these are several, and no call fails.
    for (let i = 0; i < 300; i += 1) await wire.ask("delete", { id: "a" }, { deadline });
  });

  it("our client finds out what an old server has not", async () => {
    const { port } = await server("old");
    const wire = wireTo(port);
    for (const { localName, name } of service.methods) {
      if (added.includes(name)) {
        expect(await errorOf(wire.ask(localName as Method, {}, { deadline }))).toMatchObject({ code: "UNIMPLEMENTED" });
      }
    }
    // Our additions are in these requests, and the old server answers as if they were not.
    for (const method of ["create", "clone", "snapshotCreate", "imagePrepare"] as const) {
      await wire.ask(method, filled(service.method[method].input), { deadline });
    }
    const answer = await wire.ask("getCapabilities", {}, { deadline });
    expect(answer).toMatchObject({ supportsSnapshots: true, extensions: [], version: "", totalMemoryBytes: 0n });
    const task = await wire.ask("taskStatus", filled(service.method.taskStatus.input), { deadline });
    expect(task).toMatchObject({ done: true, percent: 0, bytesTotal: 0n, resultJson: "" });
  });

  it("our client shows its certificate to a server, and finds it again after a restart", async () => {
    const issuer = authority();
    const { cert, key } = serving(issuer);
    const own = mounted({ "tls.crt": cert, "tls.key": key, "ca.crt": issuer.cert });
    const first = await server("new", 0, own);
    const wire = wireTo(first.port, { tls: secretOf(issuer) });
    await askFilled(wire, "validate");
    await first.kill();
    await server("new", first.port, own);
    await askFilled(wire, "listVMs");
    const stranger = { ...secretOf(authority("another")), ca: issuer.cert };
    const error = await errorOf(wireTo(first.port, { tls: stranger }).ask("validate", {}, { deadline: 1_000 }));
    expect(error).toMatchObject({ code: "UNAVAILABLE", isUnsent: true });
  });
});

type Peer = "new" | "old";

const quiet = { ...process.env, GRPC_VERBOSITY: "NONE", PYTHONDONTWRITEBYTECODE: "1" };

/** The contract as providers had it before our additions. */
function withoutAdditions(text: string): string {
  const isAdded = (line: string) => / = 10\d\d;/.test(line) || added.some((name) => line.includes(`rpc ${name}(`));
  return text
    .split("\n")
    .filter((line) => !isAdded(line))
    .join("\n");
}

async function askFilled(wire: Wire, method: Method): Promise<void> {
  const { input, output }: { input: DescMessage; output: DescMessage } = service.method[method];
  const answer = await wire.ask(method, filled(input) as never, { deadline });
  expect(equals(output, answer as MessageShape<DescMessage>, filled(output)), method).toBe(true);
}

/** Handlers that want a filled request and give a filled answer; `delete` refuses and waits as it is asked to. */
function filling() {
  const seen = { wrong: [] as string[], running: 0, given: 0 };
  const handlers: Record<string, (request: MessageShape<DescMessage>) => Promise<unknown>> = {};
  for (const { localName, name, input, output } of service.methods) {
    handlers[localName] = async (request) => {
      if (!isKnown(input, request)) seen.wrong.push(name);
      return filled(output);
    };
  }
  const remove: SomeHandlers["delete"] = async (request, { signal }) => {
    if (isCode(request.id)) throw new RpcError(request.id, `because ü☃ ${request.id}`, { after: 2_500 });
    if (request.id === "running") return { task: { id: String(seen.running) } };
    if (request.id.startsWith("compressed")) return { task: { id: request.id } };
    if (request.id !== "slow") return filled(service.method.delete.output);
    seen.running += 1;
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    seen.running -= 1;
    seen.given += 1;
    return {};
  };
  return { seen, handlers: { ...(handlers as SomeHandlers), delete: remove } };
}

const isCode = (name: string): name is keyof typeof codes => name in codes;

/** As filled, or as an old peer fills it. */
function isKnown(descriptor: DescMessage, request: MessageShape<DescMessage>): boolean {
  const whole = filled(descriptor);
  if (equals(descriptor, request, whole)) return true;
  const old: Record<string, unknown> = { ...whole };
  const zero: Record<string, unknown> = { ...request };
  for (const { number, localName } of descriptor.fields) if (number > 1000) old[localName] = zero[localName];
  return equals(descriptor, request, old as MessageShape<DescMessage>);
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.stdin?.end();
  });
}
