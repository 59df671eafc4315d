// The life of custom resource definitions: names are accepted and versions served in the same turn in which a definition is
// written, and before one is gone all its objects are.
import { type Clock, tick } from "@telltale/clock";
import { deepEqual, formatTime, type Ms } from "@telltale/kinds";
import { loadCel } from "../cel/parse.ts";
import { validateBinding, validatePolicy, validateWebhookConditions } from "../cel/policy-validation.ts";
import { compileRules } from "../cel/rules.ts";
import { crdWarnings, defaultCrd, prepareCrdCreate, prepareCrdUpdate, validateCrd } from "../crd/definition.ts";
import { cleanupFinalizer, establish, isEstablished, type TakenNames, terminating } from "../crd/names.ts";
import { at, type JsonObject, stringify } from "../json.ts";
import type { Deletion } from "../kinds/delete.ts";
import type { Strategy } from "../kinds/strategy.ts";
import type { FieldError } from "../status.ts";
import type { Store } from "../store/store.ts";
import { builtinResource } from "./builtin.ts";
import type { Catalogue } from "./catalogue.ts";
import { type ConvertByWebhook, customResources } from "./custom.ts";
import type { SpecialDeletion } from "./delete.ts";
import { finalizersOf, isTerminating, nameOf, withMetadata } from "./metadata.ts";
import type { Resource } from "./resource.ts";

/** So long objects may take to end before they are deleted again. */
const patience = 60_000;
/** Between two tries where deleting fails. */
const pause = 5_000;
const prefix = "/apiextensions.k8s.io/customresourcedefinitions/";

/** The resource `customresourcedefinitions` itself: a built-in kind with rules of its own. */
export function definitionResource(strategy: Strategy): Resource {
  const own: Strategy = {
    ...strategy,
    default: defaultCrd,
    prepareCreate: prepareCrdCreate,
    prepareUpdate: prepareCrdUpdate,
    tracksGeneration: true,
    allowUnconditionalUpdate: false,
  };
  return {
    ...builtinResource(own),
    async validate(object, old, part) {
      if (part === "status") return { errors: [], warnings: [] };
      const ruled = stringify(object).includes('"x-kubernetes-validations"');
      if (ruled) await loadCel();
      const checks = ruled
        ? { checkRules: (schema: object, path: string) => compileRules(schema as never, path).errors }
        : {};
      return { errors: validateCrd(object, old, checks as never), warnings: crdWarnings(object, old) };
    },
  };
}

type Check = (object: JsonObject, old: JsonObject | undefined) => FieldError[];
const expressions: Readonly<Record<string, Check>> = {
  ValidatingAdmissionPolicy: validatePolicy,
  ValidatingAdmissionPolicyBinding: validateBinding,
  MutatingWebhookConfiguration: validateWebhookConditions,
  ValidatingWebhookConfiguration: validateWebhookConditions,
};

/** Kinds with expressions, which are compiled when they are written. */
export function withExpressions(strategy: Strategy): Resource {
  const plain = builtinResource(strategy);
  const check = expressions[strategy.kind.kind];
  if (check === undefined) return plain;
  return {
    ...plain,
    async validate(object, old, part) {
      const { errors, warnings } = await plain.validate(object, old, part);
      if (part === "status" || errors.length > 0) return { errors, warnings };
      await loadCel();
      return { errors: check(object, old), warnings };
    },
  };
}

export interface DefinitionsEnv {
  readonly store: Store;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  readonly builtinNames: (group: string) => TakenNames;
  readonly convert: ConvertByWebhook;
  /** Deletes all objects of a resource, wherever they are, for as long as that goes on. */
  readonly deleteAll: (r: Resource, goesOn: () => boolean) => Promise<void>;
  readonly log: (line: string) => void;
}

export class Definitions {
  readonly #env: DefinitionsEnv;
  readonly #closing = new Map<string, AbortController>();
  /** The definitions whose objects are being deleted. Another set after each start: what began before it is over. */
  #cleaning = new Set<string>();
  readonly #waits = new Set<() => void>();
  #stop: () => void = () => {};

  constructor(env: DefinitionsEnv) {
    this.#env = env;
  }

  /** Follows the definitions from now on; those that are there already are served at once. */
  start(): void {
    this.#refresh();
    this.#stop = this.#env.store.subscribe(prefix, this.#env.store.revision, (event) => {
      const name = nameOf(event.record.object());
      if (event.type === "DELETED") {
        this.#closing.get(name)?.abort();
        this.#closing.delete(name);
        for (const crd of this.#all()) this.#accept(crd);
      } else this.#accept(event.record.object());
      this.#refresh();
    });
    for (const crd of this.#all()) this.#accept(crd);
    this.#refresh();
  }

