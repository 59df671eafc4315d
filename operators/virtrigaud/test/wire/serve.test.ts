// A provider as its callers see it: connections that end, errors that say no more than they should, and a stop that loses nothing.
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectSocket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { VirtualClock } from "@telltale/clock";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  Health,
  HealthCheckResponse_ServingStatus as Serving,
} from "../../src/contract/generated/grpc/health/v1/health_pb.js";
import { errorOf, provider, remembering, until, wireTo } from "./stage.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const deadline = 20 * second;

/** A connection without any manners of its own. */
async function bare(port: number): Promise<{ session: ClientHttp2Session; farewells: string[] }> {
  const session = connect(`http://127.0.0.1:${port}`);
  const farewells: string[] = [];
  session.on("error", () => {});
  session.on("goaway", (code, _last, data) => farewells.push(`${code} ${data ?? ""}`.trim()));
  onTestFinished(() => session.destroy());
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  return { session, farewells };
}

function held<T>(answer: T) {
  const signals: AbortSignal[] = [];
  let release = () => {};
  const wait = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler = async (_request: unknown, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    await wait;
    return answer;
  };
  return { handler, signals, release: () => release() };
}

describe("a connection", () => {
  it("without calls is closed after a quarter of an hour", async () => {
    const clock = new VirtualClock();
    const { port } = await provider({}, { clock });
    const { session, farewells } = await bare(port);
    clock.advance(15 * minute - 1);
    expect(session.closed).toBe(false);
    clock.advance(1);
    await until(() => session.destroyed);
    expect(new Set(farewells)).toEqual(new Set(["0"]));
  });

  it("is closed after two hours, and its calls have five minutes more", async () => {
    const clock = new VirtualClock();
    const { handler, signals } = held({ exists: true });
    const { port } = await provider({ describe: handler }, { clock });
    const { session } = await bare(port);
    const errors: unknown[] = [];
    const stream = session.request({
      ":method": "POST",
      ":path": "/provider.v1.Provider/Describe",
      "content-type": "application/grpc",
    });
    stream.on("error", (error) => errors.push(error)).end(Buffer.alloc(5));
    await until(() => signals.length === 1);
    clock.advance(2 * hour - 1);
    await new Promise((resolve) => session.ping(resolve)); // what was sent before is here
    expect(session.closed).toBe(false);
    clock.advance(1);
    await until(() => session.closed);
    clock.advance(5 * minute - 1);
    expect([session.destroyed, signals[0]?.aborted]).toEqual([false, false]);
    clock.advance(1);
    await until(() => session.destroyed && signals[0]?.aborted === true);
  });

  it("at its age is exchanged for a new one without anybody's notice", async () => {
    const clock = new VirtualClock();
    const { handler, signals, release } = held({ exists: true });
    const { port } = await provider({ describe: handler, validate: async () => ({ ok: true }) }, { clock });
    const wire = wireTo(port);
    const call = wire.ask("describe", {}, { deadline });
    await until(() => signals.length === 1);
    clock.advance(2 * hour);
    for (let i = 0; i < 5; i += 1) expect(await wire.ask("validate", {}, { deadline })).toMatchObject({ ok: true });
    release();
    expect(await call).toMatchObject({ exists: true });
  });

  it("that pings too often is hung up on, and told why", async () => {
    const { log, lines } = remembering();
    const { port } = await provider({}, { log, clock: new VirtualClock() });
    const { session, farewells } = await bare(port);
    for (let i = 0; i < 4; i += 1) session.ping(() => {});
    await until(() => session.destroyed);
    expect(farewells).toEqual(["11 too_many_pings"]);
    expect(lines.join("\n")).toContain("warn a caller pings too often");
  });
});

describe("a connection that pings between answers", () => {
  it("may do so as often as it is answered", async () => {
    const { port } = await provider({}, { clock: new VirtualClock() });
    const { session, farewells } = await bare(port);
    for (let i = 0; i < 8; i += 1) {
      const stream = session.request({ ":method": "POST", ":path": "/provider.v1.Provider/Validate" });
      stream.on("error", () => {}).end();
      await until(() => stream.closed);
      await new Promise((resolve) => session.ping(resolve));
    }
    expect(farewells).toEqual([]);
  });
});

describe("an error", () => {
  it("that a handler did not mean for the caller is internal, and without secrets; nor are there any in the log", async () => {
    const { log, lines } = remembering();
    const fail = async () => {
      throw new Error("login as root with password=hunter2 failed");
    };
    const { port } = await provider({ exportDisk: fail }, { log });
    const request = { vmId: "a", credentials: { secretAccessKey: "sup3rs3cret" } };
    const error = await errorOf(wireTo(port).ask("exportDisk", request, { deadline }));
    expect([error.code, error.message]).toEqual(["INTERNAL", "login as root with password=[redacted] failed"]);
    expect(lines.join("\n")).not.toMatch(/sup3rs3cret/);
    expect(lines.join("\n")).toMatch(/error a handler failed .*ExportDisk/);
  });

  it("is UNIMPLEMENTED for a method that the provider has not, and for one that nobody knows", async () => {
    const { port } = await provider({});
    const error = await errorOf(wireTo(port).ask("hardwareUpgrade", {}, { deadline }));
    expect([error.code, error.message]).toEqual(["UNIMPLEMENTED", "this provider has no HardwareUpgrade"]);
    const { session } = await bare(port);
    const status = await new Promise((resolve) => {
      const stream = session.request({
        ":method": "POST",
        ":path": "/provider.v2.Provider/Fly",
        "content-type": "application/grpc",
      });
      stream.once("response", (headers) => resolve(headers["grpc-status"]));
      stream.end();
    });
    expect(status).toBe("12");
  });

  it("is DEADLINE_EXCEEDED for a handler that heeds no signal, by the caller's own deadline", async () => {
    const { handler } = held({});
    const { port } = await provider({ describe: handler });
    // The caller's clock stands still: it is the provider that ends the call.
    const error = await errorOf(wireTo(port, {}, { clock: new VirtualClock() }).ask("describe", {}, { deadline: 50 }));
    expect([error.code, error.message]).toEqual(["DEADLINE_EXCEEDED", "too late"]);
  });

  it("is RESOURCE_EXHAUSTED for a request beyond 16 MiB", async () => {
    const { port } = await provider({ create: async () => ({}) });
    const error = await errorOf(wireTo(port).ask("create", { userData: new Uint8Array(17 * 2 ** 20) }, { deadline }));
    expect(error.code).toBe("RESOURCE_EXHAUSTED");
  });
});

