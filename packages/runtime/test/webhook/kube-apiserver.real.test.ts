// Webhooks that a real kube-apiserver calls: by URL on loopback, with the CA that was published into its objects.
import { type Client, createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { Namespace, Secret } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane, until } from "../../../../tools/envtest/envtest.ts";
import type { CertificateFeed } from "../../src/webhook/certificate-feed.ts";
import { certificates } from "../../src/webhook/secret-certificates.ts";
import { serveWebhooks, type WebhookServer } from "../../src/webhook/server.ts";
import type { Webhooks } from "../../src/webhook/webhooks.ts";
import { define, everything, make, publish, register, table } from "./story.ts";

const assets = assetsFor("the webhooks of packages/runtime");

describe.skipIf(assets === undefined)("a real API server", () => {
  let plane: ControlPlane;
  let client: Client;
  let hooks: Webhooks;
  let feed: CertificateFeed;
  let served: WebhookServer;
  const warnings: string[] = [];
  const replica = (hosts: readonly string[]): CertificateFeed =>
    certificates({
      client,
      clock: systemClock,
      random: systemRandom,
      namespace: "ops",
      service: "hooks",
      secret: "hooks-tls",
      hosts,
      publish,
    });

  const serve = (port: number) =>
    serveWebhooks({ hooks, certificates: feed, clock: systemClock, listen: { host: "127.0.0.1", port } });

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    client = createClient({
      transport: httpTransport(connection),
      clock: systemClock,
      random: systemRandom,
      onWarning: (text) => warnings.push(text),
    });
    await client.create(Namespace, { metadata: { name: "web" } });
    await client.create(Namespace, { metadata: { name: "ops" } });
    hooks = table(systemClock);
    feed = replica(["127.0.0.1"]);
    await feed.check();
    served = await serve(0);
    const at = { url: `https://127.0.0.1:${served.port}` };
    await define(client, hooks, at);
    await register(client, hooks, at);
    await feed.check();
    // A real server hears of its own configurations with a delay.
    const dry = (size: number) =>
      make(client, "probe", { size }, { dryRun: true }).then(
        ({ metadata }) => metadata.labels?.["seen"] ?? "nobody was asked",
        (error: unknown) => String(error),
      );
    await until(
      "the webhooks are asked",
      async () => [await dry(1), await dry(9)] as const,
      ([good, bad]) => good === "yes" && bad.includes("at most 5"),
    );
    warnings.length = 0;
  });
  afterAll(async () => {
    await feed?.stop();
    await client?.close();
    await plane?.stop();
    await served?.close();
  });

  it("takes the Secret and every published CA", async () => {
    expect(feed.trouble()).toBeUndefined();
    const { type, data } = await client.get(Secret, "hooks-tls", { namespace: "ops" });
    expect([type, Object.keys(data ?? {}).sort()]).toEqual([
      "kubernetes.io/tls",
      ["ca.crt", "ca.key", "tls.crt", "tls.key"],
    ]);
  });

  it("has objects validated, changed and converted, and status kept by its rules", async () => {
    await everything(client, warnings);
  });

  it("goes on when another replica has renewed the certificate by a guarded patch, also after a restart", async () => {
    const before = feed.current();
    const other = replica(["127.0.0.1", "localhost"]);
    await other.check();
    await other.stop();
    await feed.check();
    expect([feed.trouble(), feed.current()]).toEqual([undefined, other.current()]);
    expect(feed.current()?.cert).not.toBe(before?.cert);
    await served.close(); // and with it the connection that knew the old certificate
    served = await serve(served.port ?? 0);
    // The API server may still write to the connection that was closed.
    const seen = () =>
      make(client, "z", { size: 1 }).then(
        ({ metadata }) => metadata.labels,
        () => undefined,
      );
    await expect.poll(seen, { timeout: 10_000 }).toEqual({ seen: "yes" });
  });
});
