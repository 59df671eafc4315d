// The wire against a provider of our own: deadlines, cancelling, reconnects, long calls, limits of size.
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer as createNetServer, type Server, type Socket } from "node:net";
import { type DescMessage, equals, type MessageShape } from "@bufbuild/protobuf";
import { VirtualClock } from "@telltale/clock";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Method, service } from "../../src/contract/contract.ts";
import { RpcError } from "../../src/contract/rpc-error.ts";
import { filled } from "./filled.ts";
import { errorOf, pausing, provider, until, wireTo } from "./stage.ts";

const second = 1_000;

/** A handler that is called and never answers. */
function stuck() {
  const seen: AbortSignal[] = [];
  const handler = (_request: unknown, { signal }: { signal: AbortSignal }) => {
    seen.push(signal);
    return new Promise<never>(() => {});
  };
  return { seen, handler };
}

describe("an answer", () => {
  it("arrives with its fields, also beyond what a number can hold", async () => {
    const size = 2n ** 62n + 1n;
    const { port } = await provider({ getDiskInfo: async ({ vmId }) => ({ diskId: vmId, virtualSizeBytes: size }) });
    const answer = await wireTo(port).ask("getDiskInfo", { vmId: "q-1" }, { deadline: 10 * second });
    expect(answer).toMatchObject({ diskId: "q-1", virtualSizeBytes: size, actualSizeBytes: 0n, metadata: {} });
  });

  it("and its request carry every field of every method", async () => {
    const wrong: string[] = [];
    const handlers = service.methods.map(({ localName, name, input, output }) => [
      localName,
      async (request: MessageShape<DescMessage>) => {
        if (!equals(input, request, filled(input))) wrong.push(name);
        return filled(output);
      },
    ]);
    const { port } = await provider(Object.fromEntries(handlers));
    const wire = wireTo(port);
    for (const { localName, name, input, output } of service.methods) {
      const answer: MessageShape<DescMessage> = await wire.ask(localName as Method, filled(input) as never, {
        deadline: 10 * second,
      });
      if (!equals(output, answer, filled(output))) wrong.push(name);
    }
    expect(wrong).toEqual([]);
  });

  it("that is an error has its code, its text and the time to wait", async () => {
    const refuse = new RpcError("RESOURCE_EXHAUSTED", "quota of 10 VMs is used up: größer", { after: 1_500 });
    const { port } = await provider({
      create: async () => {
        throw refuse;
      },
    });
    const error = await errorOf(wireTo(port).ask("create", { name: "web" }, { deadline: 10 * second }));
    expect(error).toMatchObject({ code: refuse.code, message: refuse.message, after: 1_500, isUnsent: false });
  });

  it("is read up to 16 MiB, and no further", async () => {
    const blob = (mib: number) => ({ stdout: new Uint8Array(mib * 2 ** 20 - 64) });
    const { port } = await provider({ guestExec: async ({ timeoutSeconds }) => blob(timeoutSeconds) });
    const wire = wireTo(port);
    const answer = await wire.ask("guestExec", { timeoutSeconds: 16 }, { deadline: 20 * second });
    expect(answer.stdout).toHaveLength(16 * 2 ** 20 - 64);
    const error = await errorOf(wire.ask("guestExec", { timeoutSeconds: 17 }, { deadline: 20 * second }));
    expect(error.code).toBe("RESOURCE_EXHAUSTED");
  });
});

describe("a call ends", () => {
  it("at its deadline, and the provider hears of it", async () => {
    const { seen, handler } = stuck();
    const { port } = await provider({ describe: handler });
    const clock = new VirtualClock();
    const call = errorOf(wireTo(port, {}, { clock }).ask("describe", { id: "a" }, { deadline: 30 * second }));
    await until(() => seen.length === 1);
    clock.advance(29 * second);
    expect(seen[0]?.aborted).toBe(false);
    clock.advance(1 * second);
    expect(await call).toMatchObject({ code: "DEADLINE_EXCEEDED", isUnsent: false });
    await until(() => seen[0]?.aborted === true);
  });

  it("when the caller gives up, and the provider hears of it", async () => {
    const { seen, handler } = stuck();
    const { port } = await provider({ describe: handler });
    const wire = wireTo(port);
    const giveUp = new AbortController();
    const call = errorOf(wire.ask("describe", { id: "a" }, { deadline: 30 * second, signal: giveUp.signal }));
    await until(() => seen.length === 1);
    giveUp.abort();
    expect(await call).toMatchObject({ code: "CANCELLED", isUnsent: false });
    await until(() => seen[0]?.aborted === true);
    const unsent = await errorOf(wire.ask("describe", {}, { deadline: 30 * second, signal: giveUp.signal }));
    expect(unsent).toMatchObject({ code: "CANCELLED", isUnsent: true });
    expect(seen).toHaveLength(1);
  });

  it("well, when the wire was closed under it; no other begins", async () => {
    let [begun, release] = [0, () => {}];
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const validate = async () => {
      begun += 1;
      await held;
      return { ok: true };
    };
    const { port } = await provider({ validate });
    const wire = wireTo(port);
    const call = wire.ask("validate", {}, { deadline: 30 * second });
    const long = wire.ask("validate", {}, { deadline: 30 * second, isLong: true });
    await until(() => begun === 2);
    wire.close();
    const late = await errorOf(wire.ask("validate", {}, { deadline: 30 * second }));
    expect(late).toMatchObject({ code: "CANCELLED", isUnsent: true });
    release();
    expect(await call).toMatchObject({ ok: true });
    expect(await long).toMatchObject({ ok: true });
  });
});

