// The authorities that a server must believe, written where it looks for them: `caBundle` of webhook configurations and of
// conversions. Only where it differs, and guarded, so that nobody else's change is undone.
import { certificatesIn } from "@telltale/certificates";
import { type Client, isConflict, isNotFound, type JsonPatchOperation } from "@telltale/client";
import type { KindRef, KubeObject } from "@telltale/kinds";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@telltale/kinds/builtin";

/** One object that names our webhooks. All webhooks of a named configuration are ours. */
export type BundleTarget =
  | { readonly in: "validating"; readonly name: string }
  | { readonly in: "mutating"; readonly name: string }
  /** The CustomResourceDefinition of that name: `widgets.example.com`. */
  | { readonly in: "conversion"; readonly name: string };

const kinds = {
  validating: ValidatingWebhookConfiguration,
  mutating: MutatingWebhookConfiguration,
  conversion: CustomResourceDefinition,
} as const;

const attempts = 5;

/** Brings every target up to date, and throws what kept it from one, after all were tried. */
export async function publishBundle(client: Client, into: readonly BundleTarget[], bundle: string): Promise<void> {
  if (certificatesIn(bundle).length === 0) return;
  const caBundle = Buffer.from(bundle).toString("base64");
  const failed: unknown[] = [];
  for (const target of into) {
    try {
      await publish(client, target, caBundle);
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
}

async function publish(client: Client, target: BundleTarget, caBundle: string): Promise<void> {
  const kind: KindRef<KubeObject> = kinds[target.in];
  for (let attempt = 1; ; attempt += 1) {
    try {
      const object = await client.get(kind, target.name);
      const json = bundlePatch(target.in, object, caBundle);
      if (json.length > 0) await client.patch(kind, { name: target.name }, { json });
      return;
    } catch (error) {
      if (isNotFound(error)) throw new Error(`${kind.kind} ${target.name} is not there; apply the manifests`);
      if (!isConflict(error) || attempt === attempts) throw error;
    }
  }
}

interface Named {
  readonly name?: string;
  readonly clientConfig?: { readonly caBundle?: string };
}

/** The guarded JSON Patch, or nothing where it is already as it should be. */
export function bundlePatch(where: BundleTarget["in"], object: KubeObject, caBundle: string): JsonPatchOperation[] {
  const guard: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: object.metadata?.uid };
  const changes = where === "conversion" ? inConversion(object, caBundle) : inWebhooks(object, caBundle);
  return changes.length === 0 ? [] : [guard, ...changes];
}

function inWebhooks(
  object: KubeObject & { readonly webhooks?: readonly Named[] },
  caBundle: string,
): JsonPatchOperation[] {
  return (object.webhooks ?? []).flatMap(({ name, clientConfig }, index): JsonPatchOperation[] => {
    if (clientConfig?.caBundle === caBundle) return [];
    // The list may have been put into another order since.
    return [
      { op: "test", path: `/webhooks/${index}/name`, value: name },
      { op: "add", path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle },
    ];
  });
}

function inConversion(
  object: KubeObject & {
    readonly spec?: { readonly conversion?: { readonly webhook?: Named; readonly strategy?: string } };
  },
  caBundle: string,
): JsonPatchOperation[] {
  const conversion = object.spec?.conversion;
  const clientConfig = conversion?.webhook?.clientConfig;
  if (conversion?.strategy !== "Webhook" || clientConfig === undefined || clientConfig.caBundle === caBundle) return [];
  return [
    { op: "test", path: "/spec/conversion/strategy", value: "Webhook" },
    { op: "add", path: "/spec/conversion/webhook/clientConfig/caBundle", value: caBundle },
  ];
}
