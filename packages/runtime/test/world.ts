// An embedded server, a manager and virtual time in one seed: what a test needs to run a controller.
import { createHash } from "node:crypto";
import { type ApiServer, type ServerOptions, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Request, type Transport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type Kind, type Ms, toCrd } from "@telltale/kinds";
import { type Controller, type Log, type Manager, type ManagerOptions, manager, type Sample } from "../src/index.ts";

export interface World {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  /** A person's: not the manager's. */
  readonly client: Client;
  /** Everything that managers sent: `PATCH /apis/...`. */
  readonly sent: string[];
  readonly samples: Sample[];
  readonly lines: { readonly level: string; readonly message: string; readonly fields: Record<string, unknown> }[];
  /** Starts a manager; `stop` ends it in good order, `crash` where it is. */
  start(controllers: readonly Controller[], options?: Partial<ManagerOptions>): Promise<Running>;
  /** Lets time pass, and everything that it sets off happen. */
  pass(by?: Ms): Promise<void>;
  /** The writes that managers sent since the last time that somebody asked. */
  writes(): string[];
  hash(): string;
  end(): Promise<void>;
}

export interface Running {
  readonly manager: Manager;
  stop(): Promise<void>;
  crash(): Promise<void>;
}

export interface WorldOptions {
  readonly seed?: number;
  readonly kinds?: readonly Kind[];
  readonly server?: Partial<ServerOptions>;
}

export async function world(options: WorldOptions = {}): Promise<World> {
  const { seed = 1, kinds = [] } = options;
  const clock = new VirtualClock();
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(seed),
    authorization: "always-allow",
    objects: kinds.map((kind) => toCrd(kind)) as never,
    ...options.server,
  });
  const sent: string[] = [];
  const samples: Sample[] = [];
  const lines: World["lines"] = [];
  const runs = new Set<Running>();
  const client = createClient({
    transport: inProcessTransport(server.client),
    clock,
    random: seededRandom(seed + 1),
    fieldManager: "person",
  });
  let asked = 0;
  let started = 0;
  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 5; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 5; i += 1) await turn();
  };
  return {
    clock,
    server,
    client,
    sent,
    samples,
    lines,
    async start(controllers, more = {}) {
      started += 1;
      const transport = recorded(inProcessTransport(server.client), sent);
      const it = manager({
        name: "tester",
        transport,
        clock,
        random: seededRandom(seed + 100 * started),
        controllers,
        log: logInto(lines),
        sinks: [(sample) => samples.push(sample)],
        events: "none",
        strict: true,
        ...more,
      });
      const stop = new AbortController();
      const run = it.run(stop.signal);
      run.catch(() => {});
      const running: Running = {
        manager: it,
        async stop() {
          runs.delete(running);
          stop.abort();
          let isOver = false;
          const over = run.finally(() => {
            isOver = true;
          });
          over.catch(() => {});
          for (let i = 0; i < 100 && !isOver; i += 1) await pass(1_000);
          await over;
        },
        async crash() {
          runs.delete(running);
          await transport.close();
        },
      };
      runs.add(running);
      await pass();
      return running;
    },
    pass,
    writes() {
      const writes = sent.slice(asked).filter((line) => !line.startsWith("GET"));
      asked = sent.length;
      return writes;
    },
    hash: () => createHash("sha256").update(sent.join("\n")).digest("hex"),
    async end() {
      for (const running of [...runs]) await running.stop();
      await server.stop();
    },
  };
}

function recorded(transport: Transport, sent: string[]): Transport {
  return {
    send(request: Request) {
      const body = typeof request.body === "string" ? ` ${request.body}` : "";
      sent.push(`${request.method} ${request.path}${body}`);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

function logInto(lines: World["lines"], more: Record<string, unknown> = {}): Log {
  const at = (level: string) => (message: string, fields?: object) => {
    lines.push({ level, message, fields: { ...more, ...fields } });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => logInto(lines, { ...more, ...fields }),
  };
}
