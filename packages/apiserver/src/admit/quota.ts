// ResourceQuotas: how much of everything a namespace may have. Asked before an object is stored, and charged in the same turn
// as it is, so that two who come at once cannot both have the last place. What is freed is the controller's to give back.
import type { Clock } from "@telltale/clock";
import {
  type Amounts,
  amountsIn,
  canGrow,
  compareQuantity,
  formatTime,
  growth,
  inScopes,
  isIgnored,
  namesCounted,
  only,
  sum,
  unspecified,
  usageOf,
  written,
} from "@telltale/kinds";
import { trackUpdate } from "../apply/apply.ts";
import { builtinSchema } from "../apply/schema.ts";
import { at, isObject, type JsonObject } from "../json.ts";
import { resetFields } from "../registry/builtin.ts";
import { ByNamespace } from "../registry/by-namespace.ts";
import { nameOf } from "../registry/metadata.ts";
import { forbidden } from "../status.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import type { Attributes } from "./admission.ts";

export interface QuotaOptions {
  readonly store: Store;
  readonly clock: Clock;
}

const nothing = (): void => {};

export class Quotas {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #quotas: ByNamespace;

  constructor({ store, clock }: QuotaOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#quotas = new ByNamespace(store, "//resourcequotas/");
  }

  /** Refuses what goes beyond a quota. */
  check(a: Attributes): void {
    if (this.#quotas.has(a.namespace)) this.#charges(a);
  }

  /** The same, and the object's share is written into the quotas. The answer takes it back. */
  charge(a: Attributes): () => void {
    if (!this.#quotas.has(a.namespace)) return nothing;
    const charged = this.#charges(a).map(({ record, used }) => {
      const [before, expect] = [record.object(), record.revision];
      const { revision } = this.#store.commit(record.key, { expect, object: this.#charged(before, used) }).record;
      return { key: record.key, before, revision };
    });
    return () => {
      for (const { key, before, revision } of charged) this.#store.commit(key, { expect: revision, object: before });
    };
  }

  /** What each quota that is about the object would have used with it. Throws for the first that has not enough. */
  #charges(a: Attributes): Charge[] {
    const { object, resource } = a;
    if (object === undefined || !isHandled(a)) return [];
    const now = this.#clock.now();
    const concerned = this.#quotas.in(a.namespace).filter((record) => {
      const quota = record.object();
      const names = namesCounted(resource, Object.keys(hardOf(quota)));
      if (names.length === 0 || !inScopes(quota["spec"], resource, object)) return false;
      checkSaid(a, quota, names, object);
      return true;
    });
    if (concerned.length === 0) return [];
    const usage = usageOf(resource, object, now);
    const before = a.oldObject === undefined ? undefined : usageOf(resource, a.oldObject, now);
    return concerned.flatMap((record) => {
      const quota = record.object();
      const old = a.oldObject;
      // What was outside the scope until now comes in whole.
      const isOld = old !== undefined && before !== undefined && inScopes(quota["spec"], resource, old);
      const used = usedWith(a, quota, isOld ? growth(usage, before) : usage);
      return used === undefined ? [] : [{ record, used }];
    });
  }

  #charged(quota: JsonObject, used: Amounts): JsonObject {
    const status = at(quota, "status");
    return trackUpdate({
      live: quota,
      next: { ...quota, status: { ...(isObject(status) ? status : {}), used: written(used) } },
      manager: "kube-apiserver",
      apiVersion: "v1",
      subresource: "status",
      schema: builtinSchema("core.ResourceQuota"),
      reset: resetFields("status", true),
      now: formatTime(this.#clock.now()),
      create: false,
      builtin: true,
    });
  }
}

interface Charge {
  readonly record: StoredRecord;
  readonly used: Amounts;
}

/** A quota is in force as its controller has last seen it: one that it has not seen yet limits nothing. */
function hardOf(quota: JsonObject): JsonObject {
  const hard = at(quota, "status", "hard");
  return isObject(hard) ? hard : {};
}

/** Creations, and changes of what can grow. */
function isHandled({ operation, resource, subresource }: Attributes): boolean {
  if (!resource.namespaced || subresource !== "" || isIgnored(resource)) return false;
  return operation === "CREATE" || (operation === "UPDATE" && canGrow(resource));
}

/** Whoever is counted says how much it wants, and whoever counts knows how much there is. */
function checkSaid(a: Attributes, quota: JsonObject, names: readonly string[], object: JsonObject): void {
  const { resource, name } = a;
  const isPod = resource.group === "" && resource.resource === "pods";
  const missing = isPod ? unspecified(object, names) : undefined;
  if (missing !== undefined) throw forbidden(resource, name, `failed quota: ${nameOf(quota)}: ${missing}`);
  const used = amountsIn(at(quota, "status", "used"));
  if (names.some((it) => !used.has(it)))
    throw forbidden(
      resource,
      name,
      `status unknown for quota: ${nameOf(quota)}, resources: ${[...names].sort().join(",")}`,
    );
}

/** What a quota has used when this comes on top; undefined where that changes nothing. */
function usedWith({ resource, name }: Attributes, quota: JsonObject, more: Amounts): Amounts | undefined {
  const hard = amountsIn(hardOf(quota));
  const requested = new Map([...only(more, hard.keys())].filter(([, amount]) => amount.nano !== 0n));
  if (requested.size === 0) return undefined;
  const used = amountsIn(at(quota, "status", "used"));
  const next = sum(used, requested);
  const exceeded = [...requested.keys()].filter((it) => {
    const [wanted, limit] = [next.get(it), hard.get(it)];
    return wanted !== undefined && limit !== undefined && compareQuantity(wanted, limit) > 0;
  });
  if (exceeded.length === 0) return next;
  const [asked, taken, limited] = [requested, used, hard].map((amounts) => shown(only(amounts, exceeded)));
  throw forbidden(
    resource,
    name,
    `exceeded quota: ${nameOf(quota)}, requested: ${asked}, used: ${taken}, limited: ${limited}`,
  );
}

const shown = (amounts: Amounts): string =>
  Object.entries(written(amounts))
    .map(([name, amount]) => `${name}=${amount}`)
    .join(",");
