import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { TLSSocket } from "node:tls";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import {
  connectionTo,
  hasOpenssl,
  type Listening,
  listen,
  listenAndSay,
  listenAsProxy,
  listenAsSocks,
  type Pair,
  selfSigned,
} from "../test/sockets.ts";
import { createClient } from "./client.ts";
import { ConfigError, type Connection, type Tls } from "./connection.ts";
import { type HttpOptions, httpTransport } from "./http.ts";
import type { Headers, Request, Transport } from "./transport.ts";

const open: (Listening | Transport)[] = [];
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await ("stop" in it ? it.stop() : it.close());
});

async function serve(answer: RequestListener, tls?: Parameters<typeof listen>[1]): Promise<Listening> {
  const server = await listen(answer, tls);
  open.push(server);
  return server;
}

function transportTo(connection: Connection, options?: HttpOptions): Transport {
  const transport = httpTransport(connection, options);
  open.push(transport);
  return transport;
}

const get = (path: string, more: Partial<Request> = {}): Request => ({ method: "GET", path, headers: {}, ...more });

describe("connections", () => {
  it("are kept: one after the other takes one", async () => {
    const server = await serve((request, response) => response.end(request.url));
    const transport = transportTo(connectionTo(server.url));
    for (let i = 0; i < 20; i += 1) expect(await (await transport.send(get(`/x?i=${i}`))).text()).toBe(`/x?i=${i}`);
    expect(server.count()).toBe(1);
  });

  it("that the server has ended are not used again", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/last") response.setHeader("connection", "close");
      response.end("ok");
      if (request.url === "/cut") response.once("close", () => request.socket.destroy());
    });
    const transport = transportTo(connectionTo(server.url));
    for (const path of ["/", "/last", "/", "/cut"]) expect(await (await transport.send(get(path))).text()).toBe("ok");
    await server.idle();
    for (let i = 0; i < 3; i += 1) await turn(); // the news has to reach this side
    expect(await (await transport.send(get("/"))).text()).toBe("ok");
    expect(server.count()).toBe(3);
  });

  it("are not kept for ever", async () => {
    const server = await serve((_, response) => response.end("ok"));
    const transport = transportTo(connectionTo(server.url), { keepAlive: 20 });
    await transport.send(get("/"));
    await server.idle();
    await transport.send(get("/"));
    expect(server.count()).toBe(2);
  });

  it("are waited for only as long as somebody wants one", async () => {
    let taken = () => {};
    const isTaken = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const server = await serve((request, response) => (request.url === "/hangs" ? taken() : response.end("ok")));
    const transport = transportTo(connectionTo(server.url), { connections: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const hangs = expect(transport.send(get("/hangs", { signal: first.signal }))).rejects.toThrow("first");
    const waits = expect(transport.send(get("/", { signal: second.signal }))).rejects.toThrow("second");
    const last = transport.send(get("/"));
    second.abort(new Error("second"));
    await waits;
    await isTaken;
    first.abort(new Error("first"));
    await hangs;
    expect(await (await last).text()).toBe("ok");
    expect(server.count()).toBe(2);
  });

  it("that waited for a reader go on for the next", async () => {
    const server = await serve((_, response) => response.end(Buffer.alloc(1_000_001, "a")));
    const transport = transportTo(connectionTo(server.url), { streams: 1 });
    const unread = await transport.send(get("/", { stream: true }));
    const next = await transport.send(get("/", { stream: true }));
    expect((await next.text()).length).toBe(1_000_001);
    expect((await unread.text()).length).toBe(1_000_001);
    expect(server.count()).toBe(1);
  });

  it("wait for a slow reader, who misses nothing", async () => {
    const part = Buffer.alloc(1_000_000, "a");
    const server = await serve(async (_, response) => {
      for (let i = 0; i < 20; i += 1) if (!response.write(part)) await once(response, "drain");
      response.end();
    });
    const transport = transportTo(connectionTo(server.url));
    const response = await transport.send(get("/", { stream: true }));
    let length = 0;
    for await (const chunk of response.chunks()) {
      length += chunk.length;
      await turn();
    }
    expect(length).toBe(20_000_000);
    expect(await (await transport.send(get("/", { stream: true }))).text()).toHaveLength(20_000_000);
  });

  it("are bounded: very many at a time take only as many as allowed", async () => {
    const server = await serve((_, response) => response.end("ok"));
    const transport = transportTo(connectionTo(server.url), { connections: 3 });
    const answers = Array.from({ length: 50 }, async () => (await transport.send(get("/"))).text());
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["ok"]));
    expect(server.count()).toBeLessThanOrEqual(3);
  });

  it("of streams are others: they leave the short requests theirs", async () => {
    const server = await serve((request, response) => {
      response.write("begun\n");
      if (request.url === "/short") response.end();
    });
    const transport = transportTo(connectionTo(server.url), { connections: 1 });
    for (let i = 0; i < 5; i += 1) expect((await transport.send(get("/watch", { stream: true }))).status).toBe(200);
    expect(await (await transport.send(get("/short"))).text()).toBe("begun\n");
    expect(server.count()).toBe(6);
  });

  it("end with the transport, streams included", async () => {
    const server = await serve((_, response) => response.write("begun\n"));
    const transport = transportTo(connectionTo(server.url));
    const chunks = (await transport.send(get("/watch", { stream: true }))).chunks()[Symbol.asyncIterator]();
    await chunks.next();
    const next = expect(chunks.next()).rejects.toMatchObject({ step: "body" });
    await transport.close();
    await next;
    await expect(transport.send(get("/"))).rejects.toThrow("sends no more");
  });
});

