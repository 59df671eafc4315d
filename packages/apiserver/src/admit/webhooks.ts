// Admission by webhooks: the mutating ones one after the other, each seeing what the one before has made; the validating ones
// all at once.
import { type Clock, type Random, uuid } from "@telltale/clock";
import { deepEqual } from "@telltale/kinds";
import { type AccessCheck, evaluateConditions } from "../cel/admission.ts";
import { loadCel } from "../cel/engine.ts";
import { type JsonObject, text } from "../json.ts";
import { PatchFailed, patched } from "../patch/json-patch.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import { nameOf } from "../registry/metadata.ts";
import type { Resource } from "../registry/resource.ts";
import type { User } from "../request.ts";
import { badRequest, forbidden, goQuote, internal, invalid, invalidField, StatusError } from "../status.ts";
import type { Store } from "../store/store.ts";
import type { Admission, Attributes } from "./admission.ts";
import { configurations, type Webhook } from "./configurations.ts";
import { inVersion, isOf } from "./equivalent.ts";
import { matchedResource } from "./match.ts";
import {
  admissionRequest,
  admissionReview,
  BadResponse,
  denied,
  readPatch,
  readResponse,
  type Versioned,
} from "./review.ts";
import { seeingScale } from "./scale-view.ts";
import { CallFailed, type Resolver, webhookCaller } from "./webhook-call.ts";

export interface WebhookEnvironment {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly random: Random;
  readonly resolve: Resolver;
  /** Answers `authorizer` in match conditions. */
  readonly authorize: (user: User) => AccessCheck;
}

export interface WebhookAdmission extends Admission {
  close(): Promise<void>;
}

export function webhookAdmission(env: WebhookEnvironment): WebhookAdmission {
  const caller = webhookCaller(env);
  const mutating = configurations(env.store, "mutating");
  const validating = configurations(env.store, "validating");

  /** Asks one webhook; undefined when the request does not concern it or its failure does not matter. */
  async function ask(hook: Webhook, a: Attributes, mutates: boolean): Promise<Asked | undefined> {
    const resource = matchedResource(hook, a, env.catalogue, (name) => namespace(env.store, name)?.labels);
    if (resource === undefined) return undefined;
    const shown = await versioned(a, resource);
    const uid = uuid(env.random);
    const request = admissionRequest(a, shown, uid);
    if (!(await meetsConditions(hook, a, shown, request))) return undefined;
    if (a.dryRun && hook.sideEffects !== "None" && hook.sideEffects !== "NoneOnDryRun") {
      throw badRequest(`admission webhook ${goQuote(hook.name)} does not support dry run`);
    }
    try {
      if (hook.review === undefined)
        throw new BadResponse("webhook does not accept known AdmissionReview versions (v1, v1beta1)");
      const review = admissionReview(hook.review, request, shown);
      const decision = readResponse(
        await caller.call(hook.clientConfig, review, hook.timeoutSeconds),
        hook.review,
        uid,
        mutates,
      );
      for (const warning of decision.warnings) a.warn(warning);
      if (!decision.allowed) throw denied(hook.name, decision);
      return { shown, operations: readPatch(decision) };
    } catch (error) {
      const failed = callFailure(hook, error);
      if (failed === undefined) throw error;
      if (hook.ignoresFailure) return undefined;
      throw failed;
    }
  }

  async function meetsConditions(
    hook: Webhook,
    a: Attributes,
    shown: Versioned,
    request: JsonObject,
  ): Promise<boolean> {
    if (hook.conditions.length === 0) return true;
    await loadCel();
    const verdict = evaluateConditions(hook.conditions, {
      object: shown.object ?? null,
      oldObject: shown.oldObject ?? null,
      request,
      namespaceObject: namespace(env.store, a.namespace)?.object() ?? null,
      authorize: env.authorize(a.user),
    });
    if ("holds" in verdict) return verdict.holds;
    if (hook.ignoresFailure) return false;
    throw forbidden(a.resource, a.name, verdict.error);
  }

  /** The object after one webhook. */
  async function change(hook: Webhook, a: Attributes): Promise<JsonObject | undefined> {
    const asked = await ask(hook, a, true);
    const before = asked?.shown.object;
    if (asked === undefined || asked.operations.length === 0 || before === undefined) return a.object;
    const after = applied(asked.shown.resource, before, asked.operations);
    return deepEqual(after, before) ? a.object : inVersion(after, asked.shown.resource, a.resource);
  }

  const asked: Admission = {
    async mutate(a) {
      let object = a.object;
      const hooks = mutating();
      const again = new Set<Webhook>();
      let waiting: Webhook[] = [];
      for (const hook of hooks) {
        const next = await change(hook, { ...a, object });
        if (next !== object) {
          object = next;
          for (const earlier of waiting) again.add(earlier);
          waiting = [];
        }
        if (hook.reinvoked) waiting.push(hook);
      }
      for (const hook of hooks) if (again.has(hook)) object = await change(hook, { ...a, object });
      return object;
    },
    async validate(a) {
      const results = await Promise.allSettled(validating().map((hook) => ask(hook, a, false)));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  };
  return { ...seeingScale(asked), close: () => caller.close() };
}

interface Asked {
  readonly shown: Versioned;
  readonly operations: ReturnType<typeof readPatch>;
}

export const namespace = (store: Store, name: string) => (name === "" ? undefined : store.get(`//namespaces/${name}`));

export async function versioned(a: Attributes, resource: Resource): Promise<Versioned> {
  return {
    resource,
    object: await inVersion(a.object, a.resource, resource),
    oldObject: await inVersion(a.oldObject, a.resource, resource),
  };
}

/** What a client is told when a webhook could not be asked or did not answer; undefined for what the webhook itself said. */
function callFailure(hook: Webhook, error: unknown): StatusError | undefined {
  const calling = `failed calling webhook ${goQuote(hook.name)}: `;
  if (error instanceof CallFailed) return internal(`${calling}failed to call webhook: ${error.message}`);
  return error instanceof BadResponse ? internal(calling + error.message) : undefined;
}

function applied(r: Resource, before: JsonObject, operations: ReturnType<typeof readPatch>): JsonObject {
  try {
    const after = patched(before, operations);
    if (isOf(before, r) && !r.builtin) checkKind(r, after);
    return isOf(before, r) ? r.redecode(after, "Ignore").object : after;
  } catch (error) {
    if (error instanceof PatchFailed) throw internal(error.message);
    // A patch is not a request: what does not fit is said without naming the kinds it was read as.
    if (error instanceof StatusError && error.code === 400) {
      throw internal(error.message.replace(/^\S+ in version "[^"]*" cannot be handled as a \S+: /, ""));
    }
    throw error;
  }
}

/** A patch may change everything but what the object is. */
function checkKind(r: Resource, after: JsonObject): void {
  const [kind, apiVersion] = [text(after["kind"]), text(after["apiVersion"])];
  const errors = [
    ...(kind === r.kind ? [] : [invalidField("kind", kind, `must be ${r.kind}`)]),
    ...(apiVersion === r.apiVersion ? [] : [invalidField("apiVersion", apiVersion, `must be ${r.apiVersion}`)]),
  ];
  if (errors.length > 0) throw invalid(r.group, kind, nameOf(after), errors);
}
