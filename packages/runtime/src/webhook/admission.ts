// One AdmissionReview, answered by one handler. A handler that fails denies, in words that hold no secret; the log has the rest.
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { sanitize } from "@telltale/status";
import type { Log } from "../log.ts";
import { type Answer, BadReview, failure } from "./answer.ts";
import type { Denial, Hook, Problem, Verdict } from "./hooks.ts";
import { difference, isObject, type JsonObject, sent } from "./json.ts";
import { inVersion, inVersionOf, type Operation, type RawRequest, readRequest, typed, versionOf } from "./request.ts";
import { type Body, openReview } from "./review.ts";

export const admissionReview = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" } as const;

export async function admit(hook: Hook, body: Body, log: Log): Promise<Answer> {
  const { uid, request, problem } = openReview(body, admissionReview);
  if (request === undefined) return denied(uid, failure(400, `${hook.path}: ${problem}`), []);
  let raw: RawRequest | undefined;
  try {
    raw = readRequest(request, uid);
    checkAsked(hook, raw);
    return hook.is === "validate" ? await validate(hook, raw) : await mutate(hook, raw);
  } catch (error) {
    if (error instanceof BadReview) return denied(uid, failure(error.code, `${hook.path}: ${error.message}`), []);
    const { name, namespace, operation } = raw ?? {};
    log.error("a webhook's handler failed", {
      path: hook.path,
      kind: hook.kind.kind,
      namespace,
      name,
      operation,
      error: sanitize(error instanceof Error ? (error.stack ?? error.message) : error, { max: 4096 }),
    });
    const why = sanitize(error, { max: 512, firstLineOnly: true });
    return denied(uid, failure(500, `${hook.path} failed: ${why}; the operator's log has more`), []);
  }
}

function checkAsked(hook: Hook, { operation, subresource }: RawRequest): void {
  if (!hook.operations.includes(operation)) {
    throw new BadReview(
      `takes ${hook.operations.join(" and ")}, not ${operation}; correct the rules that send it here`,
    );
  }
  if (subresource !== hook.subresource) {
    const shown = (name: string) => (name === "" ? "the object itself" : `its ${name}`);
    throw new BadReview(
      `is about ${shown(hook.subresource)}, not about ${shown(subresource)}; correct the rules that send it here`,
    );
  }
}

async function validate(hook: Extract<Hook, { is: "validate" }>, raw: RawRequest): Promise<Answer> {
  const verdict: Verdict = (await hook.ask(typed<KubeObject, Operation>(hook.kind, raw))) ?? {};
  const warnings = verdict.warnings ?? [];
  const { denied: why } = verdict;
  if (why === undefined || (Array.isArray(why) && why.length === 0)) return allowed(raw.uid, warnings);
  return denied(raw.uid, statusOf(hook, raw, why), warnings);
}

async function mutate(hook: Extract<Hook, { is: "mutate" }>, raw: RawRequest): Promise<Answer> {
  if (raw.operation === "DELETE") throw new BadReview("nothing can be changed about an object that goes");
  const before = inVersionOf(hook.kind, raw.object);
  const copy = { ...raw, object: structuredClone(before) };
  const made = sent(await hook.ask(typed<KubeObject, "CREATE" | "UPDATE">(hook.kind, copy)));
  if (!isObject(made)) throw new TypeError("the handler gave no object back; return it, changed or not");
  const { apiVersion, kind } = hook.kind;
  const after: JsonObject = { ...made, apiVersion, kind };
  if (deepEqual(before, after)) return allowed(raw.uid, []);
  const { version } = versionOf(raw.object);
  const changes = difference(raw.object, version === hook.kind.version ? after : inVersion(hook.kind, after, version));
  return allowed(raw.uid, [], Buffer.from(JSON.stringify(changes)).toString("base64"));
}

function allowed(uid: string, warnings: readonly string[], patch?: string): Answer {
  return answered(200, {
    uid,
    allowed: true,
    ...(patch === undefined ? {} : { patchType: "JSONPatch", patch }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(oneLine) }),
  });
}

function denied(uid: string, status: JsonObject, warnings: readonly string[]): Answer {
  return answered(Number(status["code"]), {
    uid,
    allowed: false,
    status,
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(oneLine) }),
  });
}

const answered = (code: number, response: JsonObject): Answer => ({
  status: 200,
  body: { ...admissionReview, response },
  code,
});

/** A warning travels in a header: a server drops one with a line break. */
const oneLine = (warning: string): string => warning.replace(/\s+/g, " ").trim();

function statusOf(hook: Hook, raw: RawRequest, denial: Denial): JsonObject {
  if (typeof denial === "string") return failure(422, denial);
  if ("code" in denial) {
    const { message, code, reason } = denial;
    return { ...failure(code, message), ...(reason === undefined ? {} : { reason }) };
  }
  const problems: readonly Problem[] = denial;
  return {
    ...failure(422, problems.map(({ field, message }) => `${field}: ${message}`).join("; ")),
    details: {
      name: raw.name,
      group: hook.kind.group,
      kind: hook.kind.kind,
      causes: problems.map(({ field, message }) => ({ reason: "FieldValueInvalid", field, message })),
    },
  };
}
