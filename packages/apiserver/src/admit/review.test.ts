import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { BadResponse, type Decision, denied, readPatch, readResponse } from "./review.ts";

const answer = (response: Json, more: JsonObject = {}): JsonObject => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  response,
  ...more,
});
const patch = Buffer.from("[]").toString("base64");
const invalid = "received invalid webhook response: ";

test.for<[string, Json, boolean, string]>([
  ["another uid", answer({ uid: "other", allowed: true }), true, `${invalid}expected response.uid="u", got "other"`],
  ["no uid", answer({ allowed: true }), true, `${invalid}expected response.uid="u", got ""`],
  ["no response", { ...answer(null) }, true, `${invalid}webhook response was absent`],
  [
    "a patch without its type",
    answer({ uid: "u", patch }),
    true,
    `${invalid}webhook returned response.patch but not response.patchType`,
  ],
  [
    "a type without its patch",
    answer({ uid: "u", patchType: "JSONPatch" }),
    true,
    `${invalid}webhook returned response.patchType but not response.patch`,
  ],
  [
    "a patch that was not asked for",
    answer({ uid: "u", patch, patchType: "JSONPatch" }),
    false,
    `${invalid}validating webhook may not return response.patch`,
  ],
  [
    "another kind",
    answer({ uid: "u" }, { kind: "Other" }),
    true,
    'failed to call webhook: no kind "Other" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    "another version",
    answer({ uid: "u" }, { apiVersion: "admission.k8s.io/v1beta1" }),
    true,
    "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
  ],
  [
    "neither",
    { response: { uid: "u" } },
    true,
    `${invalid}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
  ],
  [
    "a member of another type",
    answer({ uid: "u", allowed: "yes" }),
    true,
    "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
  ],
  [
    "a patch that is no base64",
    answer({ uid: "u", patch: "!!!", patchType: "JSONPatch" }),
    true,
    "failed to call webhook: illegal base64 data at input byte 0",
  ],
])("W15 an answer with %s does not count", ([, given, mutating, message]) => {
  expect(() => readResponse(given, "v1", "u", mutating)).toThrow(new BadResponse(message));
});

test("W18 the older review needs no uid and no type of its patch", () => {
  const given = answer({ allowed: true, patch }, { apiVersion: "admission.k8s.io/v1beta1" });
  const decision = readResponse(given, "v1beta1", "u", true);
  expect([decision.allowed, decision.patch, decision.patchType]).toEqual([true, patch, "JSONPatch"]);
});

describe("W15 patches", () => {
  const decision = (text: string, patchType: string): Decision => ({
    allowed: true,
    status: {},
    warnings: [],
    patch: Buffer.from(text).toString("base64"),
    patchType,
  });
  test("of another type are not noticed while they are empty", () => {
    expect(readPatch(decision("[]", "MergePatch"))).toEqual([]);
  });
  test("of another type are refused", () => {
    const given = decision('[{"op":"remove","path":"/a"}]', "MergePatch");
    expect(() => readPatch(given)).toThrow(new BadResponse('unsupported patch type "MergePatch"'));
  });
  test.for([
    ["xyz", "invalid character 'x' looking for beginning of value"],
    ["{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"],
  ] as const)("that read %s cannot be decoded", ([text, why]) => {
    const message = `received undecodable patch in webhook response: ${why}`;
    expect(() => readPatch(decision(text, "JSONPatch"))).toThrow(new BadResponse(message));
  });
});

test.for<[JsonObject, number, string, string]>([
  [{}, 400, "", " without explanation"],
  [{ message: "no" }, 400, "", ": no"],
  [{ message: "no", code: 200 }, 400, "", ": no"],
  [{ message: "no", code: 499 }, 499, "", ": no"],
  [{ reason: "Forbidden", code: 403 }, 403, "Forbidden", ": Forbidden"],
])("a refusal with the status %j", ([status, code, reason, told]) => {
  const error = denied("w.example.com", { allowed: false, status, warnings: [], patch: "", patchType: "" });
  expect([error.code, error.reason, error.message]).toEqual([
    code,
    reason,
    `admission webhook "w.example.com" denied the request${told}`,
  ]);
});
