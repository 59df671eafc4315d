// This server as a target: in the same process, in virtual time.
import { Agent } from "node:https";
import { seededRandom, sleep, systemClock, turn, VirtualClock } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import { type ApiServer, startApiServer, type User } from "../../src/index.ts";
import type { Case } from "./case.ts";
import { send } from "./real.ts";
import type { Target, TargetAnswer } from "./target.ts";

const bench: User = { username: "bench", uid: "1", groups: ["system:masters", "system:authenticated"], extra: {} };
const nobody: User = { username: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} };
const token = "benchtoken";

/** Cases about what only a socket does: the limit of a body, HEAD without one, the bytes of a header. */
const onTheWire: ReadonlySet<string> = new Set(["A62", "D23", "D34", "W12"]);

export interface Embedded {
  /** In this process, or over a socket where the case is about that. With a webhook, real time goes by as well. */
  target(it: Case): Target;
  stop(): Promise<void>;
}

export async function startEmbedded(): Promise<Embedded> {
  const clock = new VirtualClock(Date.UTC(2026, 10, 15, 12) as Instant);
  const server = await startApiServer({
    tokens: { [token]: bench },
    anonymous: true,
    controllers: "none",
    serviceAccounts: true,
    clock,
    random: seededRandom(36),
  });
  return {
    target: ({ id, webhook }) =>
      onTheWire.has(id) ? wireTarget(server, clock) : embeddedTarget(server, clock, webhook !== undefined),
    stop: () => server.stop(),
  };
}

function embeddedTarget(server: ApiServer, clock: VirtualClock, sockets: boolean): Target {
  const pass = async (ms: number) => {
    if (sockets) await sleep(systemClock, Math.min(ms, 5) as Ms);
    await clock.settle(ms as Ms);
  };
  return {
    host: "127.0.0.1:443",
    token,
    clock,
    pass,
    async request({ method, path, headers, body, signal }): Promise<TargetAnswer> {
      const plain = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
      );
      const answer = await inTime(
        server.client({
          method,
          path,
          headers: plain,
          user: nobody,
          ...(body === undefined ? {} : { body }),
          ...(signal === undefined ? {} : { signal }),
        }),
        () => pass(sockets ? 5 : 250),
      );
      const lists = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]);
      const { stream } = answer;
      // Without a socket nothing is cut into chunks; with one, a stream always is.
      if (stream !== undefined) lists.push(["transfer-encoding", ["chunked"]]);
      return {
        status: answer.status,
        headers: Object.fromEntries(lists) as TargetAnswer["headers"],
        chunks: stream === undefined ? one(answer.body) : endsInTime(stream, () => pass(250), signal),
      };
    },
    async compact() {
      server.compact();
    },
  };
}

function wireTarget(server: ApiServer, clock: VirtualClock): Target {
  const url = server.url ?? "";
  const agent = new Agent({ ca: server.ca() });
  return {
    ...embeddedTarget(server, clock, true),
    host: new URL(url).host,
    request: (request) => send(agent, url, request),
  };
}

/** Waits for an answer; one that needs time to go by gets it. */
async function inTime<T>(pending: Promise<T>, more: () => Promise<void>): Promise<T> {
  let done = false;
  const finish = () => {
    done = true;
  };
  pending.then(finish, finish);
  for (let turns = 0; !done; turns++) {
    if (turns < 20) await turn();
    else await more();
  }
  return pending;
}

/** A stream that nobody closes is one that is read to its end: time must go by until then. */
async function* endsInTime(
  stream: AsyncIterable<string>,
  more: () => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  if (signal !== undefined) {
    yield* stream;
    return;
  }
  const reader = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await inTime(reader.next(), more);
    if (next.done === true) return;
    yield next.value;
  }
}

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}
