// A built-in kind as a served resource: its strategy, its message in the type table, and the places where several share one.
import { FieldSet, fieldSetOf } from "../apply/fieldset.ts";
import { builtinSchema, deducedSchema } from "../apply/schema.ts";
import { decodeApply } from "../decode/apply-body.ts";
import { decodeBody } from "../decode/body.ts";
import { normalize } from "../decode/normalize.ts";
import { decodeTyped } from "../decode/typed.ts";
import type { JsonObject } from "../json.ts";
import { toCoreEvent, toNewEvent } from "../kinds/event-conversion.ts";
import { toV1, toV2 } from "../kinds/hpa-conversion.ts";
import type { Allocator, NameRule, Strategy } from "../kinds/strategy.ts";
import { dns1035Label, dnsLabel, dnsSubdomain, pathSegment, type Rule } from "../meta/names.ts";
import { ownUpdateChecks } from "../meta/update-checks.ts";
import { validateMeta } from "../meta/validate.ts";
import type { GroupResource } from "../status.ts";
import { metadataOf, withMetadata } from "./metadata.ts";
import type { Part, Resource, ScalePart } from "./resource.ts";

const nameRules: Readonly<Record<NameRule, Rule>> = {
  subdomain: dnsSubdomain,
  label: dnsLabel,
  label1035: dns1035Label,
  pathSegment,
  ip: pathSegment,
};

/** Kinds that are stored as another one: both ways between them. */
interface Sharing {
  readonly storage: GroupResource;
  readonly version: string;
  readonly read: (stored: JsonObject) => JsonObject;
  readonly write: (object: JsonObject) => JsonObject;
}

const sharing: Readonly<Record<string, Sharing>> = {
  "events.k8s.io/v1/events": {
    storage: { group: "", resource: "events" },
    version: "v1",
    read: toNewEvent,
    write: toCoreEvent,
  },
  "autoscaling/v1/horizontalpodautoscalers": {
    storage: { group: "autoscaling", resource: "horizontalpodautoscalers" },
    version: "v2",
    read: toV1,
    write: toV2,
  },
};

/** `allocator`: for kinds that need one. The others are the same for every server. */
export function builtinResource(s: Strategy, allocator?: Allocator): Resource {
  const { kind } = s;
  const { group, version, apiVersion } = kind;
  const shared = sharing[`${group}/${version}/${kind.plural}`];
  const message = s.message;
  const rules = { nameRule: nameRules[s.nameRule], namespaced: kind.scope === "Namespaced", builtin: true };
  const typed = (object: JsonObject) => {
    if (message === undefined) return { object, unknown: [] };
    return decodeTyped(object, message, { kind: kind.kind, version });
  };
  const settled = (object: JsonObject) => {
    const filled = s.default(object);
    const tidied = message === undefined ? filled : normalize(filled, message, "as given");
    return kindFirst(
      withMetadata(tidied, { managedFields: metadataOf(object)["managedFields"] }),
      apiVersion,
      kind.kind,
    );
  };
  return {
    group,
    version,
    apiVersion,
    resource: kind.plural,
    kind: kind.kind,
    listKind: kind.listKind,
    singular: kind.singular,
    shortNames: kind.shortNames,
    categories: kind.categories,
    namespaced: rules.namespaced,
    builtin: true,
    verbs: s.verbs,
    subresources: s.subresources,
    message,
    graceful: s.graceful,
    defaultPropagation: s.defaultPropagation,
    hasStatus: s.statusSubresource,
    scale: scalePart(s),
    storage: shared?.storage ?? { group, resource: kind.plural },
    storageVersion: shared?.version ?? version,
    columns: undefined,
    structural: undefined,
    nameRule: rules.nameRule,
    tracksGeneration: s.tracksGeneration,
    ...(s.isHeld === undefined ? {} : { isHeld: s.isHeld }),
    ...(s.generationFollows === undefined ? {} : { bumps: s.generationFollows }),
    allowCreateOnUpdate: s.allowCreateOnUpdate,
    allowUnconditionalUpdate: s.allowUnconditionalUpdate,
    returnDeletedObject: s.returnDeletedObject,
    deprecation: s.deprecation,
    virtual: s.verbs.length === 1 && s.verbs[0] === "create",
    schema: () => (message === undefined ? deducedSchema : builtinSchema(message)),
    reset: (part) => builtinReset(kind.kind, part, s.statusSubresource),
    async decode(bytes, contentType, fieldValidation) {
      const { object, warnings } = await decodeBody({
        contentType,
        bytes,
        expect: { group, version, kind: kind.kind, builtin: true, ...(message === undefined ? {} : { message }) },
        fieldValidation,
      });
      return { object: settled(object), warnings };
    },
    decodeApply,
    redecode(object) {
      const { object: read, unknown } = typed(object);
      return { object: settled(read), unknown };
    },
    read: (record) =>
      shared === undefined ? record.object() : kindFirst(shared.read(record.object()), apiVersion, kind.kind),
    json: (record) => (shared === undefined ? record.json : undefined),
    toStorage: (object) =>
      kindFirst(
        shared === undefined ? object : shared.write(object),
        shared === undefined ? apiVersion : undefined,
        shared === undefined ? kind.kind : undefined,
      ),
    prepareCreate: (object, c) => tidy(s.prepareCreate(object, c), message, apiVersion, kind.kind),
    prepareUpdate(object, old, part, c) {
      const own = s.parts?.[part];
      const next =
        part === "status" ? s.prepareStatusUpdate(object, old, c) : (own?.prepare ?? s.prepareUpdate)(object, old, c);
      return tidy(next, message, apiVersion, kind.kind);
    },
    validate(object, old, part) {
      const meta = metadataOf(object);
      if (old === undefined)
        return { errors: [...validateMeta(meta, rules), ...s.validate(object)], warnings: s.warnings?.(object) ?? [] };
      const before = metadataOf(old);
      const endpoint = part === "status" ? { validate: s.validateStatusUpdate } : s.parts?.[part];
      const own = endpoint === undefined ? s.validateUpdate(object, old) : (endpoint.validate?.(object, old) ?? []);
      return {
        errors: [...ownUpdateChecks(kind.kind, part === "status", meta, before, rules), ...own],
        warnings: (part === "status" ? s.statusWarnings?.(object) : s.warnings?.(object, old)) ?? [],
      };
    },
    selectable: (object) => s.selectable(shared === undefined ? object : shared.read(object)),
    refuseField: (key) => s.fieldSelectorError(key),
    ...(allocator === undefined
      ? {}
      : {
          allocate: (object, old) => s.allocate?.(object, old, allocator) ?? { object },
          release: (before, after) => s.release?.(before, after, allocator),
        }),
  };
}

