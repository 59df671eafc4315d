// Webhooks end to end with the embedded API server: over TLS by URL and caBundle, and as functions in this process.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, systemClock, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { Namespace } from "@telltale/kinds/builtin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CertificateFeed } from "../../src/webhook/certificate-feed.ts";
import { type CertificatesOptions, certificates } from "../../src/webhook/secret-certificates.ts";
import { serveWebhooks, type WebhookServer } from "../../src/webhook/server.ts";
import type { Webhooks } from "../../src/webhook/webhooks.ts";
import { type Caller, caller } from "./sockets.ts";
import { define, everything, make, publish, register, table } from "./story.ts";
import { admissionReview, widget } from "./widget.ts";

const day = 24 * 3_600_000;
let clock: VirtualClock;
let server: ApiServer;
let client: Client;
let hooks: Webhooks;
let warnings: string[];

async function start(): Promise<void> {
  // A handshake looks at the system's time: the certificates of each day of a test have to hold today.
  clock = new VirtualClock(instant(systemClock.now() - 85 * day));
  hooks = table(clock);
  server = await startApiServer({
    listen: false,
    controllers: "none",
    clock,
    random: seededRandom(1),
    webhookResolver: ({ path }) => hooks.local(path),
  });
  warnings = [];
  client = createClient({
    transport: inProcessTransport(server.client),
    clock,
    random: seededRandom(2),
    onWarning: (text) => warnings.push(text),
  });
  await client.create(Namespace, { metadata: { name: "web" } });
  await client.create(Namespace, { metadata: { name: "ops" } });
}

describe("webhooks in the server's own process", () => {
  beforeEach(start);
  afterEach(() => server.stop());

  it("validate, change, convert and keep the rules of status without a socket", async () => {
    const at = { service: { namespace: "ops", name: "hooks" } };
    await define(client, hooks, at);
    await register(client, hooks, at);
    await everything(client, warnings);
  });
});

describe("webhooks over TLS", () => {
  let feed: CertificateFeed;
  let served: WebhookServer;
  const port = () => served.port ?? 0;
  const path = "/validate-example-com-v2-widget";
  const review = admissionReview({ object: widget({ size: 1 }) });

  const replica = (more: Partial<CertificatesOptions>) =>
    certificates({
      client,
      clock,
      random: seededRandom(3),
      namespace: "ops",
      service: "hooks",
      secret: "hooks-tls",
      hosts: ["127.0.0.1"],
      publish,
      ...more,
    });

  beforeEach(async () => {
    await start();
    feed = replica({ caLasts: 120 * day, every: day / 4 });
    await feed.check();
    served = await serveWebhooks({ hooks, certificates: feed, clock, listen: { host: "127.0.0.1", port: 0 } });
    const at = { url: `https://127.0.0.1:${port()}` };
    await define(client, hooks, at);
    await register(client, hooks, at);
    await feed.check(); // the manifests are there now: the CA goes into them
    expect(feed.trouble()).toBeUndefined();
  });
  afterEach(async () => {
    await feed.stop();
    await server.stop();
    await served.close();
  });

  it("validate, change, convert and keep the rules of status", () => everything(client, warnings));

  it("go on through two new certificates and a new CA, on a live connection and on new ones", async () => {
    const believes = (ca: string): Caller => caller(port, () => ca);
    const keeper = believes(feed.current()?.ca ?? "");
    await keeper.post(path, review);
    const serials = new Set<string>();
    const authorities = new Set<string>();
    for (let passed = 0; passed < 84; passed += 1) {
      await clock.settle(day);
      await feed.check();
      expect(feed.trouble()).toBeUndefined();
      const { ca = "" } = feed.current() ?? {};
      await make(client, `day-${passed}`, { size: 1 }); // the API server asks, with the caBundle of that day
      const fresh = believes(ca);
      expect((await fresh.post(path, review)).status).toBe(200);
      fresh.close();
      for (const serial of fresh.seen) serials.add(serial);
      authorities.add(ca);
    }
    // Certificates of the days 0, 60 and 81; the old CA, both, and the new one.
    expect([serials.size, authorities.size]).toEqual([3, 3]);
    expect((await keeper.post(path, review)).status).toBe(200);
    expect(keeper.seen).toHaveLength(1);
    keeper.close();
  });

  it("take over what another replica wrote into the Secret", async () => {
    const before = feed.current();
    const other = replica({ hosts: ["127.0.0.1", "localhost"] }); // a newer operator, known by more names
    await other.check();
    await other.stop();
    await clock.settle(day / 3);
    expect(feed.current()).toEqual(other.current());
    expect(feed.current()?.cert).not.toBe(before?.cert);
    const fresh = caller(port, () => feed.current()?.ca ?? "");
    expect((await fresh.post(path, review, { servername: "localhost" })).status).toBe(200);
    fresh.close();
    expect((await make(client, "a", { size: 1 })).metadata.labels).toEqual({ seen: "yes" });
  });
});
