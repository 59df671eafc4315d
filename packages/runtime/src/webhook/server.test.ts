import { once } from "node:events";
import { createServer } from "node:net";
import tls from "node:tls";
import { newIssuer } from "@telltale/certificates";
import { seededRandom, systemClock, systemRandom, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { armed, type Caller, caller, raw, rest } from "../../test/webhook/sockets.ts";
import { admissionReview, Widget, widget } from "../../test/webhook/widget.ts";
import type { Sample } from "../samples.ts";
import { type CertificateFeed, certificateFeed, type Served } from "./certificate-feed.ts";
import type { Verdict } from "./hooks.ts";
import { serveWebhooks, type WebhookServer } from "./server.ts";
import { webhooks } from "./webhooks.ts";

const lasts = 24 * 3_600_000;
const issuer = newIssuer({ clock: systemClock, random: systemRandom }, { name: "ca", lasts }); // handshakes look at the system's time
const issued = (): Served => ({
  ...issuer.server({ name: "s", names: [], addresses: ["127.0.0.1"], lasts }),
  ca: issuer.cert,
});
const path = "/validate-example-com-v2-widget";
const review = admissionReview({ object: widget({ size: 1 }) });

let clock: VirtualClock;
let samples: Sample[];
let verdict: () => Verdict | Promise<Verdict>;
let served: () => Promise<Served>;
let feed: CertificateFeed;
let server: WebhookServer | undefined;
let client: Caller;
beforeEach(() => {
  clock = new VirtualClock();
  samples = [];
  verdict = () => ({});
  const first = issued();
  served = async () => first;
  feed = certificateFeed({ clock: new VirtualClock(), random: seededRandom(1), every: 60_000, look: () => served() });
  client = caller(
    () => server?.port ?? 0,
    () => issuer.cert,
  );
});
afterEach(async () => {
  client.close();
  const closed = server?.close();
  clock.advance(60_000);
  await closed;
  server = undefined;
  await feed.stop();
});

const hooks = () => webhooks({ clock, sink: (sample) => samples.push(sample) }).validate(Widget, () => verdict());
async function start(): Promise<void> {
  server = await serveWebhooks({ hooks: hooks(), certificates: feed, clock, listen: { host: "127.0.0.1", port: 0 } });
}
const message = (body: string) => (JSON.parse(body) as { message?: string }).message;

describe("the webhook server", () => {
  it("answers reviews over TLS, whatever the query, on one connection", async () => {
    await start();
    const first = await client.post(`${path}?timeout=5s`, review);
    expect([first.status, first.headers["content-type"], JSON.parse(first.body)]).toEqual([
      200,
      "application/json",
      { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid: "r-1", allowed: true } },
    ]);
    await client.post(path, review);
    expect(client.seen).toHaveLength(1);
    expect(samples).toEqual([
      { is: "webhook", path, code: 200, took: 0 },
      { is: "webhook", path, code: 200, took: 0 },
    ]);
  });

  it.for<[string, number, string, object]>([
    ["another method", 405, "PUT is not allowed; reviews are sent by POST", { method: "PUT" }],
    [
      "another type",
      415,
      '"text/plain" is not understood; send application/json',
      { headers: { "content-type": "text/plain" } },
    ],
    ["no type", 415, '"" is not understood', { headers: {} }],
    [
      "an encoding",
      415,
      'content encoding "gzip" is not understood',
      { headers: { "content-type": "application/json", "content-encoding": "gzip" } },
    ],
  ])("refuses %s with %d, and goes on", async ([, status, told, options]) => {
    await start();
    const refused = await client.post(path, review, options);
    expect([refused.status, message(refused.body)]).toEqual([status, expect.stringContaining(`${path}: ${told}`)]);
    expect((await client.post(path, review)).status).toBe(200);
    expect(samples).toMatchObject([{ path, code: status }, { code: 200 }]);
    expect(client.seen).toHaveLength(1);
  });

  it("says that a path is not there", async () => {
    await start();
    const { status, body } = await client.post("/x", review);
    expect([status, message(body)]).toEqual([404, `no webhook is at /x; there are ${path}`]);
  });

  it("takes sixteen mebibytes and not a byte more, with or without a length", async () => {
    await start();
    const full = Buffer.alloc(16 * 2 ** 20, 0x20);
    full.write(review);
    expect((await client.post(path, full)).status).toBe(200);
    const over = Buffer.concat([full, Buffer.from(" ")]);
    const refused = await client.post(path, over);
    expect([refused.status, message(refused.body)]).toEqual([413, `${path}: the body is longer than 16777216 bytes`]);
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    expect((await client.post(path, over, { headers })).status).toBe(413);
    expect((await client.post(path, review)).status).toBe(200);
  });

  it("does not wait for a body for ever", async () => {
    await start();
    const socket = await raw(server?.port ?? 0, issuer.cert);
    socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
    await armed(clock);
    clock.advance(4_999);
    expect(samples).toEqual([]);
    clock.advance(1);
    const said = await rest(socket);
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(said).toContain("the body did not arrive within 5000 ms");
    expect((await client.post(path, review)).status).toBe(200);
  });

  it("does not mind who goes away, or speaks no HTTP", async () => {
    await start();
    const gone = await raw(server?.port ?? 0, issuer.cert);
    gone.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
    await armed(clock);
    gone.destroy();
    const odd = await raw(server?.port ?? 0, issuer.cert);
    odd.write("hello?\r\n\r\n");
    expect(await rest(odd)).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect((await client.post(path, review)).status).toBe(200);
  });

  it("speaks TLS 1.2 and newer only, whatever the process is set to, also after a new certificate", async () => {
    const defaults = { ciphers: tls.DEFAULT_CIPHERS, version: tls.DEFAULT_MIN_VERSION };
    tls.DEFAULT_CIPHERS = "DEFAULT:@SECLEVEL=0"; // else OpenSSL itself refuses what is older
    tls.DEFAULT_MIN_VERSION = "TLSv1";
    onTestFinished(() => {
      tls.DEFAULT_CIPHERS = defaults.ciphers;
      tls.DEFAULT_MIN_VERSION = defaults.version;
    });
    await start();
    const spoken = async (version: tls.SecureVersion) => {
      const socket = await raw(server?.port ?? 0, issuer.cert, { minVersion: version, maxVersion: version });
      const protocol = socket.getProtocol();
      socket.destroy();
      return protocol;
    };
    for (const next of [issued(), issued()]) {
      await expect(spoken("TLSv1.1")).rejects.toThrow(/protocol version/);
      expect([await spoken("TLSv1.2"), await spoken("TLSv1.3")]).toEqual(["TLSv1.2", "TLSv1.3"]);
      served = async () => next;
      await feed.check();
    }
  });

  it("serves a new certificate to new connections, and leaves the open ones be", async () => {
    await start();
    await client.post(path, review);
    const next = issued();
    served = async () => next;
    await feed.check();
    await client.post(path, review);
    const later = caller(
      () => server?.port ?? 0,
      () => issuer.cert,
    );
    await later.post(path, review);
    later.close();
    expect([client.seen.length, later.seen.length]).toEqual([1, 1]);
    expect(later.seen).not.toEqual(client.seen);
  });
});

