// What a cache stands on in a test: a server, a way to it, and time. `embedded` is the server of this repository in virtual
// time; `real.ts` has kube-apiserver.
import { type ApiServer, type ServerOptions, startApiServer } from "@telltale/apiserver";
import { type Client, ConnectionError, createClient, inProcessTransport, type Transport } from "@telltale/client";
import { type Clock, type Random, seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { ConfigMap, Namespace } from "@telltale/kinds/builtin";
import { watchDecoder } from "../../src/cache/decode.ts";
import { Echoes } from "../../src/cache/echoes.ts";
import { Cache, type Cached, type CacheOptions, type Selection, silentLog } from "../../src/index.ts";
import type { Sample } from "../../src/samples.ts";
import { Seen } from "./history.ts";
import { type TroubledWay, troubled } from "./troubled.ts";

export interface Ground {
  /** Of caches. On a real server it runs faster than the wall's. */
  readonly clock: Clock;
  /** Of clients. */
  readonly wall: Clock;
  readonly random: Random;
  /** A person's: on it nothing goes wrong. */
  readonly client: Client;
  transport(): Transport;
  /** Lets time pass on the caches' clock. */
  pass(by?: Ms): Promise<void>;
  /** Passes time until it holds. */
  until(holds: () => boolean | Promise<boolean>, what?: string): Promise<void>;
  /** The server is put back: its versions are lower, and its objects others. */
  back(): Promise<void>;
  end(): Promise<void>;
}

export interface Followed {
  readonly way: TroubledWay;
  readonly client: Client;
  readonly cache: Cache;
  readonly cached: Cached<ConfigMap>;
  readonly seen: Seen;
  /** What happened to its watches. */
  readonly happened: string[];
  stop(): Promise<void>;
}

/** Who asks, to a server that makes trouble for one and not for others. */
export const follower = "follower";

/** A cache over a way on which things can go wrong. */
export function follow(ground: Ground, options: Partial<CacheOptions> = {}, select: Selection = {}): Followed {
  const { clock, wall, random } = ground;
  const way = troubled(ground.transport());
  const echoes = new Echoes();
  const client = createClient({
    transport: way,
    clock: wall,
    random,
    decode: watchDecoder(echoes),
    userAgent: follower,
  });
  const happened: string[] = [];
  const sink = (sample: Sample) => {
    if (sample.is === "watch") happened.push(sample.what);
  };
  const cache = new Cache({ client, clock, random, log: silentLog, sink, freeze: true, echoes, ...options });
  const cached = cache.of(ConfigMap, select);
  const seen = new Seen(cache, cached.store);
  return {
    way,
    client,
    cache,
    cached,
    seen,
    happened,
    async stop() {
      await cache.stop();
      await client.close();
    },
  };
}

/** New namespaces on a server. */
export async function namespaces(ground: Ground, count: number): Promise<string[]> {
  const names = Array.from(
    ground.random.bytes(count),
    (byte, i) => `ns-${i}-${byte}-${Math.floor(1e6 * ground.random.next())}`,
  );
  for (const name of names) await ground.client.create(Namespace, { metadata: { name } });
  return names;
}

export interface EmbeddedGround extends Ground {
  readonly clock: VirtualClock;
  /** The one that runs now. */
  readonly server: ApiServer;
  /** Nobody is there for so long after a crash, then a new one over the same storage. */
  restart(away: Ms): Promise<void>;
}

/** How long a test may wait in virtual time: longer than any stream lasts. */
const patience: Ms = 3_600_000;

export async function embedded(seed: number, options: Partial<ServerOptions> = {}): Promise<EmbeddedGround> {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const start = (): Promise<ApiServer> =>
    startApiServer({
      listen: false,
      clock,
      random: seededRandom(seed + 1_000_000),
      authorization: "always-allow",
      controllers: "none",
      ...options,
    });
  let server = await start();
  let isAway = false;
  const transport = () =>
    inProcessTransport(async (request) => {
      if (isAway) throw new ConnectionError("connect", "nobody listens");
      return server.client(request);
    });
  const client = createClient({ transport: transport(), clock, random });
  const pass = async (by: Ms = 0) => {
    await turn();
    await clock.settle(by);
    await turn();
  };
  const past = server.snapshot();
  return {
    clock,
    wall: clock,
    random,
    client,
    get server() {
      return server;
    },
    transport,
    pass,
    async until(holds, what = "what the test waits for") {
      const began = clock.uptime();
      for (let by = 50; !(await holds()); by = Math.min(10_000, by * 1.3)) {
        if (clock.uptime() - began > patience) throw new Error(`${what} did not come within an hour`);
        await pass(by);
      }
    },
    async back() {
      server.restore(past);
    },
    async restart(away) {
      isAway = true;
      await server.crash();
      await pass(away);
      server = await start();
      isAway = false;
    },
    async end() {
      await client.close();
      await server.stop();
    },
  };
}
