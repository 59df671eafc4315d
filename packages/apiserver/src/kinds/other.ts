// Kinds of the smaller groups: reviews that are answered and never stored, leases, budgets, classes, slices and the rest.
import {
  CertificateSigningRequest,
  CustomResourceDefinition,
  EndpointSlice,
  FlowSchema,
  Lease,
  LocalSubjectAccessReview,
  PodDisruptionBudget,
  PriorityClass,
  PriorityLevelConfiguration,
  RuntimeClass,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
} from "@telltale/kinds/builtin";
import { at, type JsonObject, text } from "../json.ts";
import { duplicate, type FieldError, forbiddenField, invalidField, required } from "../status.ts";
import { csrStrategy } from "./certificates.ts";
import {
  immutable,
  intOrPercent,
  invalidRaw,
  ipAddress,
  labelProblems,
  labelSelector,
  nonNegative,
  notOverHundred,
  oneOf,
  optionalOneOf,
  protocols,
  subdomainProblems,
  told,
} from "./checks.ts";
import { child, each, fill, filled, fillZero, given, list, number } from "./edit.ts";
import { goStruct } from "./go-shape.ts";
import { type Strategy, strategy, without } from "./strategy.ts";

type Found = FieldError[];

const answered = { verbs: ["create"], statusSubresource: false };
const specOf = (object: JsonObject): JsonObject => given(object, "spec") ?? {};

export const otherStrategies: readonly Strategy[] = [
  strategy(SelfSubjectReview, "authentication.SelfSubjectReview", answered),
  strategy(TokenReview, "authentication.TokenReview", answered),
  strategy(LocalSubjectAccessReview, "authorization.LocalSubjectAccessReview", answered),
  strategy(SelfSubjectAccessReview, "authorization.SelfSubjectAccessReview", answered),
  strategy(SelfSubjectRulesReview, "authorization.SelfSubjectRulesReview", answered),
  strategy(SubjectAccessReview, "authorization.SubjectAccessReview", answered),
  csrStrategy(CertificateSigningRequest),
  strategy(PodDisruptionBudget, "policy.PodDisruptionBudget", {
    tracksGeneration: true,
    allowUnconditionalUpdate: false,
    validate: (object) => budget(specOf(object)),
  }),
  // Its rules are those of CRDs, in their own folder.
  strategy(CustomResourceDefinition, "apiextensions.CustomResourceDefinition", {
    tracksGeneration: true,
    allowUnconditionalUpdate: false,
  }),
  strategy(PriorityClass, "scheduling.PriorityClass", {
    tracksGeneration: true,
    default: filled((object) => fill(object, "preemptionPolicy", "PreemptLowerPriority")),
    validate: priorityClass,
    validateUpdate: (object, old) => [
      ...(number(object, "value") === number(old, "value")
        ? []
        : [forbiddenField("value", "may not be changed in an update.")]),
      ...(object["preemptionPolicy"] === old["preemptionPolicy"]
        ? []
        : [immutable("preemptionPolicy", object["preemptionPolicy"])]),
    ],
  }),
  strategy(Lease, "coordination.Lease", {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareCreate: uncoordinated,
    prepareUpdate: uncoordinated,
    validate: (object) => lease(specOf(object)),
  }),
  strategy(RuntimeClass, "node.RuntimeClass", {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validate: (object) => handlerName(text(object["handler"])),
    validateUpdate: (object, old) =>
      object["handler"] === old["handler"] ? [] : [immutable("handler", object["handler"])],
  }),
  strategy(EndpointSlice, "discovery.EndpointSlice", {
    tracksGeneration: true,
    default: filled((slice) => {
      for (const port of each(slice, "ports")) {
        fill(port, "name", "");
        fill(port, "protocol", "TCP");
      }
    }),
    validate: endpointSlice,
    validateUpdate: (object, old) => [
      ...endpointSlice(object),
      ...(object["addressType"] === old["addressType"] ? [] : [immutable("addressType", object["addressType"])]),
    ],
  }),
  strategy(FlowSchema, undefined, {
    tracksGeneration: true,
    default: filled((object) => fillZero(child(object, "spec"), "matchingPrecedence", 1000)),
  }),
  strategy(PriorityLevelConfiguration, undefined, {
    tracksGeneration: true,
    default: filled((object) => {
      const limited = given(given(object, "spec"), "limited");
      if (limited === undefined) return;
      fill(limited, "nominalConcurrencyShares", 30);
      fill(limited, "lendablePercent", 0);
    }),
  }),
];

