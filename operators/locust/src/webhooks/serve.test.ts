import { request } from "node:https";
import { startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, systemClock, turn, VirtualClock } from "@telltale/clock";
import { Namespace } from "@telltale/kinds/builtin";
import { certificates, type Served } from "@telltale/runtime/webhook";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { v1Test } from "../../test/objects.ts";
import { standardConfig } from "../config.ts";
import type { WebhookSettings } from "./flags.ts";
import { type WebhookService, webhookService } from "./serve.ts";
import { locustWebhooks } from "./table.ts";

let issued: Served;
let clock: VirtualClock;
let files: Map<string, string>;
let stop: AbortController;
let running: Promise<void>;

/** As the runtime makes them for itself. */
async function certificate(): Promise<Served> {
  const own = new VirtualClock(systemClock.now()); // a handshake looks at the system's time
  const random = seededRandom(1);
  const server = await startApiServer({ listen: false, controllers: "none", clock: own, random });
  const client = createClient({ transport: inProcessTransport(server.client), clock: own, random });
  await client.create(Namespace, { metadata: { name: "ops" } });
  const place = { namespace: "ops", service: "hooks", secret: "hooks-tls", hosts: ["127.0.0.1"], publish: [] };
  const feed = certificates({ client, clock: own, random, ...place });
  await feed.check();
  await feed.stop();
  await server.stop();
  const made = feed.current();
  if (made === undefined) throw new Error(feed.trouble());
  return made;
}

beforeAll(async () => {
  issued = await certificate();
});
beforeEach(() => {
  clock = new VirtualClock(systemClock.now());
  files = new Map();
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await running.catch(() => {}); // the test that expects it has seen it
});

const on: WebhookSettings = { serve: "webhooks", folder: "/certs", cert: "tls.crt", key: "tls.key", wait: 120_000 };
const mount = () => {
  files.set("/certs/tls.crt", issued.cert);
  files.set("/certs/tls.key", issued.key);
};

function start(settings: WebhookSettings): WebhookService {
  const service = webhookService(settings, {
    hooks: locustWebhooks({ clock, config: standardConfig }),
    clock,
    random: seededRandom(2),
    listen: { host: "127.0.0.1", port: 0 },
    files: { read: async (path) => files.get(path) },
  });
  running = service.run(stop.signal);
  running.catch(() => {});
  return service;
}

function send(port: number | undefined, method: string, body = ""): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const options = {
      host: "127.0.0.1",
      port,
      path: "/convert",
      method,
      headers,
      ca: issued.ca,
      agent: false as const,
    };
    const sent = request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

const listeners = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;

describe("webhooks that are on", () => {
  test("are served once the certificate is there, and until the operator ends", async () => {
    const before = listeners();
    const service = start(on);
    await turn();
    expect([service.port, service.check.ready?.()]).toEqual([undefined, "the webhooks are not served yet"]);
    mount();
    clock.advance(2_000); // the next look
    while (service.port === undefined) await turn();
    expect([service.check.ready?.(), listeners() - before]).toEqual([undefined, 1]);
    const review = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      request: { uid: "c-1", desiredAPIVersion: "locust.io/v2", objects: [v1Test()] },
    };
    const answer = await send(service.port, "POST", JSON.stringify(review));
    expect([answer.status, JSON.parse(answer.body).response.result]).toEqual([200, { status: "Success" }]);
    expect((await send(service.port, "GET")).status).toBe(405);

    const { port } = service;
    stop.abort();
    await running;
    await expect(send(port, "POST", "{}")).rejects.toThrow("ECONNREFUSED");
    expect(service.check.ready?.()).toBe("the webhooks are not served yet");
  });

  test("say what is missing when no certificate comes in time", async () => {
    start(on);
    while (clock.next() === undefined) await turn();
    await clock.settle(121_000);
    await expect(running).rejects.toThrow("no certificate after 120000 ms: /certs/tls.crt is missing");
  });

  test("end at once while they wait for one", async () => {
    start(on);
    while (clock.next() === undefined) await turn();
    stop.abort();
    await running;
    expect(clock.next()).toBeUndefined();
  });
});

describe("webhooks that are off", () => {
  test("A95 need no certificate, open no listener, and keep nobody from being ready", async () => {
    const before = listeners();
    const service = start({ serve: "nothing" });
    await clock.settle(600_000);
    expect([service.port, service.check.ready?.(), listeners() - before]).toEqual([undefined, undefined, 0]);
    stop.abort();
    await running;
  });
});
