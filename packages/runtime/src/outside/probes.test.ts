import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { VirtualClock } from "@telltale/clock";
import { afterEach, describe, expect, it } from "vitest";
import { answer, type Check, type ProbeOptions, type Probes, type Served, startProbes } from "./probes.ts";

const fine: Check = { name: "cache-pods", live: () => undefined, ready: () => undefined };
const unready: Check = { name: "lease", ready: () => "nobody holds it" };

const ask = async (url: string, checks: readonly Check[] = [fine], method = "GET") =>
  answer(method, url, { checks: () => checks });

describe("a probe", () => {
  it("is ok when nothing is wrong", async () => {
    expect(await ask("/healthz")).toMatchObject({ status: 200, body: "ok" });
    expect(await ask("/readyz")).toMatchObject({ status: 200, body: "ok" });
  });

  it("names every check when asked to", async () => {
    const checks = [fine, { name: "passes", live: () => undefined }];
    expect((await ask("/healthz?verbose", checks)).body).toBe("[+]cache-pods ok\n[+]passes ok\nhealthz check passed\n");
    expect((await ask("/readyz?a=b&verbose=1", checks)).body).toBe("[+]cache-pods ok\nreadyz check passed\n");
    expect((await ask("/readyz?verbosely", checks)).body).toBe("ok");
  });

  it("fails with what is wrong, and alive is not ready", async () => {
    expect(await ask("/readyz", [fine, unready])).toMatchObject({
      status: 500,
      body: "[+]cache-pods ok\n[-]lease failed: nobody holds it\nreadyz check failed\n",
    });
    expect((await ask("/healthz", [fine, unready])).status).toBe(200);
  });

  it("fails when a check throws", async () => {
    const broken = () => {
      throw new Error("no gauge");
    };
    const { status, body } = await ask("/healthz", [{ name: "a", live: broken }, fine]);
    expect([status, body]).toEqual([
      500,
      "[-]a failed: the check itself failed: no gauge\n[+]cache-pods ok\nhealthz check failed\n",
    ]);
    expect((await answer("GET", "/readyz", { checks: broken })).status).toBe(500);
  });

  it("asks anew each time", async () => {
    let wrong: string | undefined = "not yet";
    const checks = [{ name: "a", ready: () => wrong }];
    expect((await ask("/readyz", checks)).status).toBe(500);
    wrong = undefined;
    expect((await ask("/readyz", checks)).status).toBe(200);
  });
});

describe("requests", () => {
  it.each(["POST", "PUT", "DELETE", "OPTIONS", ""])("%s is refused", async (method) => {
    expect(await ask("/healthz", [fine], method)).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });

  it.each(["/", "", "/healthz/", "//healthz", "/metrics", "/%ff", "/../healthz", "?verbose"])(
    "%o is not here",
    async (url) => {
      expect((await ask(url)).status).toBe(404);
    },
  );

  it("metrics come as they are, and a failure to read them is said", async () => {
    const metrics = { text: async () => "a 1\n", contentType: "text/plain; version=0.0.4" };
    expect(await answer("GET", "/metrics", { metrics })).toMatchObject({
      status: 200,
      body: "a 1\n",
      headers: { "content-type": "text/plain; version=0.0.4" },
    });
    const text = () => Promise.reject(new Error("no gauge"));
    expect(await answer("GET", "/metrics", { metrics: { ...metrics, text } })).toMatchObject({
      status: 500,
      body: "the metrics could not be read: no gauge\n",
    });
    expect((await answer("GET", "/healthz", { metrics })).status).toBe(404);
  });
});

describe("a server", () => {
  const open: Probes[] = [];
  afterEach(async () => {
    for (const probes of open.splice(0)) await probes.close();
  });

  async function start(options: Partial<ProbeOptions> & Served = { checks: () => [fine] }) {
    const clock = new VirtualClock();
    const probes = await startProbes({ listen: { port: 0 }, clock, ...options });
    open.push(probes);
    return { probes, clock, port: probes.address?.port ?? 0 };
  }

  const sent = (call: ClientRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      call.on("response", resolve).on("error", reject).end();
    });

  async function get(port: number, path: string, method = "GET") {
    const response = await sent(request({ port, host: "127.0.0.1", path, method, agent: false }));
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode, body, length: response.headers["content-length"] };
  }

  /** What is answered to bytes that are no request. */
  const raw = (port: number, bytes: string) =>
    new Promise<string>((resolve) => {
      let text = "";
      const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(bytes));
      socket.on("data", (chunk) => {
        text += String(chunk);
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
    });

  it("listens on loopback unless told otherwise, and answers", async () => {
    const { probes, port } = await start();
    expect(probes.address?.host).toBe("127.0.0.1");
    expect(await get(port, "/healthz")).toEqual({ status: 200, body: "ok", length: "2" });
    expect(await get(port, "/healthz", "HEAD")).toEqual({ status: 200, body: "", length: "2" });
    expect((await get(port, "/healthz", "POST")).status).toBe(405);
  });

  it("survives whatever is thrown at it", async () => {
    const { port } = await start();
    expect(await raw(port, "\0\0\0 nonsense\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(port, `GET /${"x".repeat(100_000)} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await raw(port, `GET /healthz HTTP/1.1\r\nh: ${"x".repeat(100_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await raw(port, "GET /%E0%A4%A HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 404 /,
    );
    expect(await raw(port, "GET http://[ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 4\d\d /,
    );
    expect((await get(port, "/healthz")).status).toBe(200);
  });

  it("closes at once where connections only idle", async () => {
    const { probes, port } = await start();
    const socket = connect({ port, host: "127.0.0.1" });
    const closed = new Promise((resolve) => socket.on("close", resolve).on("error", () => {}));
    socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    await probes.close();
    await closed;
    await expect(get(port, "/healthz")).rejects.toThrow(/ECONNREFUSED/);
    await probes.close();
  });

  it("finishes what it is asked while it closes, but does not wait for ever", async () => {
    /** A server that is asked for metrics, which come when somebody says so. */
    async function asked() {
      const started = Promise.withResolvers<void>();
      const ready = Promise.withResolvers<string>();
      const text = () => {
        started.resolve();
        return ready.promise;
      };
      const server = await start({ metrics: { text, contentType: "text/plain" } });
      const scrape = get(server.port, "/metrics").catch((error: Error) => error.message);
      await started.promise;
      return { ...server, scrape, ready };
    }
    const first = await asked();
    const closing = first.probes.close();
    first.ready.resolve("a 1\n");
    expect(await first.scrape).toMatchObject({ body: "a 1\n" });
    await closing;

    const second = await asked();
    const closed = second.probes.close();
    await second.clock.settle(5_000);
    await closed;
    expect(await second.scrape).toMatch(/socket hang up|ECONNRESET/);
  });

  it("says which address it could not have", async () => {
    const { port } = await start();
    await expect(start({ listen: { port } })).rejects.toThrow(
      `probes cannot listen on 127.0.0.1:${port}: somebody else listens there; choose another port`,
    );
  });

  it("may be off", async () => {
    const { probes } = await start({ listen: "off" });
    expect(probes.address).toBeUndefined();
    await probes.close();
  });
});