describe("a caller without manners", () => {
  const noise = Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919 + (i >> 3)) & 0xff));

  it.each<[string, Buffer | string]>([
    ["noise", noise],
    ["HTTP/1.1", "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n"],
    ["half a preface", "PRI * HTTP/2.0\r\n"],
    ["a preface and noise", Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), noise])],
  ])("that sends %s is the only one who notices", async (_what, bytes) => {
    const { port } = await provider({ validate: async () => ({ ok: true }) });
    const socket = connectSocket(port, "127.0.0.1");
    socket.on("error", () => {}).write(bytes);
    onTestFinished(() => void socket.destroy());
    const wire = wireTo(port);
    for (let i = 0; i < 3; i += 1) expect(await wire.ask("validate", {}, { deadline })).toMatchObject({ ok: true });
  });

  it.each<[string, Record<string, string>, Buffer, string]>([
    ["is no protobuf", {}, Buffer.concat([Buffer.from([0, 0, 0, 16, 0]), noise]), "grpc-status 13"],
    ["promises 4 GiB", {}, Buffer.from([0, 255, 255, 255, 255, 1]), "grpc-status 8"],
    ["is empty", {}, Buffer.alloc(0), "grpc-status 12"],
    ["has a deadline in years is answered, and", { "grpc-timeout": "99999999H" }, Buffer.alloc(5), "grpc-status 0"],
    ["has a deadline that is none", { "grpc-timeout": "soon" }, Buffer.alloc(5), "grpc-status 3"],
    ["is a GET", { ":method": "GET" }, Buffer.alloc(0), ":status 405"],
    ["is a page", { "content-type": "text/html" }, noise, ":status 415"],
  ])("whose request %s is told so", async (_what, headers, body, status) => {
    const { port } = await provider({ validate: async () => ({ ok: true }) });
    const { session } = await bare(port);
    const stream = session.request({
      ":method": "POST",
      ":path": "/provider.v1.Provider/Validate",
      "content-type": "application/grpc",
      ...headers,
    });
    const said: string[] = [];
    const hear = (fields: object) => Object.entries(fields).map(([name, value]) => said.push(`${name} ${value}`));
    stream
      .on("response", hear)
      .on("trailers", hear)
      .on("error", () => {})
      .resume();
    if (!stream.writableEnded) stream.end(body);
    await until(() => stream.closed);
    expect(said).toContain(status);
  });
});

describe("gRPC's health service", () => {
  it("knows the process and the provider", async () => {
    let isWell = true;
    const clock = new VirtualClock();
    const check = async () => {
      if (!isWell) throw new Error("no disk");
    };
    const { port } = await provider({}, { clock, checks: { disk: check } });
    const client = createClient(Health, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
    const of = async (service: string) => Serving[(await client.check({ service })).status];
    expect([await of(""), await of("provider")]).toEqual(["SERVING", "SERVING"]);
    isWell = false;
    clock.advance(30 * second);
    expect([await of(""), await of("provider")]).toEqual(["SERVING", "NOT_SERVING"]);
    await expect(of("another")).rejects.toThrow(/unknown service/);
  });
});

describe("a stop", () => {
  it("lets calls under way end, and takes no more", async () => {
    const { handler, signals, release } = held({ exists: true });
    const served = await provider({ describe: handler });
    const call = wireTo(served.port).ask("describe", {}, { deadline });
    await until(() => signals.length === 1);
    const stopped = served.stop();
    const clock = new VirtualClock();
    const late = errorOf(wireTo(served.port, {}, { clock }).ask("validate", {}, { deadline }));
    await until(() => (clock.next() ?? 0) - clock.now() <= 300);
    clock.advance(deadline);
    expect(await late).toMatchObject({ code: "UNAVAILABLE", isUnsent: true });
    release();
    expect(await call).toMatchObject({ exists: true });
    await stopped;
  });

  it("waits ten seconds for them, and no longer", async () => {
    const clock = new VirtualClock();
    const { handler, signals } = held({ exists: true });
    const served = await provider({ describe: handler }, { clock });
    const call = errorOf(wireTo(served.port).ask("describe", {}, { deadline }));
    await until(() => signals.length === 1);
    const stopped = served.stop();
    clock.advance(10 * second);
    await stopped;
    expect(await call).toMatchObject({ code: "UNAVAILABLE", isUnsent: false });
    await until(() => signals[0]?.aborted === true);
    expect(clock.next()).toBeUndefined();
  });
});