function budget(spec: JsonObject): Found {
  const found: Found = [];
  if (spec["minAvailable"] !== undefined && spec["maxUnavailable"] !== undefined)
    found.push(
      invalidRaw(
        "spec",
        goStruct("policy.PodDisruptionBudgetSpec", spec),
        "minAvailable and maxUnavailable cannot be both set",
      ),
    );
  for (const name of ["minAvailable", "maxUnavailable"])
    found.push(...intOrPercent(`spec.${name}`, spec[name]), ...notOverHundred(`spec.${name}`, spec[name]));
  found.push(...labelSelector("spec.selector", given(spec, "selector")));
  found.push(
    ...optionalOneOf("spec.unhealthyPodEvictionPolicy", spec["unhealthyPodEvictionPolicy"], [
      "AlwaysAllow",
      "IfHealthyBudget",
    ]),
  );
  return found;
}

const systemClasses: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

function priorityClass(object: JsonObject): Found {
  const name = text(at(object, "metadata", "name"));
  const found: Found = [];
  if (name.startsWith("system-")) {
    if (!systemClasses.has(name))
      found.push(
        forbiddenField(
          "metadata.name",
          `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
        ),
      );
  } else if ((number(object, "value") ?? 0) > 1_000_000_000)
    found.push(forbiddenField("value", "maximum allowed value of a user defined priority is 1000000000"));
  return [
    ...found,
    ...optionalOneOf("preemptionPolicy", object["preemptionPolicy"], ["PreemptLowerPriority", "Never"]),
  ];
}

/** Coordinated leader election is off by default, and its fields are dropped. */
function uncoordinated(object: JsonObject): JsonObject {
  return given(object, "spec") === undefined
    ? object
    : { ...object, spec: without(specOf(object), "strategy", "preferredHolder") };
}

function lease(spec: JsonObject): Found {
  const seconds = number(spec, "leaseDurationSeconds");
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [invalidField("spec.leaseDurationSeconds", seconds, "must be greater than 0")]
      : []),
    ...nonNegative("spec.leaseTransitions", spec["leaseTransitions"]),
  ];
}

function handlerName(name: string): Found {
  return name === "" ? [required("handler")] : told("handler", name, labelProblems(name));
}

const addressTypes = ["FQDN", "IPv4", "IPv6"];

function endpointSlice(slice: JsonObject): Found {
  const type = text(slice["addressType"]);
  const found: Found = type === "" ? [required("addressType")] : oneOf("addressType", type, addressTypes);
  const names = new Set<string>();
  for (const [i, port] of each(slice, "ports").entries()) {
    const name = text(port["name"]);
    if (name !== "") found.push(...told(`ports[${i}].name`, name, labelProblems(name)));
    if (names.has(name)) found.push(duplicate(`ports[${i}].name`, name));
    names.add(name);
    found.push(...optionalOneOf(`ports[${i}].protocol`, port["protocol"], protocols));
  }
  for (const [i, endpoint] of each(slice, "endpoints").entries()) {
    const path = `endpoints[${i}].addresses`;
    const addresses = list(endpoint, "addresses");
    if (addresses.length === 0) found.push(required(path, "must contain at least 1 address"));
    for (const [j, address] of addresses.entries())
      found.push(
        ...(type === "FQDN"
          ? told(`${path}[${j}]`, address, subdomainProblems(text(address)))
          : type === "IPv4" || type === "IPv6"
            ? ipAddress(`${path}[${j}]`, address)
            : []),
      );
  }
  return found;
}
