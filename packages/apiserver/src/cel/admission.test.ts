// Admission expressions: the recorded policies (W21 to W23), match conditions, the authorizer.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { at, isObject, type Json, type JsonObject } from "../json.ts";
import { type AdmissionInputs, evaluateCondition, evaluateConditions, evaluatePolicy } from "./admission.ts";
import { loadCel } from "./engine.ts";
import { validateBinding, validateConditions, validatePolicy } from "./policy-validation.ts";

beforeAll(loadCel);

const golden = new URL("../../test/fixtures/golden/", import.meta.url);
interface Step {
  do: string;
  path?: string;
  body?: JsonObject;
}
interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: JsonObject;
  pointers?: JsonObject;
}
const cases = JSON.parse(readFileSync(new URL("cases/W.json", golden), "utf8")) as { id: string; steps: Step[] }[];
const answers = readFileSync(new URL("recorded/v1.36/W.jsonl", golden), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { id: string; steps: Answer[] });

function stepsOf(id: string): (readonly [Step, Answer])[] {
  const steps = (cases.find((c) => c.id === id)?.steps ?? []).filter((s) => ["POST", "PATCH", "DELETE"].includes(s.do));
  const recorded = answers.find((a) => a.id === id)?.steps ?? [];
  return steps.map((step, i) => [step, recorded[i] ?? { status: 0 }] as const);
}

const causesOf = (answer: Answer): Json[] => {
  const details = answer.pointers?.["/details"] ?? answer.body?.["details"];
  const causes = isObject(details) ? details["causes"] : undefined;
  return Array.isArray(causes) ? causes : [];
};

const request = {
  operation: "CREATE",
  name: "b",
  namespace: "ns",
  resource: { group: "", version: "v1", resource: "configmaps" },
  userInfo: { username: "ann", groups: ["devs"] },
  dryRun: false,
};
const inputs = (object: Json, more: Partial<AdmissionInputs> = {}): AdmissionInputs => ({
  object,
  oldObject: null,
  request,
  namespaceObject: { metadata: { name: "ns", labels: { env: "prod" } } },
  authorize: ({ verb, resource }) => ({ allowed: verb === "get" && resource === "configmaps" }),
  ...more,
});

describe("policies judge as recorded", () => {
  for (const id of ["W21", "W22"])
    test(`${id} each write is denied, warned about or let through`, () => {
      const steps = stepsOf(id);
      const policy = steps[0]?.[0].body ?? {};
      const binding = steps[1]?.[0].body ?? {};
      let compared = 0;
      for (const [step, answer] of steps.slice(2)) {
        if (step.do === "DELETE") continue;
        const { denied, warnings } = evaluatePolicy(policy, binding, inputs(step.body ?? null));
        expect(denied === undefined ? [] : [{ message: denied.message }]).toEqual(causesOf(answer));
        expect(denied?.code ?? 201).toBe(answer.status);
        expect(warnings.map((w) => `299 - "${w}"`).join()).toBe(answer.headers?.["warning"] ?? "");
        compared++;
      }
      expect(compared).toBeGreaterThan(1);
    });
});

describe("W23 policies and bindings are refused as recorded", () => {
  stepsOf("W23").forEach(([step, answer], i) => {
    test(`W23 step ${i}`, () => {
      const check = step.path?.endsWith("bindings") === true ? validateBinding : validatePolicy;
      const errors = check(step.body ?? {}).map((e) => ({ field: e.field, message: e.body, reason: e.type }));
      expect(errors).toEqual(causesOf(answer));
    });
  });
});

test("a policy that is fine has no errors", () => {
  const [step] = stepsOf("W21")[0] ?? [];
  expect(validatePolicy(step?.body ?? {})).toEqual([]);
});

test("a failing policy lets through what it cannot judge when its failurePolicy is Ignore", () => {
  const policy = {
    metadata: { name: "p" },
    spec: { failurePolicy: "Ignore", validations: [{ expression: "object.none == 1" }] },
  };
  const binding = { metadata: { name: "b" }, spec: { validationActions: ["Deny"] } };
  expect(evaluatePolicy(policy, binding, inputs({}))).toEqual({ warnings: [] });
});