function scalePart(s: Strategy): ScalePart | undefined {
  if (s.scale === undefined) return undefined;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = s.scale;
  const steps = (path: string) => path.split(".").filter((p) => p !== "");
  return {
    spec: steps(specReplicasPath),
    status: steps(statusReplicasPath),
    ...(labelSelectorPath === undefined ? {} : { selector: steps(labelSelectorPath) }),
  };
}

/** Metadata that does not pass through the `/status` of built-in kinds; the rest does. */
const notByStatus: Readonly<Record<string, readonly string[][]>> = {
  Deployment: [["metadata", "labels"]],
  Pod: [
    ["metadata", "deletionTimestamp"],
    ["metadata", "ownerReferences"],
  ],
};

function builtinReset(kind: string, part: Part, hasStatus: boolean): FieldSet {
  if (part === "status") return fieldSetOf(["spec"], ...(notByStatus[kind] ?? []));
  return kind === "CertificateSigningRequest" ? fieldSetOf(["spec"], ["status"]) : resetFields(part, hasStatus);
}

/** The main endpoint does not own the status, and that of the status owns nothing else. */
export function resetFields(part: Part, hasStatus: boolean): FieldSet {
  if (part === "status") return fieldSetOf(["metadata"], ["spec"]);
  return hasStatus ? fieldSetOf(["status"]) : FieldSet.empty;
}

const tidy = (object: JsonObject, message: string | undefined, apiVersion: string, kind: string): JsonObject =>
  kindFirst(message === undefined ? object : normalize(object, message), apiVersion, kind);

/** How Kubernetes writes its own kinds: lists cut the first two members off without reading the rest. */
function kindFirst(object: JsonObject, apiVersion?: string, kind?: string): JsonObject {
  const { apiVersion: a, kind: k, metadata, ...rest } = object;
  return { kind: kind ?? k ?? "", apiVersion: apiVersion ?? a ?? "", metadata: metadata ?? {}, ...rest };
}

/** How it writes custom ones: apiVersion first. */
export function ordered(object: JsonObject, apiVersion?: string, kind?: string): JsonObject {
  const { apiVersion: a, kind: k, metadata, ...rest } = object;
  return { apiVersion: apiVersion ?? a ?? "", kind: kind ?? k ?? "", metadata: metadata ?? {}, ...rest };
}
