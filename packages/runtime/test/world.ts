// What a test of controllers needs: a server, managers on it, and time. `world` is an embedded server in virtual time and one
// seed; `real-world.ts` is a real one.
import { createHash } from "node:crypto";
import { type ApiServer, type ServerOptions, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Request, type Transport } from "@telltale/client";
import { type Clock, type Random, seededRandom, turn, VirtualClock } from "@telltale/clock";
import { type Kind, type Ms, toCrd } from "@telltale/kinds";
import { type Controller, type Log, type Manager, type ManagerOptions, manager, type Sample } from "../src/index.ts";

export interface World {
  /** Where managers look: their own, so that worlds on one server do not meet. */
  readonly namespace: string;
  /** A person's: not the manager's. */
  readonly client: Client;
  /** Everything that managers sent: `PATCH /apis/...`. */
  readonly sent: string[];
  readonly samples: Sample[];
  readonly lines: Line[];
  /** Starts a manager; `stop` ends it in good order, `crash` where it is. */
  start(controllers: readonly Controller[], options?: Partial<ManagerOptions>): Promise<Running>;
  /** Lets time pass, and everything that it sets off happen. */
  pass(by?: Ms): Promise<void>;
  /** Until it holds. Fails when it does not within a minute of virtual time, or some seconds of real time. */
  until(holds: () => boolean | Promise<boolean>, what?: string): Promise<void>;
  /** The writes that managers sent since the last time that somebody asked. */
  writes(): string[];
  end(): Promise<void>;
}

export interface EmbeddedWorld extends World {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  /** Of everything that was sent. */
  hash(): string;
}

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
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

export async function world(options: WorldOptions = {}): Promise<EmbeddedWorld> {
  const { seed = 1, kinds = [] } = options;
  const clock = new VirtualClock();
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(seed),
    authorization: "always-allow",
    objects: kinds.map((kind) => toCrd(kind)),
    ...options.server,
  });
  const pass = async (by: Ms = 0) => {
    for (let i = 0; i < 5; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 5; i += 1) await turn();
  };
  let draws = seed;
  const common = worldOver({
    namespace: "default",
    clock,
    random: () => {
      draws += 100;
      return seededRandom(draws);
    },
    transport: () => inProcessTransport(server.client),
    pass,
    async until(holds, what = "what the test waits for") {
      for (let waited = 0; !(await holds()); waited += 100) {
        if (waited > 60_000) throw new Error(`${what} did not come within a minute`);
        await pass(100);
      }
    },
  });
  return {
    ...common,
    clock,
    server,
    hash: () => createHash("sha256").update(common.sent.join("\n")).digest("hex"),
    async end() {
      server.faults.clear();
      await common.end();
      await server.stop();
    },
  };
}

interface Ground extends Pick<World, "namespace" | "pass" | "until"> {
  readonly clock: Clock;
  readonly random: () => Random;
  readonly transport: () => Transport;
}

export function worldOver(ground: Ground): World {
  const { clock, namespace, pass, until } = ground;
  const sent: string[] = [];
  const samples: Sample[] = [];
  const lines: Line[] = [];
  const runs = new Set<Running>();
  const client = createClient({
    transport: ground.transport(),
    clock,
    random: ground.random(),
    fieldManager: "person",
  });
  let asked = 0;
  return {
    namespace,
    client,
    sent,
    samples,
    lines,
    pass,
    until,
    async start(controllers, more = {}) {
      const transport = recorded(more.transport ?? ground.transport(), sent);
      const it = manager({
        name: "tester",
        clock,
        random: ground.random(),
        controllers,
        namespaces: [namespace],
        log: logInto(lines),
        sinks: [(sample) => samples.push(sample)],
        events: "none",
        strict: true,
        ...more,
        transport,
      });
      const stop = new AbortController();
      let isOver = false;
      const run = it.run(stop.signal).finally(() => {
        isOver = true;
      });
      run.catch(() => {});
      const running: Running = {
        manager: it,
        async stop() {
          runs.delete(running);
          stop.abort();
          await until(() => isOver, "the end of a manager");
          await run;
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
    writes() {
      const writes = sent.slice(asked).filter((line) => !line.startsWith("GET"));
      asked = sent.length;
      return writes;
    },
    async end() {
      for (const running of [...runs]) await running.stop();
    },
  };
}

function recorded(transport: Transport, sent: string[]): Transport {
  let isClosed = false;
  return {
    send(request: Request) {
      if (isClosed) return transport.send(request); // refused there: a crashed manager sends nothing
      const body = typeof request.body === "string" ? ` ${request.body}` : "";
      sent.push(`${request.method} ${request.path}${body}`);
      return transport.send(request);
    },
    close() {
      isClosed = true;
      return transport.close();
    },
  };
}

function logInto(lines: Line[], more: Record<string, unknown> = {}): Log {
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
