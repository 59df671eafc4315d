import { startApiServer } from "@telltale/apiserver";
import { newIssuer } from "@telltale/certificates";
import { createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { ValidatingWebhookConfiguration } from "@telltale/kinds/builtin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Widget } from "../../test/webhook/widget.ts";
import type { CertificateFeed } from "./certificate-feed.ts";
import { webhookConfigurations } from "./manifests.ts";
import { type MountedCertificatesOptions, mountedCertificates } from "./mounted-certificates.ts";
import { webhooks } from "./webhooks.ts";

const lasts = 24 * 3_600_000;
const clock = new VirtualClock();
const issuer = newIssuer({ clock, random: seededRandom(1) }, { name: "ca", lasts });
const issued = () => issuer.server({ name: "s", names: ["a.b.svc"], lasts });

let files: Map<string, string>;
let feed: CertificateFeed;
beforeEach(() => {
  files = new Map();
});
afterEach(() => feed.stop());
const put = ({ cert, key }: { cert: string; key: string }) => {
  files.set("/certs/tls.crt", cert);
  files.set("/certs/tls.key", key);
};
function start(names?: MountedCertificatesOptions["names"], publish?: MountedCertificatesOptions["publish"]): void {
  feed = mountedCertificates({
    clock,
    random: seededRandom(1),
    folder: "/certs",
    files: { read: async (path) => files.get(path) },
    ...(names === undefined ? {} : { names }),
    ...(publish === undefined ? {} : { publish }),
  });
}

describe("mounted certificates", () => {
  it("are read, with the authority where it is there", async () => {
    const first = issued();
    put(first);
    start();
    await feed.check();
    expect(feed.current()).toEqual({ ...first, ca: "" });
    files.set("/certs/ca.crt", issuer.cert);
    await feed.check();
    expect(feed.current()).toEqual({ ...first, ca: issuer.cert });
  });

  it("are read again by the clock", async () => {
    put(issued());
    start();
    await feed.check();
    const second = issued();
    put(second);
    await clock.settle(12_000);
    expect(feed.current()?.cert).toBe(second.cert);
  });

  it("stay as they are while the files do not fit each other, and are looked at soon after", async () => {
    const first = issued();
    put(first);
    start();
    await feed.check();
    const second = issued();
    files.set("/certs/tls.crt", second.cert);
    await feed.check();
    expect([feed.current()?.cert, feed.trouble()]).toEqual([
      first.cert,
      "/certs/tls.key is not the key of /certs/tls.crt; put both there",
    ]);
    files.set("/certs/tls.key", second.key);
    await clock.settle(1_200);
    expect(feed.current()?.cert).toBe(second.cert);
  });

  it("say which file is missing, or no certificate", async () => {
    start({ cert: "server.pem", key: "server.key" });
    await feed.check();
    expect(feed.trouble()).toMatch(/^\/certs\/server\.pem is missing; mount the certificate there/);
    files.set("/certs/server.pem", "text");
    await feed.check();
    expect(feed.trouble()).toMatch(/^\/certs\/server\.key is missing/);
    files.set("/certs/server.key", "text");
    await feed.check();
    expect(feed.trouble()).toBe("/certs/server.pem holds no certificate; put one there, in PEM");
  });

  it("have their authority published, where nobody else does it", async () => {
    const server = await startApiServer({ listen: false, controllers: "none", clock, random: seededRandom(1) });
    const client = createClient({ transport: inProcessTransport(server.client), clock, random: seededRandom(2) });
    const hooks = webhooks({ clock }).validate(Widget, () => undefined);
    const at = { service: { namespace: "ops", name: "hooks" } };
    const { validating } = webhookConfigurations(hooks, { name: "widgets", at });
    if (validating !== undefined) await client.create(ValidatingWebhookConfiguration, validating);
    const bundle = async () =>
      (await client.get(ValidatingWebhookConfiguration, "widgets")).webhooks?.[0]?.clientConfig.caBundle;
    put(issued());
    start(undefined, { client, into: [{ in: "validating", name: "widgets" }] });
    await feed.check();
    expect([feed.trouble(), await bundle()]).toEqual([undefined, undefined]); // there is no ca.crt: nothing is touched
    files.set("/certs/ca.crt", issuer.cert);
    await feed.check();
    expect(await bundle()).toBe(Buffer.from(issuer.cert).toString("base64"));
    await server.stop();
  });
});
