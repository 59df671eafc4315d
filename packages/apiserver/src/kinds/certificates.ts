// CertificateSigningRequests: who asked is written by the server, and only approval and status change afterwards.
import type { KindRef } from "@telltale/kinds";
import { at, type JsonObject, text } from "../json.ts";
import { duplicate, type FieldError, forbiddenField, invalidField, notSupported, required } from "../status.ts";
import { each, given, list } from "./edit.ts";
import { keeping, type Strategy, statusOnly, strategy, without } from "./strategy.ts";

type Found = FieldError[];

export function csrStrategy(kind: KindRef): Strategy {
  return strategy(kind, "certificates.CertificateSigningRequest", {
    subresources: [{ name: "approval", kind: kind.kind, verbs: ["get", "patch", "update"] }],
    parts: {
      approval: {
        prepare: (request, old, { now }) => prepareApproval(request, old, now),
        validate: (request, old) => validateApproval(request, old),
      },
    },
    prepareCreate: (request, { user }) => {
      const spec: JsonObject = without(given(request, "spec") ?? {}, "username", "uid", "groups", "extra");
      if (user !== undefined) {
        if (user.username !== "") spec["username"] = user.username;
        if (user.uid !== "") spec["uid"] = user.uid;
        if (user.groups.length > 0) spec["groups"] = [...user.groups];
      }
      return { ...without(request, "status"), spec };
    },
    prepareUpdate: (request, old) => keeping(keeping(request, old, "spec"), old, "status"),
    // Conditions of approval are not the signer's to change.
    prepareStatusUpdate: (request, old, { now }) => stamped(statusOnly(request, old), old, now),
    validate: validateRequest,
    validateUpdate: () => [],
    validateStatusUpdate: (request, old) => [...conditions(request, old), ...certificate(request)],
    fields: {
      names: ["spec.signerName"],
      read: (request) => ({ "spec.signerName": text(at(request, "spec", "signerName")) }),
    },
  });
}

/** For `/approval`: the old request with the new conditions. */
export function prepareApproval(request: JsonObject, old: JsonObject, now: string): JsonObject {
  const status = keeping(given(old, "status") ?? {}, given(request, "status") ?? {}, "conditions");
  return stamped({ ...old, metadata: request["metadata"] ?? {}, status }, old, now);
}

/** What is wrong with an approval. */
export const validateApproval = (request: JsonObject, old: JsonObject): FieldError[] => conditions(request, old);

/** New conditions get their times. */
function stamped(request: JsonObject, old: JsonObject, now: string): JsonObject {
  const status = given(request, "status");
  if (status === undefined || list(status, "conditions").length === 0) return request;
  const before = each(given(old, "status"), "conditions");
  const all = each(status, "conditions").map((condition) => {
    const same = before.find((b) => b["type"] === condition["type"] && b["status"] === condition["status"]);
    return {
      ...condition,
      lastUpdateTime: condition["lastUpdateTime"] ?? same?.["lastUpdateTime"] ?? now,
      lastTransitionTime: condition["lastTransitionTime"] ?? same?.["lastTransitionTime"] ?? now,
    };
  });
  return { ...request, status: { ...status, conditions: all } };
}

function validateRequest(request: JsonObject): Found {
  const spec = given(request, "spec") ?? {};
  const found: Found = [];
  const pem = Buffer.from(text(spec["request"]), "base64").toString("latin1");
  if (!/-----BEGIN CERTIFICATE REQUEST-----/.test(pem))
    found.push(invalidField("spec.request", text(spec["request"]), "PEM block type must be CERTIFICATE REQUEST"));
  if (list(spec, "usages").length === 0) found.push(required("spec.usages"));
  found.push(...signer(text(spec["signerName"])));
  return found;
}

function signer(name: string): Found {
  if (name === "") return [required("spec.signerName")];
  const slash = name.indexOf("/");
  return slash <= 0 || slash === name.length - 1 || name.indexOf("/", slash + 1) >= 0
    ? [
        invalidField(
          "spec.signerName",
          name,
          "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        ),
      ]
    : [];
}

const final = ["Approved", "Denied", "Failed"];

function conditions(request: JsonObject, old: JsonObject): Found {
  const now = each(given(request, "status"), "conditions");
  const types = new Set<string>();
  const found: Found = [];
  for (const [i, condition] of now.entries()) {
    const path = `status.conditions[${i}]`;
    const type = text(condition["type"]);
    const state = text(condition["status"]);
    if (type === "") found.push(required(`${path}.type`));
    if (state === "") found.push(required(`${path}.status`));
    else if (final.includes(type) && state !== "True") found.push(notSupported(`${path}.status`, state, ["True"]));
    if (types.has(type)) found.push(duplicate(`${path}.type`, type));
    types.add(type);
  }
  if (types.has("Approved") && types.has("Denied"))
    found.push(invalidField("status.conditions", "", "Approved and Denied conditions are mutually exclusive"));
  for (const condition of each(given(old, "status"), "conditions")) {
    const type = text(condition["type"]);
    if (final.includes(type) && !types.has(type))
      found.push(
        forbiddenField("status.conditions", `updates may not remove a condition of type ${JSON.stringify(type)}`),
      );
  }
  return found;
}

function certificate(request: JsonObject): Found {
  const data = text(at(request, "status", "certificate"));
  if (data === "" || /-----BEGIN CERTIFICATE-----/.test(Buffer.from(data, "base64").toString("latin1"))) return [];
  return [invalidField("status.certificate", "<certificate data>", "must contain at least one CERTIFICATE PEM block")];
}
