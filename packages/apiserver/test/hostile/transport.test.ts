// Paths that try to lead elsewhere, and bytes that are no HTTP.
import { request } from "node:http";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startApiServer } from "../../src/index.ts";
import { configMaps, fault, json, send, server } from "./target.ts";

describe("paths", () => {
  test("dots, doubled and encoded slashes and rubbish lead nowhere else", async () => {
    const nowhere = [
      `${configMaps}/%2e%2e`,
      `${configMaps}/..`,
      `${configMaps}/seed%2fstatus`,
      "/api/v1/namespaces/default%2fconfigmaps/seed",
      "/api/v1;x=y/configmaps",
      "/api/v1/configmaps;x",
      `${configMaps}/%00`,
      `${configMaps}/%`,
      `${configMaps}/%ff`,
      "/api%2fv1/configmaps",
      "/api/v1/../v1/configmaps",
      "/x",
      `${configMaps}/${"x".repeat(100_000)}`,
      `/${"%41".repeat(30_000)}`,
      `/api/v1/${"a/".repeat(30_000)}`,
    ];
    for (const path of nowhere) {
      for (const method of ["GET", "DELETE"]) {
        const { status } = await send(method, path);
        expect([400, 404, 405], `${method} ${path.slice(0, 60)}`).toContain(status);
      }
      const { status } = await send("PUT", path, json, '{"metadata":{"name":"seed"}}');
      expect([400, 404, 405], `PUT ${path.slice(0, 60)}`).toContain(status);
    }
    const other = await send("GET", "/api/v1/namespaces/default%2F..%2Fdefault/configmaps");
    expect((JSON.parse(other.body) as { items?: unknown[] }).items ?? []).toEqual([]);
    expect(
      fault(await send("POST", "/api/v1/namespaces/%2e%2e/configmaps", json, '{"metadata":{"name":"never"}}')),
    ).toBe(404);
  });
});

describe("over the socket", () => {
  /** What comes back for raw bytes until the server closes, or until it has answered. */
  const raw = (bytes: string | Uint8Array): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(server.port ?? 0, "127.0.0.1");
      let heard = "";
      socket.setEncoding("latin1");
      socket.on("data", (chunk: string) => {
        heard += chunk;
        if (heard.includes("\r\n\r\n")) socket.end();
      });
      socket.on("error", () => {}); // a reset is an answer too
      socket.on("close", () => resolve(heard));
      socket.end(bytes);
    });

  const post = (
    path: string,
    body: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const out = request(
        {
          port: server.port,
          host: "127.0.0.1",
          path,
          method: "POST",
          headers: { "content-type": json, ...headers },
          agent: false,
        },
        (answer) => {
          readText(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
        },
      );
      out.on("error", () => {}); // the server need not read to the end
      out.end(body);
    });

  test("a body that is too long is 413, with and without its length told", async () => {
    const long = Buffer.alloc(1_500_000, 0x20);
    const told = await post(configMaps, long);
    expect(fault(told)).toBe(413);
    expect(fault(await post(configMaps, long, { "transfer-encoding": "chunked" }))).toBe(413);
  });

  test("random bytes instead of HTTP", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        const heard = await raw(bytes);
        if (heard !== "") expect(heard).toMatch(/^HTTP\/1\.1 [45]\d\d /);
      }),
      { numRuns: 60 },
    );
  }, 20_000);

  test("requests that are cut, smuggled or without a path", async () => {
    const end = "\r\nhost: x\r\nconnection: close\r\n\r\n";
    expect(await raw(`GET http://other/api/v1/configmaps HTTP/1.1${end}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(`GET ${"/x".repeat(100_000)} HTTP/1.1${end}`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await raw(`GET /version HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(100_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 4\d\d /,
    );
    expect(
      await raw(
        `POST ${configMaps} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 400 /);
    await raw(`POST ${configMaps} HTTP/1.1\r\nhost: x\r\ncontent-type: ${json}\r\ncontent-length: 5000\r\n\r\n{`);
    expect(await raw(`GET /version HTTP/1.1${end}`)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("a client that keeps the server waiting", () => {
  /** What comes back for these bytes until the server ends the connection; the client never does. */
  const ended = (port: number, bytes: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
      let heard = "";
      socket.setEncoding("latin1");
      socket.on("data", (chunk: string) => (heard += chunk));
      socket.on("error", () => {});
      socket.on("close", () => resolve(heard));
    });

  test("half a head and half a body are let go of; what is long once it was asked for goes on", async () => {
    const impatient = await startApiServer({
      listen: { tls: false },
      anonymous: true,
      authorization: "always-allow",
      requestTimeoutMs: 200,
    });
    const port = impatient.port ?? 0;
    const watch = connect(port, "127.0.0.1", () =>
      watch.write("GET /api/v1/configmaps?watch=true HTTP/1.1\r\nhost: x\r\n\r\n"),
    );
    watch.setEncoding("latin1");
    let seen = "";
    watch.on("data", (chunk: string) => (seen += chunk));
    const body = `POST ${configMaps} HTTP/1.1\r\nhost: x\r\ncontent-type: ${json}\r\ncontent-length: 500\r\n\r\n{`;
    expect(await ended(port, "GET /version HTTP/1.1\r\nhost: x\r\nx-")).toMatch(/^HTTP\/1\.1 408 /);
    expect(await ended(port, body)).toMatch(/^HTTP\/1\.1 408 /);
    expect(await ended(port, "")).toMatch(/^HTTP\/1\.1 408 /);
    expect(watch.closed).toBe(false);
    const told = new Promise<void>((resolve) => watch.on("data", () => seen.includes('"late"') && resolve()));
    await impatient.client({
      method: "POST",
      path: configMaps,
      headers: { "content-type": json },
      body: '{"metadata":{"name":"late"}}',
    });
    await told;
    watch.destroy();
    await impatient.stop();
  });
});

test("an extra of an impersonated user that is no percent encoding is answered like any other", async () => {
  const headers = { "impersonate-user": "u", "impersonate-extra-%zz": "a", "impersonate-extra-a%2fb": "c" };
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const answer = await server.client({ method: "POST", path, headers: { ...headers, "content-type": json }, body });
  expect(answer.status).toBe(201);
  expect(JSON.parse(answer.body)).toMatchObject({ status: { userInfo: { extra: { "%zz": ["a"], "a/b": ["c"] } } } });
});
