export type { Answer } from "./answer.ts";
export type { BundleTarget } from "./ca-bundle.ts";
export type { CertificateFeed, Served } from "./certificate-feed.ts";
export type { Denial, HookOptions, Mutate, MutateOptions, Problem, Validate, Verdict } from "./hooks.ts";
export {
  type ConfigurationOptions,
  conversionWebhook,
  type Reachable,
  type WebhookConfigurations,
  webhookConfigurations,
} from "./manifests.ts";
export { type MountedCertificatesOptions, mountedCertificates } from "./mounted-certificates.ts";
export type { AdmissionRequest, Operation, UserInfo } from "./request.ts";
export { type CertificatesOptions, certificates } from "./secret-certificates.ts";
export { serveWebhooks, type WebhookServer, type WebhookServerOptions } from "./server.ts";
export type { StatusRulesOptions } from "./status-rules.ts";
export { type Webhooks, type WebhooksOptions, webhooks } from "./webhooks.ts";
