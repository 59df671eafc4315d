// Certificates in a Secret of the embedded API server.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { certificatesIn, factsOf, newIssuer } from "@telltale/certificates";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { plus, toCrd } from "@telltale/kinds";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Namespace,
  Secret,
  ValidatingWebhookConfiguration,
} from "@telltale/kinds/builtin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { remembering, Widget } from "../../test/webhook/widget.ts";
import type { CertificateFeed } from "./certificate-feed.ts";
import { conversionWebhook, webhookConfigurations } from "./manifests.ts";
import { type CertificatesOptions, certificates } from "./secret-certificates.ts";
import { webhooks } from "./webhooks.ts";

const day = 24 * 3_600_000;
let clock: VirtualClock;
let server: ApiServer;
let client: Client;
let sent: string[];
let feeds: CertificateFeed[];
let log: ReturnType<typeof remembering>;
beforeEach(async () => {
  clock = new VirtualClock();
  server = await startApiServer({ listen: false, controllers: "none", clock, random: seededRandom(1) });
  sent = [];
  const counted = inProcessTransport(async (request) => {
    const answer = await server.client(request);
    if (request.method !== "GET") sent.push(`${request.method} ${request.path.replace(/.*\//, "")} ${answer.status}`);
    return answer;
  });
  client = createClient({
    transport: counted,
    clock,
    random: seededRandom(2),
    budget: { attempts: 1, total: 1, first: 1, longest: 1 },
  });
  await client.create(Namespace, { metadata: { name: "ops" } });
  sent.length = 0;
  feeds = [];
  log = remembering();
});
afterEach(async () => {
  for (const feed of feeds) await feed.stop();
  await server.stop();
});

function replica(more: Partial<CertificatesOptions> = {}, seed = 3): CertificateFeed {
  const feed = certificates({
    client,
    clock,
    random: seededRandom(seed),
    log,
    namespace: "ops",
    service: "hooks",
    secret: "hooks-tls",
    ...more,
  });
  feeds.push(feed);
  return feed;
}
const stored = () => client.get(Secret, "hooks-tls", { namespace: "ops" });
const text = (value: string | undefined) => Buffer.from(value ?? "", "base64").toString("utf8");
const base64 = (value: string) => Buffer.from(value).toString("base64");