describe("a request", () => {
  it("carries its body, a path in front of the server's, and headers of several values as several lines", async () => {
    const seen: unknown[] = [];
    const server = await serve(async (request, response) => {
      const body: unknown[] = [];
      for await (const chunk of request.setEncoding("utf8")) body.push(chunk);
      const groups = request.rawHeaders.filter((_, i) => /^impersonate-group$/i.test(request.rawHeaders[i - 1] ?? ""));
      seen.push(request.method, request.url, body.join(""), groups);
      response.end("{}");
    });
    const identity = async (): Promise<Headers> => ({ "impersonate-group": ["dev", "ops, all"] });
    const transport = transportTo(connectionTo(`${server.url}/k8s/c1/`, { identity }));
    await transport.send({ method: "POST", path: "/api?a=b", headers: {}, body: "hello" });
    expect(seen).toEqual(["POST", "/k8s/c1/api?a=b", "hello", ["dev", "ops, all"]]);
  });

  it("that was not believed is sent once more with a renewed token, and only with that", async () => {
    const tokens: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      tokens.push(request.headers.authorization);
      response.writeHead(request.headers.authorization === "new" ? 200 : 401).end("{}");
    });
    let token = "old";
    const next = ["new", "old"];
    const connection = connectionTo(server.url, {
      identity: async () => ({ authorization: token }),
      forget() {
        token = next.shift() ?? token;
        return true;
      },
    });
    const transport = transportTo(connection);
    expect((await transport.send(get("/"))).status).toBe(200);
    token = "old";
    expect((await transport.send(get("/"))).status).toBe(401);
    expect(tokens).toEqual(["old", "new", "old"]);
  });

  it("ends with its signal, before the answer and within it", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/body") response.write("a");
    });
    const transport = transportTo(connectionTo(server.url));
    const reason = new Error("enough");
    const before = new AbortController();
    const sent = expect(transport.send(get("/", { signal: before.signal }))).rejects.toBe(reason);
    before.abort(reason);
    await sent;
    const within = new AbortController();
    const response = await transport.send(get("/body", { signal: within.signal, stream: true }));
    const read = expect(response.text()).rejects.toBe(reason);
    const whole = expect(transport.send(get("/body", { signal: within.signal }))).rejects.toBe(reason);
    within.abort(reason);
    await Promise.all([read, whole]);
  });
});

