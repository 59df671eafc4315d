// The kinds that are questions: created, answered with a status, never stored.
import type { Clock } from "@telltale/clock";
import { formatTime } from "@telltale/kinds";
import type { Authenticator } from "../authenticate/authenticate.ts";
import { at, isObject, type Json, type JsonObject, put, text } from "../json.ts";
import type { User } from "../request.ts";
import { badRequest, type FieldError, invalid, invalidField } from "../status.ts";
import type { Authorizer, Permissions } from "./authorizer.ts";
import type { Attributes } from "./rbac.ts";

export interface ReviewContext {
  readonly user: User;
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** Of the request; empty at the cluster scope. */
  readonly namespace: string;
}

/** The object with its answer. A question that makes no sense throws. */
export function review(kind: string, object: JsonObject, context: ReviewContext): JsonObject {
  const answer = kinds[kind];
  if (answer === undefined) throw new Error(`${kind} is not a review`);
  return answer(object, context);
}

const kinds: Readonly<Record<string, (object: JsonObject, context: ReviewContext) => JsonObject>> = {
  TokenReview(object, { authenticator }) {
    const token = text(at(object, "spec", "token"));
    if (token === "") throw badRequest("token is required for TokenReview in authentication");
    return { ...object, status: tokenStatus(authenticator, token, strings(at(object, "spec", "audiences"))) };
  },
  SelfSubjectReview: (object, { user, clock }) => ({
    ...named(object),
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: userInfo(user) },
  }),
  SubjectAccessReview(object, { authorizer }) {
    check([...aboutDeed(object), ...aboutSubject(object), ...aboutMetadata(object, "must be empty")]);
    return { ...object, status: access(authorizer, subject(object), object) };
  },
  LocalSubjectAccessReview(object, { authorizer, namespace }) {
    const allowed = "must be empty except for namespace";
    check([
      ...aboutDeed(object),
      ...aboutSubject(object),
      ...aboutMetadata(object, allowed),
      ...aboutPlace(object, namespace),
    ]);
    return { ...object, status: access(authorizer, subject(object), object) };
  },
  SelfSubjectAccessReview(object, { authorizer, user }) {
    check([...aboutDeed(object), ...aboutMetadata(object, "must be empty")]);
    return { ...object, status: access(authorizer, user, object) };
  },
  SelfSubjectRulesReview(object, { authorizer, user }) {
    const namespace = text(at(object, "spec", "namespace"));
    if (namespace === "") throw badRequest("no namespace on request");
    // The real server gives neither the metadata nor the spec back.
    return { ...named(object), metadata: {}, spec: {}, status: permissions(authorizer.rules(user, namespace)) };
  },
};

const named = (object: JsonObject): JsonObject => ({
  kind: object["kind"] ?? "",
  apiVersion: object["apiVersion"] ?? "",
});

function tokenStatus(authenticator: Authenticator, token: string, audiences: readonly string[]): JsonObject {
  const known = authenticator.review(token, audiences);
  if ("user" in known) return { authenticated: true, user: userInfo(known.user), audiences: [...known.audiences] };
  const why = "invalid bearer token";
  return { user: {}, error: known.error === undefined ? why : `[${why}, ${known.error}]` };
}

function userInfo(user: User): JsonObject {
  const extra: JsonObject = {};
  for (const [key, values] of Object.entries(user.extra)) put(extra, key, [...values]);
  return {
    username: user.username,
    ...(user.uid === "" ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function subject(object: JsonObject): User {
  const extra: Record<string, readonly string[]> = {};
  const given = at(object, "spec", "extra");
  if (isObject(given)) for (const [key, values] of Object.entries(given)) extra[key] = strings(values);
  return {
    username: text(at(object, "spec", "user")),
    uid: text(at(object, "spec", "uid")),
    groups: strings(at(object, "spec", "groups")),
    extra,
  };
}

function access(authorizer: Authorizer, user: User, object: JsonObject): JsonObject {
  const { allowed, reason } = authorizer.allows(user, deed(object));
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

function deed(object: JsonObject): Attributes {
  const path = at(object, "spec", "nonResourceAttributes");
  if (isObject(path)) return { verb: text(path["verb"]), path: text(path["path"]) };
  const part = (name: string) => text(at(object, "spec", "resourceAttributes", name));
  return {
    verb: part("verb"),
    group: part("group"),
    resource: part("resource"),
    subresource: part("subresource"),
    namespace: part("namespace"),
    name: part("name"),
  };
}

function permissions({ resourceRules, nonResourceRules, error }: Permissions): JsonObject {
  return {
    resourceRules: resourceRules.map((rule) => ({
      verbs: [...rule.verbs],
      apiGroups: [...rule.apiGroups],
      resources: [...rule.resources],
      ...(rule.resourceNames.length === 0 ? {} : { resourceNames: [...rule.resourceNames] }),
    })),
    nonResourceRules: nonResourceRules.map((rule) => ({
      verbs: [...rule.verbs],
      nonResourceURLs: [...rule.nonResourceURLs],
    })),
    incomplete: false,
    ...(error === "" ? {} : { evaluationError: error }),
  };
}

/** Upstream names no kind in these refusals. */
function check(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid("authorization.k8s.io", "", "", errors);
}

function aboutDeed(object: JsonObject): FieldError[] {
  const resource = at(object, "spec", "resourceAttributes");
  const path = at(object, "spec", "nonResourceAttributes");
  if (isObject(resource) && isObject(path)) {
    return [
      invalidField(
        "spec.nonResourceAttributes",
        goPath(path),
        "cannot be specified in combination with resourceAttributes",
      ),
    ];
  }
  if (!isObject(resource) && !isObject(path)) {
    const only = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    return [invalidField("spec.resourceAttributes", null, only)];
  }
  return ["fieldSelector", "labelSelector"].flatMap((name) => {
    const raw = text(at(resource, name, "rawSelector"));
    const requirements = at(resource, name, "requirements");
    if (raw === "" || !Array.isArray(requirements) || requirements.length === 0) return [];
    const field = `spec.resourceAttributes.${name}.rawSelector`;
    return [invalidField(field, raw, "may not specified at the same time as requirements")];
  });
}

function aboutSubject(object: JsonObject): FieldError[] {
  const { username, groups } = subject(object);
  if (username !== "" || groups.length > 0) return [];
  return [invalidField("spec.user", "", "at least one of user or group must be specified")];
}

function aboutMetadata(object: JsonObject, rule: string): FieldError[] {
  const metadata = at(object, "metadata");
  const local = rule !== "must be empty";
  const extra = Object.keys(isObject(metadata) ? metadata : {}).filter(
    // The server writes these itself on the way here.
    (name) => !["managedFields", "creationTimestamp", ...(local ? ["namespace"] : [])].includes(name),
  );
  return extra.length === 0 ? [] : [invalidField("metadata", metadata, rule)];
}

function aboutPlace(object: JsonObject, namespace: string): FieldError[] {
  const path = at(object, "spec", "nonResourceAttributes");
  if (isObject(path)) {
    return [invalidField("spec.nonResourceAttributes", goPath(path), "disallowed on this kind of request")];
  }
  if (!isObject(at(object, "spec", "resourceAttributes"))) return [];
  const asked = text(at(object, "spec", "resourceAttributes", "namespace"));
  if (asked === namespace) return [];
  return [invalidField("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")];
}

/** Refusals show the internal type, whose fields have capitals. */
const goPath = (path: JsonObject): JsonObject => ({ Path: text(path["path"]), Verb: text(path["verb"]) });

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map((item) => text(item)) : []);
