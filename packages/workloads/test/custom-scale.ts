// A custom resource with a scale subresource, as an operator would bring it, and without one.
import type { Client } from "@telltale/client";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";

export interface CronTab extends KubeObject {
  readonly spec?: { readonly size?: number };
  readonly status?: { readonly size?: number; readonly selector?: string };
}

const group = "stable.example.com";

export const CronTab: KindRef<CronTab> = {
  group,
  version: "v1",
  apiVersion: `${group}/v1`,
  kind: "CronTab",
  listKind: "CronTabList",
  plural: "crontabs",
  singular: "crontab",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: { status: true, scale: true },
};

const integer = { type: "integer" } as const;
const scale = {
  specReplicasPath: ".spec.size",
  statusReplicasPath: ".status.size",
  labelSelectorPath: ".status.selector",
};

/** Serves the kind. */
export async function serveCronTabs(client: Client, { hasScale = true } = {}): Promise<void> {
  await client.create(CustomResourceDefinition, {
    metadata: { name: `crontabs.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "CronTab", plural: "crontabs" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {}, ...(hasScale ? { scale } : {}) },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { size: integer } },
                status: { type: "object", properties: { size: integer, selector: { type: "string" } } },
              },
            },
          },
        },
      ],
    },
  });
}
