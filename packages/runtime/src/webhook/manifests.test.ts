import { VirtualClock } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { Namespace } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { Widget } from "../../test/webhook/widget.ts";
import { conversionWebhook, webhookConfigurations } from "./manifests.ts";
import { webhooks } from "./webhooks.ts";

const table = () => webhooks({ clock: new VirtualClock() });
const service = { service: { namespace: "ops", name: "hooks" } };

describe("the manifests of a table", () => {
  it("ask for each handler with careful defaults", () => {
    const hooks = table()
      .validate(Widget, () => undefined)
      .statusRules(Widget)
      .mutate(Widget, ({ object }) => object);
    const { validating, mutating } = webhookConfigurations(hooks, { name: "widgets", at: service });
    const defaults = {
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      sideEffects: "None",
      timeoutSeconds: 5,
      admissionReviewVersions: ["v1"],
    };
    const rule = { apiGroups: ["example.com"], apiVersions: ["v2"], scope: "Namespaced" };
    expect(validating).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "widgets" },
      webhooks: [
        {
          name: "validate-v2.widgets.example.com",
          clientConfig: { service: { namespace: "ops", name: "hooks", path: "/validate-example-com-v2-widget" } },
          rules: [{ ...rule, operations: ["CREATE", "UPDATE"], resources: ["widgets"] }],
          ...defaults,
        },
        {
          name: "validate-v2-status.widgets.example.com",
          clientConfig: {
            service: { namespace: "ops", name: "hooks", path: "/validate-example-com-v2-widget-status" },
          },
          rules: [{ ...rule, operations: ["UPDATE"], resources: ["widgets/status"] }],
          ...defaults,
        },
      ],
    });
    expect(mutating).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "widgets" },
      webhooks: [
        {
          name: "mutate-v2.widgets.example.com",
          clientConfig: { service: { namespace: "ops", name: "hooks", path: "/mutate-example-com-v2-widget" } },
          rules: [{ ...rule, operations: ["CREATE", "UPDATE"], resources: ["widgets"] }],
          ...defaults,
          reinvocationPolicy: "Never",
        },
      ],
    });
  });

  it("hold what was said otherwise", () => {
    const selector = { matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "Exists" as const }] };
    const conditions = [{ name: "not-ours", expression: "request.userInfo.username != 'x'" }];
    const said = {
      operations: ["DELETE"],
      failurePolicy: "Ignore",
      timeoutSeconds: 10,
      matchPolicy: "Exact",
      sideEffects: "NoneOnDryRun",
      namespaceSelector: selector,
      objectSelector: selector,
      matchConditions: conditions,
    } as const;
    const hooks = table()
      .validate(Namespace, () => undefined, said)
      .mutate(Widget, ({ object }) => object, { reinvocationPolicy: "IfNeeded" });
    const { validating, mutating } = webhookConfigurations(hooks, {
      name: "w",
      at: { url: "https://127.0.0.1:9443/", caBundle: "Q0E=" },
      labels: { app: "x" },
      annotations: { "cert-manager.io/inject-ca-from": "ops/cert" },
    });
    expect(validating?.metadata).toEqual({
      name: "w",
      labels: { app: "x" },
      annotations: { "cert-manager.io/inject-ca-from": "ops/cert" },
    });
    const { operations, ...rest } = said;
    expect(validating?.webhooks?.[0]).toMatchObject({
      ...rest,
      clientConfig: { url: "https://127.0.0.1:9443/validate--v1-namespace", caBundle: "Q0E=" },
      rules: [{ operations, scope: "Cluster", apiGroups: [""] }],
    });
    expect(mutating?.webhooks?.[0]?.reinvocationPolicy).toBe("IfNeeded");
  });

  it("leave out what the table has not", () => {
    expect(webhookConfigurations(table(), { name: "w", at: service })).toEqual({});
  });

  it("make the conversion of a CRD, for the kinds that convert", () => {
    const at = { service: { ...service.service, port: 8443 }, caBundle: "Q0E=" };
    const conversion = conversionWebhook(table().convert(Widget), Widget, at);
    expect(conversion).toEqual({ service: { ...at.service, path: "/convert" }, caBundle: "Q0E=" });
    expect(toCrd(Widget, conversion === undefined ? {} : { conversion }).spec).toMatchObject({
      conversion: { strategy: "Webhook", webhook: { clientConfig: conversion } },
      versions: [
        { name: "v2", served: true },
        { name: "v1", served: true },
      ],
    });
    expect(conversionWebhook(table(), Widget, at)).toBeUndefined();
  });
});