describe("certificates in a Secret", () => {
  it("are made by whoever is first, for the Service", async () => {
    const feed = replica();
    await feed.check();
    const { type, data = {} } = await stored();
    expect([type, Object.keys(data).sort()]).toEqual(["kubernetes.io/tls", ["ca.crt", "ca.key", "tls.crt", "tls.key"]]);
    expect(feed.current()).toEqual({
      cert: text(data["tls.crt"]),
      key: text(data["tls.key"]),
      ca: text(data["ca.crt"]),
    });
    expect(factsOf(text(data["tls.crt"]))?.names("hooks.ops.svc")).toBe(true);
    expect(sent).toEqual(["POST secrets 201"]);
    expect(log.lines.map(({ fields }) => fields["why"])).toEqual(["there was no Secret"]);
  });

  it("are the same for replicas that begin at one moment", async () => {
    const both = [replica(), replica({}, 4)];
    for (const feed of both) await feed.check();
    expect(sent.sort()).toEqual(["POST secrets 201", "POST secrets 409"]);
    expect(both[0]?.current()).toEqual(both[1]?.current());
  });

  it("are renewed once, by guarded patches, however many see that it is time", async () => {
    const both = [replica(), replica({}, 4)];
    for (const feed of both) await feed.check();
    const before = both[0]?.current();
    sent.length = 0;
    clock.jump(plus(clock.now(), 61 * day));
    await Promise.all(both.map((feed) => feed.check()));
    expect(sent.sort()).toEqual(["PATCH hooks-tls 200", "PATCH hooks-tls 422"]);
    expect(both[0]?.current()).toEqual(both[1]?.current());
    expect(both[0]?.current()?.cert).not.toBe(before?.cert);
    expect(both[0]?.current()?.ca).toBe(before?.ca);
  });

  it("are taken over when another replica has renewed them, without a write", async () => {
    const [one, other] = [replica({ every: 3_600_000 }), replica({}, 4)];
    await one.check();
    await other.check();
    clock.jump(plus(clock.now(), 61 * day));
    await one.check();
    sent.length = 0;
    await clock.settle(70_000);
    expect(other.current()).toEqual(one.current());
    expect(sent).toEqual([]);
  });

  it("change their CA with both known in between", async () => {
    const feed = replica({ lasts: 30 * day, caLasts: 90 * day, overlap: 2 * day, every: day / 4 });
    const seen: string[] = [];
    feed.follow(({ cert, ca }) => {
      const authorities = certificatesIn(ca).flatMap((pem) => factsOf(pem) ?? []);
      const by = authorities.findIndex((one) => factsOf(cert)?.signedBy(one));
      seen.push(`day ${Math.floor(clock.uptime() / day)}: ${authorities.length} known, signed by ${by}`);
    });
    await clock.settle(70 * day);
    expect(seen).toEqual([
      "day 0: 1 known, signed by 0",
      "day 20: 1 known, signed by 0",
      "day 40: 1 known, signed by 0",
      "day 60: 2 known, signed by 1",
      "day 62: 2 known, signed by 0",
      "day 64: 1 known, signed by 0",
    ]);
  });

  it("come back as they were when somebody deletes the Secret", async () => {
    const feed = replica();
    await feed.check();
    const before = feed.current();
    await client.delete(Secret, { name: "hooks-tls", namespace: "ops" }, { propagation: "Background" });
    await feed.check();
    expect(text((await stored()).data?.["ca.key"])).toContain("PRIVATE KEY");
    expect(feed.current()).toEqual(before);
    expect(text((await stored()).data?.["tls.crt"])).toBe(before?.cert);
  });

  it.for<[string, object]>([
    ["no data", { type: "Opaque" }],
    ["empty data", { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } }],
    [
      "nonsense",
      { type: "kubernetes.io/tls", data: { "tls.crt": base64("x"), "tls.key": base64("y"), "ca.key": base64("z") } },
    ],
  ])("are filled into a Secret that is there with %s", async ([, secret]) => {
    await client.create(Secret, { metadata: { name: "hooks-tls", namespace: "ops" }, ...secret });
    const feed = replica();
    await feed.check();
    expect(feed.trouble()).toBeUndefined();
    expect(factsOf(text((await stored()).data?.["tls.crt"]))?.names("hooks.ops.svc")).toBe(true);
    expect(sent).toEqual(["POST secrets 201", "PATCH hooks-tls 200"]);
  });

  it("of somebody else are used and left alone", async () => {
    const issuer = newIssuer({ clock, random: seededRandom(9) }, { name: "cert-manager", lasts: 90 * day });
    const theirs = issuer.server({ name: "x", names: ["hooks.ops.svc"], lasts: 90 * day });
    const data = { "tls.crt": base64(theirs.cert), "tls.key": base64(theirs.key), "ca.crt": base64(issuer.cert) };
    await client.create(Secret, { metadata: { name: "hooks-tls", namespace: "ops" }, type: "kubernetes.io/tls", data });
    sent.length = 0;
    const feed = replica();
    await feed.check();
    clock.jump(plus(clock.now(), 80 * day));
    await feed.check();
    expect(feed.current()).toEqual({ ...theirs, ca: issuer.cert });
    expect(sent).toEqual([]);
    await client.patch(
      Secret,
      { name: "hooks-tls", namespace: "ops" },
      { merge: { data: { "tls.key": base64("x") } } },
    );
    await feed.check();
    expect(feed.trouble()).toMatch(
      /^tls\.key of the Secret is not the key of its tls\.crt; correct it where it comes from/,
    );
    expect(feed.current()?.cert).toBe(theirs.cert);
  });

  it("go on being served while the server cannot be asked", async () => {
    const feed = replica();
    await feed.check();
    const before = feed.current();
    server.faults.add({ match: {}, effect: { status: 500 } });
    await feed.check();
    expect([feed.current(), feed.trouble() === undefined]).toEqual([before, false]);
  });

  it("refuse terms that leave no room for an overlap", () => {
    expect(() => replica({ lasts: 2 * day })).toThrow(/leaves no room for an overlap/);
    expect(() => replica({ lasts: 90 * day, caLasts: 30 * day })).toThrow(RangeError);
  });
});