describe("the end of the webhook server", () => {
  it("lets what is under way be answered, and takes nothing new", async () => {
    await start();
    await client.post(path, review); // now idle
    let finish = () => {};
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    verdict = () => {
      asked();
      return new Promise((resolve) => (finish = () => resolve({ denied: "late" })));
    };
    const late = client.post(path, review);
    await arrived;
    const port = server?.port ?? 0;
    const closed = server?.close();
    await expect(raw(port, issuer.cert)).rejects.toThrow("ECONNREFUSED");
    finish();
    const { body, headers } = await late;
    expect([JSON.parse(body), headers["connection"]]).toMatchObject([{ response: { allowed: false } }, "close"]);
    await closed;
    server = undefined;
  });

  it("cuts what takes longer than its patience", async () => {
    await start();
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    verdict = () => {
      asked();
      return new Promise(() => {});
    };
    const late = client.post(path, review).catch((error: Error) => error.message);
    await arrived;
    const closed = server?.close();
    clock.advance(4_999);
    clock.advance(1);
    await closed;
    expect(await late).toBe("socket hang up");
    server = undefined;
  });
});

describe("the start of the webhook server", () => {
  it("opens nothing at all where it is told so, and needs no certificate", async () => {
    const off = await serveWebhooks({ listen: false });
    expect(off.port).toBeUndefined();
    await off.close();
  });

  it("waits for the first certificate", async () => {
    const first = issued();
    served = async () => {
      throw new Error("tls.crt is missing");
    };
    await feed.stop();
    feed = certificateFeed({ clock: new VirtualClock(), random: seededRandom(1), every: 60_000, look: () => served() });
    await feed.check();
    const starting = start();
    await armed(clock);
    expect(server).toBeUndefined();
    served = async () => first;
    await feed.check();
    await starting;
    expect((await client.post(path, review)).status).toBe(200);
  });

  it("gives up after a while, and says what is missing", async () => {
    served = async () => {
      throw new Error("tls.crt is missing");
    };
    await feed.stop();
    feed = certificateFeed({ clock: new VirtualClock(), random: seededRandom(1), every: 60_000, look: () => served() });
    await feed.check();
    const starting = start();
    await armed(clock);
    clock.advance(120_000);
    await expect(starting).rejects.toThrow(
      "webhooks are not served: there is no certificate after 120000 ms: tls.crt is missing",
    );
  });

  it("waits no longer once it is told to end", async () => {
    served = async () => {
      throw new Error("tls.crt is missing");
    };
    await feed.stop();
    feed = certificateFeed({ clock: new VirtualClock(), random: seededRandom(1), every: 60_000, look: () => served() });
    await feed.check();
    const stop = new AbortController();
    const starting = serveWebhooks({ hooks: hooks(), certificates: feed, clock, signal: stop.signal });
    await armed(clock);
    stop.abort(new Error("enough"));
    await expect(starting).rejects.toThrow("enough");
    expect(clock.next()).toBeUndefined(); // no timer is left
    await expect(serveWebhooks({ hooks: hooks(), certificates: feed, clock, signal: stop.signal })).rejects.toThrow(
      "enough",
    );
  });

  it("says that its port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    await expect(
      serveWebhooks({ hooks: hooks(), certificates: feed, clock, listen: { host: "127.0.0.1", port } }),
    ).rejects.toThrow("EADDRINUSE");
    other.close();
  });
});
