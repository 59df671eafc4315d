// The process flags about webhooks. They are off unless somebody says so, and off needs nothing.
import { type Ms, parseGoDuration } from "@telltale/kinds";
import { type Env, Settings } from "@telltale/runtime";

/** Whether webhooks are served, and with which certificate. */
export type WebhookSettings =
  | { readonly serve: "nothing" }
  | {
      readonly serve: "webhooks";
      /** Where the certificate is. */
      readonly folder: string;
      readonly cert: string;
      readonly key: string;
      /** How long to wait for it at the start. 0: for ever. */
      readonly wait: Ms;
    };

/** By the flags' names: `{ "--enable-webhooks": "true" }`. An empty one is one that is not given. */
export function webhookSettings(
  flags: Env,
): { readonly settings: WebhookSettings } | { readonly errors: readonly string[] } {
  const given = new Settings(flags);
  const isServed = given.flag("--enable-webhooks", false);
  const folder = given.text("--webhook-cert-path");
  const wait = waitIn(given);
  const missing =
    isServed && folder === undefined
      ? ["--webhook-cert-path is missing: name the directory with the certificate, or leave --enable-webhooks out"]
      : [];
  const errors = [...given.errors, ...missing, ...wait.errors];
  if (errors.length > 0) return { errors };
  if (!isServed) return { settings: { serve: "nothing" } };
  return {
    settings: {
      serve: "webhooks",
      folder: folder ?? "",
      cert: given.text("--webhook-cert-name") ?? "tls.crt",
      key: given.text("--webhook-cert-key") ?? "tls.key",
      wait: wait.ms,
    },
  };
}

function waitIn(given: Settings): { readonly ms: Ms; readonly errors: readonly string[] } {
  const name = "--webhook-cert-wait-timeout";
  const text = given.text(name) ?? "2m";
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= 0) return { ms, errors: [] };
  const fix = "set it to a duration as in 30s or 2m, or to 0 to wait for ever";
  return { ms: 0, errors: [`${name} ${JSON.stringify(text)} is no duration: ${fix}`] };
}