describe("the CA of a Secret is published", () => {
  const table = webhooks({ clock: new VirtualClock() })
    .validate(Widget, () => undefined)
    .statusRules(Widget)
    .mutate(Widget, ({ object }) => object)
    .convert(Widget);
  const at = { service: { namespace: "ops", name: "hooks" } };
  const publish = [
    { in: "validating", name: "widgets" },
    { in: "mutating", name: "widgets" },
    { in: "conversion", name: "widgets.example.com" },
  ] as const;
  const conversion = conversionWebhook(table, Widget, at);

  async function apply(): Promise<void> {
    const { validating, mutating } = webhookConfigurations(table, { name: "widgets", at });
    if (validating === undefined || mutating === undefined || conversion === undefined)
      throw new Error("all are there");
    await client.create(ValidatingWebhookConfiguration, validating);
    await client.create(MutatingWebhookConfiguration, mutating);
    await client.create(CustomResourceDefinition, toCrd(Widget, { conversion }));
    sent.length = 0;
  }
  const bundles = async () => [
    ...((await client.get(ValidatingWebhookConfiguration, "widgets")).webhooks ?? []).map(
      (w) => w.clientConfig.caBundle,
    ),
    ...((await client.get(MutatingWebhookConfiguration, "widgets")).webhooks ?? []).map((w) => w.clientConfig.caBundle),
    (await client.get(CustomResourceDefinition, "widgets.example.com")).spec.conversion?.webhook?.clientConfig
      ?.caBundle,
  ];

  it("into every place that names it, once", async () => {
    await apply();
    const feed = replica({ publish });
    await feed.check();
    expect(feed.trouble()).toBeUndefined();
    const ca = base64(feed.current()?.ca ?? "");
    expect(await bundles()).toEqual([ca, ca, ca, ca]);
    await feed.check();
    expect(sent).toEqual([
      "POST secrets 201",
      "PATCH widgets 200",
      "PATCH widgets 200",
      "PATCH widgets.example.com 200",
    ]);
  });

  it("again where somebody has taken it away", async () => {
    await apply();
    const feed = replica({ publish });
    await feed.check();
    await client.patch(
      MutatingWebhookConfiguration,
      { name: "widgets" },
      {
        json: [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }],
      },
    );
    await feed.check();
    const ca = base64(feed.current()?.ca ?? "");
    expect(await bundles()).toEqual([ca, ca, ca, ca]);
  });

  it("as far as it can be, and the rest as soon as it is there", async () => {
    await apply();
    await client.delete(ValidatingWebhookConfiguration, { name: "widgets" }, { propagation: "Background" });
    const feed = replica({ publish });
    await feed.check();
    expect(feed.trouble()).toBe("ValidatingWebhookConfiguration widgets is not there; apply the manifests");
    expect(sent.filter((line) => line.startsWith("PATCH"))).toHaveLength(2);
    const { validating } = webhookConfigurations(table, { name: "widgets", at });
    if (validating !== undefined) await client.create(ValidatingWebhookConfiguration, validating);
    await clock.settle(2_000);
    expect(feed.trouble()).toBeUndefined();
    const ca = base64(feed.current()?.ca ?? "");
    expect(await bundles()).toEqual([ca, ca, ca, ca]);
  });

  it("around a rival: what fails its guard is read again", async () => {
    await apply();
    let raced = false;
    const rival = inProcessTransport(async (request) => {
      if (request.method === "PATCH" && request.path.includes("mutating") && !raced) {
        raced = true;
        await client.patch(
          MutatingWebhookConfiguration,
          { name: "widgets" },
          {
            json: [{ op: "replace", path: "/webhooks/0/name", value: "other.example.com" }],
          },
        );
      }
      return server.client(request);
    });
    const feed = replica({ publish, client: createClient({ transport: rival, clock, random: seededRandom(5) }) });
    await feed.check();
    expect([raced, feed.trouble()]).toEqual([true, undefined]);
    const ca = base64(feed.current()?.ca ?? "");
    expect(await bundles()).toEqual([ca, ca, ca, ca]);
  });
});
