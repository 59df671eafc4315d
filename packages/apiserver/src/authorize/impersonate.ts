// Who may act as whom. Since v1.36 there are two ways: the constrained one, for a deed as a kind of user
// (`impersonate-on:user-info:list` and `impersonate:user-info`), and the old verb `impersonate` for everything.
import type { User } from "../request.ts";
import type { Attributes, Decision } from "./rbac.ts";

/** The first thing that is missing, or undefined when the user may act as the other. */
export function checkImpersonation(
  user: User,
  other: User,
  deed: Attributes,
  allows: (user: User, wanted: Attributes) => Decision,
): Attributes | undefined {
  const first = (needed: readonly Attributes[]) => needed.find((wanted) => !allows(user, wanted).allowed);
  const constrained = constrainedNeeds(other, deed);
  const missing = constrained === undefined ? undefined : first(constrained);
  if (constrained !== undefined && missing === undefined) return undefined;
  const missingOld = first(oldNeeds(other));
  // The real server tells what the first way lacked.
  return missingOld === undefined ? undefined : (missing ?? missingOld);
}

const authentication = "authentication.k8s.io";

type Target = Exclude<Attributes, { path: string }>;

const target = (verb: string, group: string, resource: string, name: string, more: Partial<Target> = {}): Target => ({
  verb,
  group,
  resource,
  subresource: "",
  namespace: "",
  name,
  ...more,
});

/** Undefined where the constrained way does not apply: a ServiceAccount or node with anything more than its name. */
function constrainedNeeds(other: User, deed: Attributes): readonly Attributes[] | undefined {
  const on = (kind: string): Attributes => ({ ...deed, verb: `impersonate-on:${kind}:${deed.verb}` });
  const account = accountOf(other);
  const node = /^system:node:(.+)$/.exec(other.username)?.[1];
  const bare = askedGroups(other).length === 0 && other.uid === "" && Object.keys(other.extra).length === 0;
  if (account !== undefined) {
    if (!bare) return undefined;
    const { namespace, name } = account;
    return [
      on("serviceaccount"),
      target("impersonate:serviceaccount", authentication, "serviceaccounts", name, { namespace }),
    ];
  }
  if (node !== undefined) {
    if (!bare) return undefined;
    return [on("arbitrary-node"), target("impersonate:arbitrary-node", authentication, "nodes", node)];
  }
  const verb = "impersonate:user-info";
  return [
    on("user-info"),
    target(verb, authentication, "users", other.username),
    ...askedGroups(other).map((group) => target(verb, authentication, "groups", group)),
    ...identityNeeds(verb, other),
  ];
}

function oldNeeds(other: User): readonly Attributes[] {
  const verb = "impersonate";
  const account = accountOf(other);
  return [
    account === undefined
      ? target(verb, "", "users", other.username)
      : target(verb, "", "serviceaccounts", account.name, { namespace: account.namespace }),
    ...askedGroups(other).map((group) => target(verb, "", "groups", group)),
    ...identityNeeds(verb, other),
  ];
}

function identityNeeds(verb: string, other: User): readonly Attributes[] {
  return [
    ...(other.uid === "" ? [] : [target(verb, authentication, "uids", other.uid)]),
    ...Object.entries(other.extra).flatMap(([key, values]) =>
      values.map((value) => target(verb, authentication, "userextras", value, { subresource: key })),
    ),
  ];
}

function accountOf(user: User): { namespace: string; name: string } | undefined {
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user.username);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { namespace: match[1], name: match[2] };
}

/** The groups that were asked for: without those that come with the name. */
function askedGroups(other: User): readonly string[] {
  const namespace = accountOf(other)?.namespace;
  const own = namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const given = new Set(["system:authenticated", ...own]);
  return other.groups.filter((group) => !given.has(group));
}
