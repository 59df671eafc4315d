// What an API server and its users see of one table of webhooks: told once, for every server and every way to reach them.
import { type Client, isInvalid, type WriteOptions } from "@telltale/client";
import type { Clock } from "@telltale/clock";
import { builtin, type ObjectMeta, toCrd } from "@telltale/kinds";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@telltale/kinds/builtin";
import { expect } from "vitest";
import { conversionWebhook, type Reachable, webhookConfigurations } from "../../src/webhook/manifests.ts";
import { type Webhooks, webhooks } from "../../src/webhook/webhooks.ts";
import { Widget } from "./widget.ts";

interface OldWidget {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly bigness: number; readonly note?: string };
}
const WidgetV1 = builtin<OldWidget>()({ group: "example.com", version: "v1", kind: "Widget" });

export const table = (clock: Clock): Webhooks =>
  webhooks({ clock })
    .validate(Widget, ({ object }) => {
      const large = object.spec.size > 5 ? [{ field: "spec.size", message: "at most 5" }] : [];
      return { denied: large, warnings: object.spec.note === undefined ? [] : ["notes are for nobody"] };
    })
    .mutate(Widget, ({ object }) => {
      const labels = { ...object.metadata.labels, seen: "yes" };
      return { ...object, metadata: { ...object.metadata, labels } };
    })
    .statusRules(Widget)
    .convert(Widget);

/** Every place that needs the CA. */
export const publish = [
  { in: "validating", name: "widgets" },
  { in: "mutating", name: "widgets" },
  { in: "conversion", name: "widgets.example.com" },
] as const;

export async function define(client: Client, hooks: Webhooks, at: Reachable): Promise<void> {
  const conversion = conversionWebhook(hooks, Widget, at);
  if (conversion === undefined) throw new Error("the table converts");
  await client.create(CustomResourceDefinition, toCrd(Widget, { conversion }));
}

export async function register(client: Client, hooks: Webhooks, at: Reachable): Promise<void> {
  const { validating, mutating } = webhookConfigurations(hooks, { name: "widgets", at });
  if (validating === undefined || mutating === undefined) throw new Error("the table validates and changes");
  await client.create(MutatingWebhookConfiguration, mutating);
  await client.create(ValidatingWebhookConfiguration, validating);
}

export function make(client: Client, name: string, spec: { size: number; note?: string }, options: WriteOptions = {}) {
  const metadata = { name, namespace: "web" };
  return client.create(Widget, { apiVersion: "example.com/v2", kind: "Widget", metadata, spec }, options);
}

export async function everything(client: Client, warnings: readonly string[]): Promise<void> {
  const made = await make(client, "a", { size: 3, note: "hm" });
  expect(made.metadata.labels).toEqual({ seen: "yes" });
  expect(warnings).toContain("notes are for nobody");

  const refused = await make(client, "b", { size: 9 }).catch((error: unknown) => error);
  expect(isInvalid(refused), String(refused)).toBe(true);
  expect(refused).toMatchObject({
    code: 422,
    status: { message: 'admission webhook "validate-v2.widgets.example.com" denied the request: spec.size: at most 5' },
    causes: [{ field: "spec.size", message: "at most 5" }],
  });

  const old = (name: string, spec: OldWidget["spec"]) =>
    client.create(WidgetV1, { metadata: { name, namespace: "web" }, spec });
  const read = await client.get(WidgetV1, "a", { namespace: "web" });
  expect([read.spec, read.metadata.name]).toEqual([{ bigness: 3, note: "hm" }, "a"]);
  await old("c", { bigness: 4 });
  const list = await client.list(Widget, { namespace: "web", labelSelector: "seen=yes" });
  expect(list.items.map(({ metadata, spec }) => [metadata.name, spec.size])).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
  const listed = await client.list(WidgetV1, { namespace: "web", labelSelector: "seen=yes" });
  expect(listed.items.map(({ spec }) => spec.bigness)).toEqual([3, 4]);
  await expect(old("d", { bigness: 9 })).rejects.toThrow("spec.size: at most 5"); // converted before it is asked about
  await expect(old("e", { bigness: 1, note: "odd" })).rejects.toThrow(
    "failed: Widget web/e: an odd note has no place in v2, password=[redacted]",
  );

  const ref = { name: "a", namespace: "web" };
  await client.status.patch(Widget, ref, { merge: { status: { phase: "Done", observedGeneration: 1 } } });
  const back = client.status.patch(Widget, ref, { merge: { status: { phase: "Waiting" } } });
  await expect(back).rejects.toThrow("status.phase: left the final phase Done for Waiting (status rule 53)");
}
