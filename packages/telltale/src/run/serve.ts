// One operator at work against a cluster: its manager, its webhooks, and their end in good order.
import { type Manager, manager } from "@telltale/runtime";
import { type CertificateFeed, certificates, serveWebhooks, type WebhookServer } from "@telltale/runtime/webhook";
import type { Around, Operator, Parts } from "../operators/operator.ts";

export interface ServeOptions extends Around {
  readonly elects: boolean;
  /** Of probes and metrics. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Where the webhooks are; undefined: nowhere. */
  readonly webhookPort: number | undefined;
}

export interface Served {
  readonly manager: Manager;
  /** Until the signal; rejects where it cannot begin. */
  readonly ended: Promise<void>;
}

export async function serve(operator: Operator, options: ServeOptions, signal: AbortSignal): Promise<Served> {
  const { transport, clock, random, log, listen } = options;
  const parts = await operator.start(options);
  const webhook = webhooksOf(operator, parts, options);
  const it = manager({
    name: operator.name,
    transport,
    controllers: parts.controllers,
    clock,
    random,
    log,
    replicas: options.elects ? operator.replicas(options) : { as: "one" },
    probes: listen,
    ...(webhook && { checks: [webhook.check] }),
    ...parts.options,
  });
  return { manager: it, ended: work(it, parts, webhook, signal) };
}

async function work(it: Manager, parts: Parts, webhook: Webhook | undefined, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const ask = async () => {
    await parts.drain?.();
    stop.abort();
  };
  if (signal.aborted) stop.abort();
  signal.addEventListener("abort", () => void ask(), { once: true });
  // They answer until the manager has ended: the server asks them about its last writes too.
  const last = new AbortController();
  let failed: { readonly error: unknown } | undefined;
  const serving = webhook?.run(last.signal).catch((error: unknown) => {
    failed = { error };
    stop.abort();
  });
  try {
    await it.run(stop.signal);
  } finally {
    last.abort();
    await serving;
  }
  if (failed !== undefined) throw failed.error;
}

interface Webhook {
  readonly check: { readonly name: string; ready(): string | undefined };
  run(signal: AbortSignal): Promise<void>;
}

/** With certificates of its own, which it keeps in a Secret and makes known to the server. */
function webhooksOf({ webhooks: names }: Operator, { hooks }: Parts, options: ServeOptions): Webhook | undefined {
  const { webhookPort: port, client, clock, random, log, namespace } = options;
  if (port === undefined || hooks === undefined || names === undefined) return undefined;
  let server: WebhookServer | undefined;
  return {
    check: { name: "webhooks", ready: () => (server === undefined ? "the webhooks are not served yet" : undefined) },
    async run(signal) {
      const feed: CertificateFeed = certificates({ client, clock, random, log, namespace, ...names });
      try {
        server = await serveWebhooks({ hooks, certificates: feed, clock, log, listen: { port }, signal });
        log.info("webhooks are served", { port: server.port });
        await raised(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        await server?.close();
        server = undefined;
        await feed.stop();
      }
    },
  };
}

const raised = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
