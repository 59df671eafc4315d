// `toCrd`: the CustomResourceDefinition of a kind, as a real API server accepts it.
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import type { Column } from "./columns.ts";
import { complainOf } from "./errors.ts";
import type { Kind } from "./kind.ts";
import type { Rule } from "./schema.ts";
import type { Structural } from "./structural.ts";
import { schemaIn, type Version } from "./versions.ts";

/** Who converts between versions, when there are several. */
export interface ConversionWebhook {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  readonly caBundle?: string;
}

export interface CrdOptions {
  /** Without it only the hub is served: the server's own "conversion" would drop every field that the hub does not know. */
  readonly conversion?: ConversionWebhook;
}

/** etcd takes 1.5 MiB, and the object is sent whole on each change. */
const maxCrdBytes = 1024 * 1024;

export function toCrd(kind: Kind, options: CrdOptions = {}): CustomResourceDefinition {
  const complain = complainOf(kind.kind);
  const converts = options.conversion !== undefined && kind.versions.length > 0;
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${kind.plural}.${kind.group}`,
      ...(Object.keys(kind.crdLabels).length === 0 ? {} : { labels: { ...kind.crdLabels } }),
    },
    spec: {
      group: kind.group,
      scope: kind.scope,
      names: {
        kind: kind.kind,
        listKind: kind.listKind,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
        ...(kind.categories.length === 0 ? {} : { categories: [...kind.categories] }),
      },
      ...(converts ? { conversion: conversion(options.conversion) } : {}),
      versions: [hub(kind), ...kind.versions.map((v) => spoke(kind, v, converts))],
    },
  };
  const bytes = Buffer.byteLength(JSON.stringify(crd));
  if (bytes >= maxCrdBytes) {
    complain(
      "schema",
      `the CRD has ${bytes} bytes, ${maxCrdBytes} is the most`,
      "shorten descriptions or use Opaque() for foreign types",
    );
  }
  // Structural schemas are a subset of JSONSchemaProps; the wire type has more than we ever write.
  return crd as unknown as CustomResourceDefinition;
}

function conversion(webhook: ConversionWebhook | undefined): object {
  return { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: { ...webhook } } };
}

function hub(kind: Kind): object {
  return {
    name: kind.version,
    served: true,
    storage: true,
    ...schema(kind.schema, kind.description, kind.rules),
    ...subresources(kind),
    ...printed(kind.columns),
    ...(kind.selectableFields.length === 0
      ? {}
      : { selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}

function spoke(kind: Kind, v: Version, converts: boolean): object {
  return {
    name: v.name,
    served: v.served && converts,
    storage: false,
    ...(v.deprecated === undefined ? {} : { deprecated: true }),
    ...(typeof v.deprecated === "string" ? { deprecationWarning: v.deprecated } : {}),
    ...schema(schemaIn(kind, v.name), kind.description, v.rules ?? []),
    ...subresources(kind),
    ...printed(v.columns ?? []),
  };
}

function schema({ spec, status }: Kind["schema"], description: string, rules: readonly Rule[]): object {
  const root: Structural = {
    type: "object",
    ...(description === "" ? {} : { description }),
    ...(spec.required === undefined ? {} : { required: ["spec"] }),
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec,
      ...(status === undefined ? {} : { status }),
    },
    ...(rules.length === 0 ? {} : { "x-kubernetes-validations": [...rules] }),
  };
  return { schema: { openAPIV3Schema: root } };
}

function subresources(kind: Kind): object {
  if (!kind.subresources.status && kind.scale === undefined) return {};
  return {
    subresources: {
      ...(kind.subresources.status ? { status: {} } : {}),
      ...(kind.scale === undefined ? {} : { scale: { ...kind.scale } }),
    },
  };
}

function printed(columns: readonly Column[]): object {
  if (columns.length === 0) return {};
  return {
    additionalPrinterColumns: columns.map(({ priority, ...rest }) => ({
      ...rest,
      ...(priority === 0 ? {} : { priority }),
    })),
  };
}
