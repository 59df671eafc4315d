// A server, a manager on it and time, for tests of controllers that are about objects rather than about recorded scenarios.
import { type ApiServer, type ServerOptions, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Transport } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { instant, type Ms } from "@telltale/kinds";
import { type Controller, type Log, manager } from "@telltale/runtime";

export interface Cluster {
  /** A person's: not the manager's. */
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  /** Warnings and errors that the controllers logged. */
  readonly complaints: readonly string[];
  /** Lets everything happen that can, and then so much time pass. */
  pass(by?: Ms): Promise<void>;
  /** What was written by the manager since the last time that somebody asked, Events apart. */
  writes(): readonly string[];
  /** How many passes there were since the last time that somebody asked. */
  passes(): number;
  /** Another manager with the same controllers, in place of the one that runs. */
  restart(controllers: readonly Controller[]): Promise<void>;
  /** The same, but the one that runs ends where it is: it hears and sends nothing more. */
  crash(controllers: readonly Controller[]): Promise<void>;
  end(): Promise<void>;
}

export async function cluster(
  controllers: readonly Controller[],
  options: Partial<ServerOptions> = {},
  seed = 1,
): Promise<Cluster> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(seed),
    authorization: "always-allow",
    controllers: "core",
    ...options,
  });
  const complaints: string[] = [];
  let sent: string[] = [];
  let passes = 0;
  let underWay = 0;
  const recorded = (transport: Transport, isOpen: () => boolean): Transport => ({
    async send(request) {
      if (isOpen() && request.method !== "GET" && !/\/events(\/|\?|$)/.test(request.path)) {
        sent.push(`${request.method} ${request.path.split("?")[0]}`);
      }
      underWay += 1;
      try {
        return await transport.send(request);
      } finally {
        underWay -= 1;
      }
    },
    close: () => transport.close(),
  });
  const drain = async () => {
    // A request that a fault holds back gets its answer with time only.
    for (let quiet = 0, seen = -1; quiet < (underWay === 0 ? 3 : 30); ) {
      await server.settle();
      quiet = seen === server.store.revision ? quiet + 1 : 0;
      seen = server.store.revision;
    }
  };
  const pass = async (by: Ms = 0) => {
    const until = instant(clock.now() + by);
    await drain();
    while (clock.fire(until)) await drain();
    clock.advance(until - clock.now());
    await drain();
  };
  let stop: () => Promise<void> = async () => {};
  let cut: () => Promise<void> = async () => {};
  const crashed: (() => Promise<void>)[] = [];
  let draws = seed;
  const start = async (list: readonly Controller[]) => {
    draws += 1;
    const end = new AbortController();
    let isOpen = true;
    const transport = recorded(inProcessTransport(server.client), () => isOpen);
    cut = () => {
      isOpen = false; // what it tries from here on reaches nobody
      return transport.close();
    };
    const working = manager({
      name: "kube-controller-manager",
      transport,
      controllers: list,
      clock,
      random: seededRandom(draws),
      events: "v1",
      strict: true,
      log: complaining(complaints),
      sinks: [
        ({ is }) => {
          if (is === "pass") passes += 1;
        },
      ],
    });
    let isOver = false;
    const run = working.run(end.signal).finally(() => {
      isOver = true;
    });
    stop = async () => {
      end.abort();
      for (let i = 0; i < 100 && !isOver; i += 1) await pass(100);
      await run;
    };
    await pass();
  };
  await start(controllers);
  return {
    client: createClient({
      transport: inProcessTransport(server.client),
      clock,
      random: seededRandom(seed + 100),
      fieldManager: "person",
    }),
    clock,
    server,
    complaints,
    pass,
    writes() {
      const before = sent;
      sent = [];
      return before;
    },
    passes() {
      const before = passes;
      passes = 0;
      return before;
    },
    async restart(list) {
      await stop();
      await start(list);
    },
    async crash(list) {
      crashed.push(stop);
      await cut();
      await start(list);
    },
    async end() {
      server.faults.clear();
      for (const each of [...crashed, stop]) await each();
      await server.stop();
    },
  };
}

function complaining(lines: string[]): Log {
  const note = (level: string) => (message: string, fields?: object) => {
    const text = `${level}: ${message} ${JSON.stringify(fields, (_key, it) => (it instanceof Error ? it.message : it))}`;
    if (!text.includes("v1 Endpoints is deprecated")) lines.push(text);
  };
  const none = () => {};
  const log: Log = { debug: none, info: none, warn: note("warn"), error: note("error"), with: () => log };
  return log;
}
