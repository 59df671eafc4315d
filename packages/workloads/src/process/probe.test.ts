// One look at a program: against servers of this process.
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttp2, type Http2Server } from "node:http2";
import { type AddressInfo, createServer as createTcp, type Server as TcpServer } from "node:net";
import { systemClock, turn, VirtualClock } from "@telltale/clock";
import { afterEach, describe, expect, it } from "vitest";
import { probeOnce, type Target, type Verdict } from "./probe.ts";
import type { Probe } from "./spec.ts";

const servers: (Server | TcpServer | Http2Server)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise<void>((done) => void server.close(() => done()));
});

async function listen<S extends Server | TcpServer | Http2Server>(server: S): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", () => done()));
  return (server.address() as AddressInfo).port;
}

const target = (port: number, run?: Target["run"]): Target => ({
  address: () => ({ host: "127.0.0.1", port }),
  run: run ?? (() => Promise.reject(new Error("nobody asks"))),
});

const look = (probe: Probe, to: Target, clock = systemClock): Promise<Verdict> =>
  probeOnce({ timeoutSeconds: 20, ...probe }, to, clock, new AbortController().signal);

const failure = (message: string) => ({ is: "failure", message });

describe("an HTTP probe", () => {
  const serve = (listener: RequestListener) => listen(createServer(listener));

  it.each([
    [200, { is: "success" }],
    [204, { is: "success" }],
    [399, { is: "success", warning: "Probe terminated redirects, Response body: hello" }],
    [400, failure("HTTP probe failed with statuscode: 400")],
    [503, failure("HTTP probe failed with statuscode: 503")],
  ])("with status %i", async (status, verdict) => {
    const port = await serve((_, response) => response.writeHead(status).end(status === 204 ? "" : "hello"));
    expect(await look({ httpGet: { port: 80, path: "/healthz" } }, target(port))).toEqual(verdict);
  });

  it("asks with the path and headers that are given", async () => {
    let asked: unknown;
    const port = await serve(({ url, headers }, response) => {
      asked = { url, host: headers.host, "x-a": headers["x-a"], agent: headers["user-agent"] };
      response.end();
    });
    const httpHeaders = [
      { name: "Host", value: "example.com" },
      { name: "X-A", value: "1" },
      { name: "x-a", value: "2" },
    ];
    await look({ httpGet: { port: 80, path: "ready?x=1", httpHeaders } }, target(port));
    expect(asked).toEqual({ url: "/ready?x=1", host: "example.com", "x-a": "1, 2", agent: "kube-probe/1.36" });
  });

  it("follows a redirect within the host, and no other", async () => {
    const port = await serve(({ url }, response) => {
      if (url === "/in") response.writeHead(302, { location: "/bad" }).end();
      else if (url === "/out") response.writeHead(302, { location: "http://example.com/x" }).end("elsewhere");
      else if (url === "/loop") response.writeHead(302, { location: "/loop" }).end();
      else response.writeHead(500).end();
    });
    const get = (path: string) => look({ httpGet: { port: 80, path } }, target(port));
    expect(await get("/in")).toEqual(failure("HTTP probe failed with statuscode: 500"));
    expect(await get("/out")).toMatchObject({ is: "success", warning: expect.stringContaining("elsewhere") });
    expect(await get("/loop")).toMatchObject({ is: "failure", message: expect.stringContaining("stopped after 10") });
  });

  it("fails where nobody listens", async () => {
    const port = await serve(() => {});
    await new Promise<void>((done) => void servers.pop()?.close(() => done()));
    expect(await look({ httpGet: { port: 80 } }, target(port))).toEqual(
      failure(`Get "http://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`),
    );
  });

  it("fails when its time is up", async () => {
    const clock = new VirtualClock();
    let isAsked = false;
    const port = await serve((request) => {
      isAsked = true;
      request.socket.unref();
    });
    const looking = probeOnce(
      { httpGet: { port: 80, path: "/slow" }, timeoutSeconds: 3 },
      target(port),
      clock,
      new AbortController().signal,
    );
    while (!isAsked) await turn();
    clock.advance(3_000);
    expect(await looking).toEqual(
      failure(
        `Get "http://127.0.0.1:${port}/slow": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
      ),
    );
  });

  it("that makes no sense is a failure like any other", async () => {
    const port = await serve((_, response) => response.end());
    const bad = { port: 80, httpHeaders: [{ name: "a b", value: "x" }] };
    expect(await look({ httpGet: bad }, target(port))).toMatchObject({ is: "failure" });
    expect(await look({}, target(port))).toMatchObject({
      is: "failure",
      message: expect.stringContaining("no handler"),
    });
  });
});

describe("a TCP probe", () => {
  it("succeeds when somebody listens", async () => {
    const port = await listen(createTcp());
    expect(await look({ tcpSocket: { port: 80 } }, target(port))).toEqual({ is: "success" });
  });

  it("fails when nobody does", async () => {
    const port = await listen(createTcp());
    await new Promise<void>((done) => void servers.pop()?.close(() => done()));
    expect(await look({ tcpSocket: { port: 80 } }, target(port))).toEqual(
      failure(`dial tcp 127.0.0.1:${port}: connect: connection refused`),
    );
  });
});

describe("a command as a probe", () => {
  const run = (exitCode: number) => target(1, async (command) => ({ exitCode, output: `ran ${command.join(" ")}` }));

  it("counts by its exit code, and says what it said", async () => {
    const exec = { command: ["check", "-v"] };
    expect(await look({ exec }, run(0))).toEqual({ is: "success" });
    expect(await look({ exec }, run(2))).toEqual(failure("ran check -v"));
  });

  it("fails when it cannot be run", async () => {
    expect(await look({ exec: { command: ["x"] } }, target(1))).toEqual(failure("nobody asks"));
  });
});

describe("a gRPC probe", () => {
  /** A health server that gives these bytes and this status. */
  async function health(status: string, serving?: number) {
    const asked: string[] = [];
    const server = createHttp2();
    server.on("stream", (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        asked.push(`${headers[":path"]} ${Buffer.concat(chunks).subarray(7).toString()}`);
        stream.respond({ "content-type": "application/grpc" }, { waitForTrailers: true });
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": status, "grpc-message": "why" }));
        stream.end(serving === undefined ? "" : Buffer.from([0, 0, 0, 0, 2, 8, serving]));
      });
    });
    return { port: await listen(server), asked };
  }

  it("succeeds when the service serves", async () => {
    const { port, asked } = await health("0", 1);
    expect(await look({ grpc: { port: 50_051, service: "shop" } }, target(port))).toEqual({ is: "success" });
    expect(asked).toEqual(["/grpc.health.v1.Health/Check shop"]);
  });

  it.each([
    ["0", 2, 'service unhealthy (responded with "NOT_SERVING")'],
    ["0", undefined, 'service unhealthy (responded with "UNKNOWN")'],
    ["12", undefined, "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): why"],
    ["5", undefined, "error: health rpc probe failed: status 5 why"],
  ])("fails with status %s and serving %s", async (status, serving, message) => {
    const { port } = await health(status, serving);
    expect(await look({ grpc: { port: 50_051 } }, target(port))).toEqual(failure(message));
  });

  it("fails when nobody listens", async () => {
    const port = await listen(createTcp());
    await new Promise<void>((done) => void servers.pop()?.close(() => done()));
    expect(await look({ grpc: { port: 1 } }, target(port))).toMatchObject({
      is: "failure",
      message: expect.stringContaining(`error: failed to connect service at "127.0.0.1:${port}"`),
    });
  });
});
