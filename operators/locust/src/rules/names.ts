// V1, V2, V14: what Kubernetes takes as a name, a label and a variable. It would refuse the Jobs otherwise, and later.
import { isQualifiedName } from "@telltale/kinds";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { type Problem, quoted, type Rule } from "./rule.ts";

const longestLabel = 63;
const longestName = longestLabel - "-worker".length;

export const nameIsShort: Rule = ({ metadata: { name = "" } }) => {
  if (name.length <= longestName) return [];
  const limit = `the names of its Jobs have at most ${longestLabel} characters, so that this one may have ${longestName}`;
  return [{ field: "metadata.name", message: `is too long: ${limit}, and has ${name.length}` }];
};

export const nameIsLabel: Rule = ({ metadata: { name } }) => {
  if (name === undefined || /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name.replaceAll(".", "-"))) return [];
  const message =
    "must start with a letter, and have letters, digits, '-' and '.' only: it becomes the name of a Service";
  return [{ field: "metadata.name", message }];
};

export const wordsAreNames: Rule = ({ spec }) => [
  ...(["master", "worker"] as const).flatMap((role) => [
    ...labels(`spec.${role}.labels`, spec[role].labels),
    ...annotations(`spec.${role}.annotations`, spec[role].annotations),
  ]),
  ...labels("spec.scheduling.nodeSelector", spec.scheduling?.nodeSelector),
  ...variables(spec),
];

type Words = Readonly<Record<string, string>>;

const labels = (field: string, words: Words = {}): Problem[] =>
  Object.entries(words).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : [{ field, message: `invalid label key ${quoted(key)}: ${keyRule}` }]),
    ...(isLabelValue(value) ? [] : [{ field, message: `invalid label value of ${quoted(key)}: ${valueRule}` }]),
  ]);

const annotations = (field: string, words: Words = {}): Problem[] =>
  Object.keys(words)
    .filter((key) => !isQualifiedName(key.toLowerCase())) // as Kubernetes does for annotations
    .map((key) => ({ field, message: `invalid annotation key ${quoted(key)}: ${keyRule}` }));

function variables({ env = {}, observability }: LocustTestSpec): Problem[] {
  const { configMapRefs = [], secretRefs = [] } = env;
  const named = (env.variables ?? []).map(({ name }, i) => [`spec.env.variables[${i}].name`, name] as const);
  const extra = Object.keys(observability?.openTelemetry?.extraEnvVars ?? {}).map(
    (name) => ["spec.observability.openTelemetry.extraEnvVars", name] as const,
  );
  const prefixes = Object.entries({ configMapRefs, secretRefs }).flatMap(([list, refs]) =>
    refs.flatMap(({ prefix }, i) => (prefix ? [[`spec.env.${list}[${i}].prefix`, prefix] as const] : [])),
  );
  return [...prefixes, ...named, ...extra]
    .filter(([, name]) => !isVariableName(name))
    .map(([field, name]) => ({ field, message: `invalid environment variable name ${quoted(name)}: ${variableRule}` }));
}

const isLabelValue = (value: string): boolean => value === "" || (!value.includes("/") && isQualifiedName(value));

/** The rule of every server since 1.29. Newer ones take more. */
const isVariableName = (name: string): boolean =>
  /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name) && name !== "." && !name.startsWith("..");

const keyRule = "use at most 63 letters, digits, '-', '_' and '.', after a domain and '/' where there is one";
const valueRule = "use at most 63 letters, digits, '-', '_' and '.'";
const variableRule = "use letters, digits, '-', '_' and '.', and no digit first";