  stop(): void {
    this.#stop();
    for (const end of this.#waits) end();
    for (const controller of this.#closing.values()) controller.abort();
    this.#closing.clear();
    this.#cleaning = new Set();
  }

  /** Aborted when the resource is no longer served. */
  closing(r: Resource): AbortSignal {
    const name = `${r.resource}.${r.group}`;
    const known = this.#closing.get(name) ?? new AbortController();
    this.#closing.set(name, known);
    return known.signal;
  }

  #all(): JsonObject[] {
    return this.#env.store.scan(prefix).records.map((record) => record.object());
  }

  /** Writes what became of the names, unless that is what the definition says already. */
  #accept(crd: JsonObject): void {
    const { store, clock, builtinNames } = this.#env;
    const others = this.#all().filter((other) => nameOf(other) !== nameOf(crd));
    const group = String(at(crd, "spec", "group"));
    const status = establish(crd, others, clock.now(), builtinNames(group));
    if (!deepEqual(status, crd["status"])) {
      store.commit(`${prefix}${nameOf(crd)}`, {
        object: withMetadata({ ...crd, status }, { resourceVersion: undefined }),
      });
    } else if (isTerminating(crd) && finalizersOf(crd).includes(cleanupFinalizer)) void this.#clean(nameOf(crd));
  }

  #refresh(): void {
    const { catalogue, convert } = this.#env;
    catalogue.replaceCustom(
      this.#all()
        .filter(isEstablished)
        .flatMap((crd) => customResources(crd, convert)),
    );
  }

  /** Takes all objects away, waits until they are gone, and lets the definition go. */
  async #clean(name: string): Promise<void> {
    const cleaning = this.#cleaning;
    if (cleaning.has(name)) return;
    cleaning.add(name);
    try {
      this.#mark(name, "progress");
      // An apply may make new ones meanwhile, and what cannot be converted today can be tomorrow.
      while (!(await this.#isCleared(name))) if (cleaning !== this.#cleaning) return;
      if (cleaning !== this.#cleaning) return;
      this.#mark(name, "done");
      this.#release(name);
    } catch (error) {
      this.#env.log(`deleting ${name}: ${error}; a change of the definition tries again`);
    } finally {
      cleaning.delete(name);
    }
  }

  /** Takes away what is there, and says whether it went. */
  async #isCleared(name: string): Promise<boolean> {
    const r = this.#env.catalogue.all().find((c) => !c.builtin && `${c.resource}.${c.group}` === name);
    if (r === undefined) return true;
    let within = patience;
    try {
      const cleaning = this.#cleaning;
      await this.#env.deleteAll(r, () => cleaning === this.#cleaning);
    } catch (error) {
      this.#env.log(`deleting the objects of ${name}: ${error}; it is tried again`);
      within = pause;
    }
    return this.#isEmptied(`/${r.storage.group}/${r.storage.resource}/`, within);
  }

  /** Whether they are gone in that time. Not when it is stopped meanwhile. */
  async #isEmptied(instances: string, within: Ms): Promise<boolean> {
    const { store, clock } = this.#env;
    const empty = () => store.scan(instances, { limit: 1 }).records.length === 0;
    if (empty()) return tick().then(() => true);
    return new Promise((resolve) => {
      const end = (isEmpty = false) => {
        leave();
        timer.cancel();
        this.#waits.delete(end);
        resolve(isEmpty);
      };
      const leave = store.subscribe(instances, store.revision, () => {
        if (empty()) end(true);
      });
      const timer = clock.after(within, () => end(false));
      this.#waits.add(end);
    });
  }

  #mark(name: string, state: "progress" | "done"): void {
    this.#change(name, (crd) => ({
      ...crd,
      status: { ...(crd["status"] as JsonObject), conditions: terminating(crd, state, this.#env.clock.now()) },
    }));
  }

  #release(name: string): void {
    const { store } = this.#env;
    const record = store.get(`${prefix}${name}`);
    if (record === undefined) return;
    const left = finalizersOf(record.object()).filter((f) => f !== cleanupFinalizer);
    if (left.length === 0) store.commit(record.key, { expect: record.revision, object: undefined });
    else this.#change(name, (crd) => withMetadata(crd, { finalizers: [...left] }));
  }

  #change(name: string, edit: (crd: JsonObject) => JsonObject): void {
    const { store } = this.#env;
    const record = store.get(`${prefix}${name}`);
    if (record === undefined) return;
    const next = edit(record.object());
    if (!deepEqual(next, record.object())) {
      store.commit(record.key, { expect: record.revision, object: withMetadata(next, { resourceVersion: undefined }) });
    }
  }
}

/** A definition is held until its objects are gone. */
export function definitionDeletion(clock: Clock): SpecialDeletion {
  return (crd): Deletion => {
    if (isTerminating(crd)) return { do: "unchanged", object: crd };
    const finalizers = finalizersOf(crd);
    const held = withMetadata(crd, {
      deletionTimestamp: formatTime(clock.now()),
      finalizers: finalizers.includes(cleanupFinalizer) ? [...finalizers] : [...finalizers, cleanupFinalizer],
    });
    const status = { ...(held["status"] as JsonObject), conditions: terminating(held, "pending", clock.now()) };
    return { do: "update", object: { ...held, status } };
  };
}