describe("a provider that is not there", () => {
  it("is waited for until the deadline, and then it is unavailable", async () => {
    const port = await freePort();
    const clock = new VirtualClock();
    const call = errorOf(wireTo(port, {}, { clock }).ask("validate", {}, { deadline: 10 * second }));
    await pausing(clock);
    clock.advance(10 * second);
    const error = await call;
    expect(error).toMatchObject({ code: "UNAVAILABLE", isUnsent: true });
    expect(error.message).toMatch(/^no connection to 127\.0\.0\.1:\d+ within the deadline: connect ECONNREFUSED/);
  });

  it("gets the call when it comes", async () => {
    const port = await freePort();
    const clock = new VirtualClock();
    const wire = wireTo(port, {}, { clock });
    const calls = [1, 2, 3].map(() => wire.ask("validate", {}, { deadline: 20 * second }));
    await pausing(clock);
    await provider({ validate: async () => ({ ok: true }) }, { port });
    clock.advance(second);
    expect((await Promise.all(calls)).map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it("for want of an address is said at once", async () => {
    const wire = wireTo(1, { endpoint: "no address" });
    expect(await errorOf(wire.ask("validate", {}, { deadline: 20 * second }))).toMatchObject({
      code: "UNAVAILABLE",
      message: '"no address" is no host:port',
    });
  });
});

describe("connections", () => {
  it("are one for all calls, and one more for each long call", async () => {
    const { server, port } = await counted();
    const wire = wireTo(port);
    const ask = (isLong: boolean) => errorOf(wire.ask("validate", {}, { deadline: 10 * second, isLong }));
    await Promise.all([ask(false), ask(false), ask(false)]);
    await ask(false);
    expect(server.made).toBe(1);
    await Promise.all([ask(true), ask(true)]);
    expect(server.made).toBe(3);
    await until(() => server.open.size === 1);
    wire.close();
    await until(() => server.open.size === 0);
  });

  it("are made anew when the provider was restarted, and nobody notices", async () => {
    const first = await provider({ validate: async () => ({ ok: true, message: "first" }) });
    const wire = wireTo(first.port);
    expect((await wire.ask("validate", {}, { deadline: 10 * second })).message).toBe("first");
    await first.stop();
    await provider({ validate: async () => ({ ok: true, message: "second" }) }, { port: first.port });
    expect((await wire.ask("validate", {}, { deadline: 10 * second })).message).toBe("second");
  });

  it("are made anew when nobody has used them for long", async () => {
    const { server, port } = await counted();
    const clock = new VirtualClock();
    const wire = wireTo(port, { idleTimeout: 300 * second }, { clock });
    const ask = async () => {
      await errorOf(wire.ask("validate", {}, { deadline: 10 * second }));
      await until(() => clock.next() === undefined);
    };
    await ask();
    clock.advance(299 * second);
    await ask();
    expect(server.made).toBe(1);
    clock.advance(300 * second);
    await ask();
    expect(server.made).toBe(2);
    await until(() => server.open.size === 1);
  });

  it("that break under a call make it unavailable, with an unknown outcome", async () => {
    const { server, port } = await counted(() => {});
    const call = errorOf(wireTo(port).ask("create", { name: "a" }, { deadline: 30 * second }));
    await until(() => server.calls === 1);
    for (const session of server.open) session.destroy();
    expect(await call).toMatchObject({ code: "UNAVAILABLE", isUnsent: false });
  });

  it("that turn a request away hand it to the next one", async () => {
    let turnedAway = 0;
    const { server, port } = await counted((stream, session) => {
      if (server.made > 1) return stream.respond(trailersOnly, { endStream: true });
      turnedAway += 1;
      session.goaway(0, 0); // at its age: what comes now is not taken
      stream.close(7);
      return undefined;
    });
    const error = await errorOf(wireTo(port).ask("create", { name: "a" }, { deadline: 30 * second }));
    expect([turnedAway, server.made, error.code]).toEqual([1, 2, "NOT_FOUND"]);
  });

  it("that turn everything away are tried three times", async () => {
    const { server, port } = await counted((stream) => stream.close(7));
    const error = await errorOf(wireTo(port).ask("create", { name: "a" }, { deadline: 30 * second }));
    expect(error).toMatchObject({ code: "UNAVAILABLE", isUnsent: true });
    expect(server.calls).toBe(3);
  });
});

describe("pings", () => {
  it("are sent every 30 s while a call is under way, and never without", async () => {
    const { server, port } = await counted(() => {});
    const clock = new VirtualClock();
    const wire = wireTo(port, {}, { clock });
    const giveUp = new AbortController();
    const call = errorOf(wire.ask("describe", {}, { deadline: 3_600 * second, signal: giveUp.signal }));
    await until(() => server.calls === 1);
    clock.advance(29 * second);
    expect(server.pings).toBe(0);
    for (const pings of [1, 2, 3]) {
      clock.advance(pings === 1 ? 1 * second : 30 * second);
      await until(() => server.pings === pings);
      await acknowledged(clock);
    }
    giveUp.abort();
    await call;
    await until(() => clock.next() === undefined);
    clock.advance(3_600 * second);
    expect(server.pings).toBe(3);
  });

  it("are not needed while other answers come", async () => {
    const { server, port } = await counted((stream) => {
      if (server.calls > 1) stream.respond(trailersOnly, { endStream: true });
    });
    const clock = new VirtualClock();
    const wire = wireTo(port, {}, { clock });
    void wire.ask("describe", {}, { deadline: 3_600 * second }).catch(() => {});
    await until(() => server.calls === 1);
    for (let i = 0; i < 6; i += 1) {
      clock.advance(20 * second);
      await errorOf(wire.ask("validate", {}, { deadline: 10 * second }));
    }
    expect([server.pings, server.made]).toEqual([0, 1]);
  });

  it("without an answer end the connection", async () => {
    const { server, port } = await counted(() => {});
    const between = await line(port);
    const clock = new VirtualClock();
    const call = errorOf(wireTo(between.port, {}, { clock }).ask("describe", {}, { deadline: 3_600 * second }));
    await until(() => server.calls === 1);
    between.cut();
    clock.advance(30 * second);
    clock.advance(10 * second);
    expect(await call).toMatchObject({ code: "UNAVAILABLE", isUnsent: false });
    expect((await call).message).toContain("no answer to a ping within 10 s");
  });

  it("never bring a provider to hang up", async () => {
    const clock = new VirtualClock();
    const { seen, handler } = stuck();
    const { port } = await provider({ describe: handler, validate: async () => ({ ok: true }) }, { clock });
    const wire = wireTo(port, {}, { clock });
    for (let round = 0; round < 3; round += 1) {
      const giveUp = new AbortController();
      const call = errorOf(wire.ask("describe", {}, { deadline: 600 * second, signal: giveUp.signal }));
      await until(() => seen.length === round + 1);
      for (let ping = 0; ping < 6; ping += 1) {
        clock.advance(30 * second);
        await acknowledged(clock);
      }
      giveUp.abort();
      expect((await call).code).toBe("CANCELLED");
      clock.advance(60 * second);
    }
    expect((await wire.ask("validate", {}, { deadline: 10 * second })).ok).toBe(true);
  });
});

/** The answer to a ping is in: the next timer is no longer the one that waits for it. */
const acknowledged = (clock: VirtualClock): Promise<void> =>
  until(() => (clock.next() ?? 0) - clock.now() > 10 * second);

const trailersOnly = { ":status": 200, "content-type": "application/grpc", "grpc-status": "5" };

type OnStream = (stream: ServerHttp2Stream, session: ServerHttp2Session) => void;

/** An HTTP/2 server that answers every call with NOT_FOUND, or as it is told, and counts. */
async function counted(onStream: OnStream = (stream) => stream.respond(trailersOnly, { endStream: true })) {
  const server = { made: 0, calls: 0, pings: 0, open: new Set<ServerHttp2Session>() };
  const http2: Http2Server = createServer();
  http2.on("session", (session) => {
    server.made += 1;
    server.open.add(session);
    session.on("ping", () => {
      server.pings += 1;
    });
    session.on("error", () => {});
    session.once("close", () => server.open.delete(session));
    session.on("stream", (stream) => {
      server.calls += 1;
      stream.on("error", () => {});
      onStream(stream, session);
    });
  });
  const port = await listen(http2);
  onTestFinished(() => {
    for (const session of server.open) session.destroy();
    http2.close();
  });
  return { server, port };
}

/** A line to a port that can go dead without a word. */
async function line(port: number) {
  const ends: Socket[] = [];
  const server = createNetServer((near) => {
    const far = connect(port, "127.0.0.1");
    ends.push(near, far);
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on("error", () => {});
  });
  const own = await listen(server);
  onTestFinished(() => {
    for (const end of ends) end.destroy();
    server.close();
  });
  return { port: own, cut: () => ends.map((end) => end.unpipe().pause()) };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