test("a composed variable is made once and may use those before it", () => {
  let asked = 0;
  const authorize = () => ({ allowed: asked++ === 0 });
  const policy = {
    metadata: { name: "p" },
    spec: {
      variables: [
        { name: "may", expression: "authorizer.requestResource.check('get').allowed()" },
        { name: "both", expression: "[variables.may, variables.may]" },
      ],
      validations: [{ expression: "variables.both.all(x, x) && variables.may" }],
    },
  };
  const binding = { metadata: { name: "b" }, spec: { validationActions: ["Deny"] } };
  expect(evaluatePolicy(policy, binding, inputs({}, { authorize }))).toEqual({ warnings: [] });
  expect(asked).toBe(1);
});

test("params are what the binding chose", () => {
  const policy = {
    metadata: { name: "p" },
    spec: {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "object.n <= params.max" }],
    },
  };
  const binding = { metadata: { name: "b" }, spec: { validationActions: ["Deny"] } };
  expect(evaluatePolicy(policy, binding, inputs({ n: 3 }, { params: { max: 2 } })).denied?.message).toBe(
    "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.n <= params.max",
  );
});

test.each([
  ["request.userInfo.username == 'ann' && 'devs' in request.userInfo.groups", true],
  ["request.resource.resource == 'configmaps' && request.operation == 'CREATE'", true],
  ["oldObject == null", true],
  ["namespaceObject.metadata.labels['env'] == 'prod'", true],
  ["authorizer.group('').resource('configmaps').namespace('ns').check('get').allowed()", true],
  ["authorizer.group('').resource('secrets').check('get').allowed()", false],
  ["authorizer.requestResource.check('get').allowed()", true],
  ["has(object.metadata.labels)", false],
])("the condition %s is %s", (expression, holds) => {
  expect(evaluateCondition(expression, inputs({ metadata: {} }))).toEqual({ holds });
});

test("a condition that fails tells its expression; one that is false decides all the same", () => {
  const failing = { name: "a", expression: "object.data.none == 'x'" };
  const why = "expression 'object.data.none == 'x'' resulted in error: no such key: none";
  expect(evaluateConditions([failing], inputs({ data: {} }))).toEqual({ error: why });
  expect(evaluateConditions([failing, { name: "b", expression: "false" }], inputs({ data: {} }))).toEqual({
    holds: false,
  });
});

test("conditions are checked when they are written", () => {
  const errors = validateConditions(
    [
      { name: "a", expression: "1" },
      { name: "a", expression: "request.nope == 1" },
    ],
    "m",
  );
  expect(errors.map((e) => `${e.field}: ${e.body.split("\n")[0]}`)).toEqual([
    'm[0].expression: Invalid value: "1": must evaluate to bool but got int',
    "m[1].expression: Invalid value: \"request.nope == 1\": compilation failed: ERROR: <input>:1:8: undefined field 'nope'",
    'm[1].name: Duplicate value: "a"',
  ]);
});

test("a policy is refused with the texts that v1.36 gave", () => {
  const policy: JsonObject = {
    metadata: { name: "q" },
    spec: {
      failurePolicy: "X",
      matchConstraints: {},
      matchConditions: [
        { name: "", expression: "" },
        { name: "a b", expression: "1" },
      ],
      variables: [{ name: "1a", expression: "x" }],
      validations: [
        { expression: "" },
        { expression: "true", message: "  " },
        { expression: "true", messageExpression: "1" },
      ],
      auditAnnotations: [{ key: "", valueExpression: "1" }],
    },
  };
  const name = "name part must consist of alphanumeric characters";
  const texts = validatePolicy(policy).map((e) =>
    `${e.field}: ${e.body.split("\n")[0]}`.replace(/(name part must consist of alphanumeric characters).*/, "$1"),
  );
  expect(texts).toEqual([
    'spec.failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
    "spec.matchConstraints.resourceRules: Required value",
    "spec.matchConditions[0].expression: Required value",
    "spec.matchConditions[0].name: Required value",
    'spec.matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int',
    `spec.matchConditions[1].name: Invalid value: "a b": ${name}`,
    'spec.variables[0].name: Invalid value: "1a": must be a valid CEL identifier',
    "spec.variables[0].expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')",
    "spec.validations[0].expression: Required value: expression is not specified",
    'spec.validations[1].message: Invalid value: "  ": must be non-empty if specified',
    'spec.validations[2].messageExpression: Invalid value: "1": must evaluate to string but got int',
    'spec.auditAnnotations[0].key: Invalid value: "q/": name part must be non-empty',
    `spec.auditAnnotations[0].key: Invalid value: "q/": ${name}`,
    'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
  ]);
});

test("the recorded policies have specs", () => {
  expect(at(stepsOf("W21")[0]?.[0].body, "spec", "validations")).toHaveLength(6);
});