describe("a failure names its step", () => {
  it.each<[string, string, boolean, RequestListener]>([
    ["the server hangs up without an answer", "exchange", true, (request) => request.socket.destroy()],
    [
      "the answer breaks off",
      "body",
      true,
      (_, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write("half", () => response.destroy());
      },
    ],
  ])("%s", async (_name, step, sent, answer) => {
    const server = await serve(answer);
    const transport = transportTo(connectionTo(server.url));
    const read = transport.send(get("/")).then((response) => response.text());
    await expect(read).rejects.toMatchObject({ name: "ConnectionError", step, sent });
  });

  it("nobody listens", async () => {
    const server = await listen(() => {});
    await server.stop();
    const read = transportTo(connectionTo(server.url)).send(get("/"));
    await expect(read).rejects.toMatchObject({ step: "connect", sent: false });
  });

  it("no credentials", async () => {
    const identity = () => Promise.reject(new ConfigError("/f", "tokenFile", "it is gone", "write it"));
    const read = transportTo(connectionTo("http://127.0.0.1:1", { identity })).send(get("/"));
    await expect(read).rejects.toMatchObject({
      step: "credentials",
      message: expect.stringContaining("/f: tokenFile"),
    });
  });

  it.each([
    ["refuses", "HTTP/1.1 407 Who\r\n\r\n", "http", /it does not connect to cluster.test:6443: HTTP\/1.1 407 Who/],
    ["wants a password", Uint8Array.of(5, 255), "socks5", /it wants a name and a password/],
    ["hangs up", "", "http", /closed the connection/],
    ["says more", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "http", /it says more than it was asked/],
    ["has a code that is none", "HTTP/1.1 2000 OK\r\n\r\n", "http", /it does not connect to cluster.test:6443/],
    ["speaks another SOCKS", Uint8Array.of(4, 0), "socks5", /it answers with version 4, not 5/],
    ["speaks no SOCKS", "HTTP/1.1 400 Bad\r\n\r\n", "socks5", /it answers with version 72, not 5/],
    ["says more by SOCKS", Uint8Array.of(5, 0, 5), "socks5", /it says more than it was asked/],
    [
      "changes its SOCKS",
      [Uint8Array.of(5, 0), Uint8Array.of(4, 0, 0, 1, 0, 0, 0, 0, 0, 0)],
      "socks5",
      /version 4, not 5/,
    ],
    [
      "signs in by another version",
      [Uint8Array.of(5, 2), Uint8Array.of(5, 0)],
      "socks5://jane:x",
      /it answers with version 5, not 1/,
    ],
    ["has an unknown address", [Uint8Array.of(5, 0), Uint8Array.of(5, 0, 0, 2, 0)], "socks5", /that is no SOCKS/],
    ["has something reserved", [Uint8Array.of(5, 0), Uint8Array.of(5, 0, 1, 1, 0)], "socks5", /that is no SOCKS/],
    [
      "says more behind its address",
      [Uint8Array.of(5, 0), Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7)],
      "socks5",
      /it says more than it was asked/,
    ],
  ])("a proxy that %s", async (_what, answer, scheme, message) => {
    const proxy = await listenAndSay(Array.isArray(answer) ? answer : [answer as string | Uint8Array], []);
    open.push(proxy);
    const at = `127.0.0.1:${proxy.port}`;
    const url = scheme.includes("://") ? `${scheme}@${at}` : `${scheme}://${at}`;
    const connection = connectionTo("http://cluster.test:6443", { proxy: url });
    const failed = { name: "ConnectionError", step: expect.stringMatching(/proxy|connect/), sent: false };
    await expect(transportTo(connection).send(get("/"))).rejects.toMatchObject({
      ...failed,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ["no URL", "http://jane:secret@[", "proxy: [ is no URL"],
    ["one that nobody knows", "ftp://127.0.0.1:1", "use http, https or socks5"],
  ])("a proxy that is %s", async (_what, proxy, message) => {
    const sent = transportTo(connectionTo("http://cluster.test:6443", { proxy })).send(get("/"));
    await expect(sent).rejects.toMatchObject({ step: "proxy", message: expect.stringContaining(message) });
  });
});

it.each([
  ["HTTP", listenAsProxy],
  ["SOCKS 5", listenAsSocks],
])("goes through a proxy by %s", async (_name, listenAs) => {
  const asked: string[] = [];
  const server = await serve((request, response) => response.end(request.url));
  const proxy = await listenAs(server.port, asked);
  open.push(proxy);
  const transport = transportTo(connectionTo("http://cluster.test:6443", { proxy: proxy.url }));
  expect(await (await transport.send(get("/a"))).text()).toBe("/a");
  expect(await (await transport.send(get("/b"))).text()).toBe("/b");
  expect(new Set(asked)).toEqual(new Set(["cluster.test:6443"]));
});

it.each([
  [
    "HTTP",
    "http",
    ["HTTP/1.1 200 OK\r\n\r\n"],
    ["CONNECT cluster.test:80 HTTP/1.1\r\n", "proxy-authorization: Basic amFuZTphIGI=\r\n"],
  ],
  [
    "SOCKS 5",
    "socks5",
    [Uint8Array.of(5, 2), Uint8Array.of(1, 0), Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0)],
    ["\x05\x02\x00\x02", "\x01\x04jane\x03a b", "\x05\x01\x00\x03\x0ccluster.test\x00P"],
  ],
])("signs in to a proxy by %s", async (_name, scheme, answers, said) => {
  const heard: string[] = [];
  const proxy = await listenAndSay([...answers, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"], heard);
  open.push(proxy);
  const connection = connectionTo("http://cluster.test", { proxy: `${scheme}://jane:a%20b@127.0.0.1:${proxy.port}` });
  expect(await (await transportTo(connection).send(get("/x"))).text()).toBe("ok");
  for (const text of said) expect(heard.join("")).toContain(text);
});

it.each([
  ["cluster.test", "\x03\x0ccluster.test"],
  ["192.0.2.7", "\x01\xc0\x00\x02\x07"],
  ["[2001:db8::7]", "\x04\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07"],
  ["[::1]", `\x04${"\x00".repeat(15)}\x01`],
  ["[1:2:3:4:5:6:7:8]", "\x04\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00\x08"],
])("names %s to a proxy by SOCKS 5", async (host, said) => {
  const heard: string[] = [];
  const answers = [Uint8Array.of(5, 0), Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0)];
  const proxy = await listenAndSay([...answers, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"], heard);
  open.push(proxy);
  const connection = connectionTo(`http://${host}:6443`, { proxy: `socks5://127.0.0.1:${proxy.port}` });
  expect(await (await transportTo(connection).send(get("/x"))).text()).toBe("ok");
  expect(heard[1]).toBe(`\x05\x01\x00${said}\x19\x2b`);
});

describe("a server that says too much", () => {
  /** Says one byte or more for ever, and counts what it got rid of. */
  const endlessly = async (head: string, again: string) => {
    const server = await serve(async ({ socket }) => {
      socket.write(head);
      const part = Buffer.from(again.repeat(Math.ceil(65_536 / again.length)));
      while (!socket.destroyed)
        if (!socket.write(part)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    });
    const transport = transportTo(connectionTo(server.url), { maxBodyBytes: 1_000_000, maxLineBytes: 2_000_000 });
    const attempts: unknown[] = [];
    const onAttempt = ({ error }: { error?: unknown }) => attempts.push(error);
    const client = createClient({ transport, clock: new VirtualClock(), random: seededRandom(1), onAttempt });
    return { client, attempts };
  };

  it("in one answer is told the limit, and not asked again", async () => {
    const { client, attempts } = await endlessly("HTTP/1.1 200 OK\r\n\r\n", "a");
    await expect(client.list(ConfigMap)).rejects.toThrow(
      "GET /api/v1/configmaps: an answer of more than 1000000 bytes; ask for less at a time, or raise maxBodyBytes",
    );
    expect(attempts).toHaveLength(1);
  });

  it("in a line of a watch is told the limit", async () => {
    const { client } = await endlessly("HTTP/1.1 200 OK\r\n\r\n", "a");
    const next = client.watch(ConfigMap)[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ name: "StreamError", fault: "oversized" });
    await expect(next).rejects.toThrow(
      "GET /api/v1/configmaps?watch=true&allowWatchBookmarks=true: a line of more than 2000000 bytes; if the server has such objects, raise maxLineBytes",
    );
  });

  it("in a refusal of a watch is told the limit", async () => {
    const { client } = await endlessly("HTTP/1.1 403 No\r\n\r\n", "a");
    const next = client.watch(ConfigMap)[Symbol.asyncIterator]().next();
    await expect(next).rejects.toThrow("an answer of more than 1000000 bytes");
  });

  it("may do so in many lines", async () => {
    const line = `${JSON.stringify({ type: "ADDED", object: { metadata: { name: "x".repeat(999) } } })}\n`;
    const { client } = await endlessly("HTTP/1.1 200 OK\r\n\r\n", line);
    let seen = 0;
    for await (const { type } of client.watch(ConfigMap)) {
      if (type === "ADDED") seen += 1;
      if (seen === 4000) break;
    }
    expect(seen).toBe(4000);
  });
});

it("carries a watch over a socket, to the line that was cut", async () => {
  const line = JSON.stringify({ type: "ADDED", object: { metadata: { name: "ä" } } });
  const bytes = Buffer.from(`${line}\n${line}\n{"type`);
  const server = await serve((_, response) => {
    const parts = [bytes.subarray(0, 45), bytes.subarray(45)];
    response.write(parts[0], () => response.end(parts[1]));
  });
  const transport = transportTo(connectionTo(server.url));
  const client = createClient({ transport, clock: new VirtualClock(), random: seededRandom(1) });
  const names: (string | undefined)[] = [];
  const read = async () => {
    for await (const { object } of client.watch(ConfigMap)) names.push(object.metadata?.name);
  };
  await expect(read()).rejects.toMatchObject({ name: "StreamError", fault: "cut" });
  expect(names).toEqual(["ä", "ä"]);
});

describe.skipIf(!hasOpenssl)("TLS", () => {
  const names = (): RequestListener => (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(subject?.CN ?? "nobody");
  };
  const pairs = { server: pairOf("kube.test"), jane: pairOf("jane"), joe: pairOf("joe") };

  function pairOf(name: string): () => Pair {
    let made: Pair | undefined;
    return () => {
      made ??= selfSigned(name);
      return made;
    };
  }

  async function secure(tls: () => Tls) {
    const { cert, key } = pairs.server();
    const ca = [pairs.jane().cert, pairs.joe().cert];
    const server = await serve(names(), { cert, key, ca, requestCert: true, rejectUnauthorized: false });
    return { server, transport: transportTo(connectionTo(server.url, { tls: async () => tls() })) };
  }

  it("trusts the given authority under the given name", async () => {
    const tls = { ca: pairs.server().cert, serverName: "kube.test" };
    const { transport } = await secure(() => tls);
    expect(await (await transport.send(get("/"))).text()).toBe("nobody");
  });

  it.each<[string, () => Tls]>([
    ["an unknown authority", () => ({ serverName: "kube.test" })],
    ["another authority", () => ({ ca: pairs.jane().cert, serverName: "kube.test" })],
    ["another name", () => ({ ca: pairs.server().cert })],
  ])("does not trust %s, and says so before anything is sent", async (_name, make) => {
    const tls = make();
    const { transport } = await secure(() => tls);
    await expect(transport.send(get("/"))).rejects.toMatchObject({ step: "tls", sent: false });
  });

  it("trusts anyone only when told to", async () => {
    const tls: Tls = { insecure: true };
    const { transport } = await secure(() => tls);
    expect((await transport.send(get("/"))).status).toBe(200);
  });

  it("shows a client's certificate, and after a rotation the new one on new connections", async () => {
    const base = { ca: pairs.server().cert, serverName: "kube.test" };
    let tls: Tls = { ...base, ...pairs.jane() };
    const { server, transport } = await secure(() => tls);
    const who = async () => (await transport.send(get("/"))).text();
    expect([await who(), await who()]).toEqual(["jane", "jane"]);
    const before = server.count();
    tls = { ...base, ...pairs.joe() };
    expect([await who(), await who(), server.count() > before]).toEqual(["joe", "joe", true]);
  });

  it.each([
    ["HTTP", listenAsProxy],
    ["SOCKS 5", listenAsSocks],
  ])("goes through a proxy by %s to the server's own certificate", async (_name, listenAs) => {
    const { server } = await secure(() => ({}));
    const asked: string[] = [];
    const proxy = await listenAs(server.port, asked);
    open.push(proxy);
    const tls: Tls = { ca: pairs.server().cert, serverName: "kube.test", ...pairs.jane() };
    const connection = connectionTo("https://cluster.test:6443", { proxy: proxy.url, tls: async () => tls });
    expect(await (await transportTo(connection).send(get("/"))).text()).toBe("jane");
    expect(asked).toEqual(["cluster.test:6443"]);
  });
});
