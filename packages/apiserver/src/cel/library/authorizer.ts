// `authorizer.group('').resource('pods').check('get').allowed()`: asks who may do what. Only in admission.
import { functions, type Overload } from "../function.ts";
import { Opaque, type Value } from "../values.ts";

/** What is asked of the authorizer; the user is the requester unless a service account is named. */
export interface AccessQuestion {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly error?: string;
}

export type AccessCheck = (question: AccessQuestion) => AccessAnswer;

type Asked = Omit<AccessQuestion, "verb">;

const types = {
  authorizer: "kubernetes.authorization.Authorizer",
  path: "kubernetes.authorization.PathCheck",
  group: "kubernetes.authorization.GroupCheck",
  resource: "kubernetes.authorization.ResourceCheck",
  decision: "kubernetes.authorization.Decision",
} as const;

class Ask extends Opaque {
  readonly typeName: string;
  readonly asked: Asked;
  readonly check: AccessCheck;
  constructor(kind: keyof typeof types, asked: Asked, check: AccessCheck) {
    super();
    this.typeName = types[kind];
    this.asked = asked;
    this.check = check;
  }
  equals(other: Value): boolean {
    return other instanceof Ask && JSON.stringify(other.asked) === JSON.stringify(this.asked);
  }
  with(more: Asked, kind?: keyof typeof types): Ask {
    const here = (Object.keys(types) as (keyof typeof types)[]).find((name) => types[name] === this.typeName);
    return new Ask(kind ?? here ?? "authorizer", { ...this.asked, ...more }, this.check);
  }
}

class Decision extends Opaque {
  readonly typeName = types.decision;
  readonly answer: AccessAnswer;
  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }
  equals(other: Value): boolean {
    return other instanceof Decision && other.answer.allowed === this.answer.allowed;
  }
}

export const authorizerType = types.authorizer;
export const resourceCheckType = types.resource;
export const authorizerValue = (check: AccessCheck): Value => new Ask("authorizer", {}, check);
/** `authorizer.requestResource`: the resource of the request, ready to be checked. */
export const requestResourceValue = (asked: Asked, check: AccessCheck): Value => new Ask("resource", asked, check);

const ask = (a: Ask, verb: string): Value => new Decision(a.check({ ...a.asked, verb }));

export const authorizer: readonly Overload[] = functions({
  [`${types.authorizer} -> path(string): ${types.path}`]: (a: Ask, path: string) => a.with({ path }, "path"),
  [`${types.authorizer} -> group(string): ${types.group}`]: (a: Ask, group: string) => a.with({ group }, "group"),
  [`${types.authorizer} -> serviceAccount(string, string): ${types.authorizer}`]: (
    a: Ask,
    namespace: string,
    name: string,
  ) => a.with({ serviceAccount: { namespace, name } }),
  [`${types.path} -> check(string): ${types.decision}`]: ask,
  [`${types.group} -> resource(string): ${types.resource}`]: (a: Ask, resource: string) =>
    a.with({ resource }, "resource"),
  [`${types.resource} -> subresource(string): ${types.resource}`]: (a: Ask, subresource: string) =>
    a.with({ subresource }),
  [`${types.resource} -> namespace(string): ${types.resource}`]: (a: Ask, namespace: string) => a.with({ namespace }),
  [`${types.resource} -> name(string): ${types.resource}`]: (a: Ask, name: string) => a.with({ name }),
  [`${types.resource} -> fieldSelector(string): ${types.resource}`]: (a: Ask, fieldSelector: string) =>
    a.with({ fieldSelector }),
  [`${types.resource} -> labelSelector(string): ${types.resource}`]: (a: Ask, labelSelector: string) =>
    a.with({ labelSelector }),
  [`${types.resource} -> check(string): ${types.decision}`]: ask,
  [`${types.decision} -> allowed(): bool`]: (d: Decision) => d.answer.allowed,
  [`${types.decision} -> reason(): string`]: (d: Decision) => d.answer.reason ?? "",
  [`${types.decision} -> errored(): bool`]: (d: Decision) => d.answer.error !== undefined,
  [`${types.decision} -> error(): string`]: (d: Decision) => d.answer.error ?? "",
});
