// Serves the webhooks while the operator runs. Where they are off there is no listener, and no certificate is looked for.
import type { Files } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import { type Check, type Log, silentLog } from "@telltale/runtime";
import { mountedCertificates, serveWebhooks, type WebhookServer, type Webhooks } from "@telltale/runtime/webhook";
import type { WebhookSettings } from "./flags.ts";

export interface WebhookService {
  /** For the manager: not ready before the webhooks are served. */
  readonly check: Check;
  /** Where they are served, once they are. */
  readonly port: number | undefined;
  /** Serves until the signal is raised. Throws where no certificate comes in time, or the port is taken. */
  run(signal: AbortSignal): Promise<void>;
}

export interface WebhookServiceOptions {
  readonly hooks: Webhooks;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
  /** Default: port 9443 on all addresses. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** Default: those of the system. */
  readonly files?: Files;
}

export function webhookService(settings: WebhookSettings, options: WebhookServiceOptions): WebhookService {
  const { hooks, clock, random, log = silentLog, listen = {}, files } = options;
  let server: WebhookServer | undefined;
  const isOff = settings.serve === "nothing";
  return {
    check: { name: "webhooks", ready: () => (isOff || server ? undefined : "the webhooks are not served yet") },
    get port() {
      return server?.port;
    },
    async run(signal) {
      if (isOff) return ended(signal);
      const { folder, cert, key, wait } = settings;
      const names = { cert, key };
      const certificates = mountedCertificates({ clock, random, log, folder, names, ...(files && { files }) });
      try {
        server = await serveWebhooks({ hooks, certificates, clock, log, wait, listen, signal });
        await ended(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        const closing = server;
        server = undefined;
        await closing?.close();
        await certificates.stop();
      }
    },
  };
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
