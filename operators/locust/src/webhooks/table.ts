// The operator's webhooks by path, and the manifests that send requests there.
import type { Clock } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import type { CustomResourceDefinition, ValidatingWebhookConfiguration } from "@telltale/kinds/builtin";
import { type Log, type Sink, silentLog } from "@telltale/runtime";
import {
  conversionWebhook,
  type Reachable,
  type Webhooks,
  webhookConfigurations,
  webhooks,
} from "@telltale/runtime/webhook";
import type { Config } from "../config.ts";
import { LocustTest } from "../kinds/locust-test.ts";
import { admission } from "./admission.ts";

export interface LocustWebhooksOptions {
  readonly clock: Clock;
  readonly config: Config;
  readonly log?: Log;
  readonly sink?: Sink;
}

export function locustWebhooks({ clock, config, log = silentLog, sink }: LocustWebhooksOptions): Webhooks {
  return webhooks({ clock, log, ...(sink && { sink }) })
    .validate(
      LocustTest,
      (request) => {
        const { errors, warnings } = admission(request, config);
        if (errors.length > 0) {
          const { namespace, name } = request.object.metadata;
          const rules = [...new Set(errors.map(({ rule }) => rule))];
          log.info("a LocustTest was refused", { namespace, name, rules }); // never the object: it may hold secrets
        }
        return { denied: errors, warnings };
      },
      { path: "/validate-locust-io-v2-locusttest", name: "vlocusttest-v2.kb.io", timeoutSeconds: 10 },
    )
    .convert(LocustTest, { path: "/convert" });
}

/** Of the ValidatingWebhookConfiguration. */
export const configurationName = "locust-k8s-operator-validating-webhook";

export interface WebhookManifests {
  /** Serves `v1`. The one for an operator without webhooks is `toCrd(LocustTest)`, which does not. */
  readonly crd: CustomResourceDefinition;
  readonly validating: ValidatingWebhookConfiguration;
}

/** `annotations` go on both, for who puts the authority in: `cert-manager.io/inject-ca-from`. */
export function webhookManifests(
  hooks: Webhooks,
  at: Reachable,
  annotations?: Readonly<Record<string, string>>,
): WebhookManifests {
  const conversion = conversionWebhook(hooks, LocustTest, at);
  const { validating } = webhookConfigurations(hooks, {
    name: configurationName,
    at,
    ...(annotations && { annotations }),
  });
  if (conversion === undefined || validating === undefined) {
    throw new TypeError("these are not the webhooks of LocustTest; make them with locustWebhooks");
  }
  const crd = toCrd(LocustTest, { conversion });
  return { crd: { ...crd, metadata: { ...crd.metadata, ...(annotations && { annotations }) } }, validating };
}
