// POST serviceaccounts/token: a signed token for a ServiceAccount.
import type { KeyObject } from "node:crypto";
import { type Clock, type Random, uuid } from "@telltale/clock";
import { formatTime, type Instant } from "@telltale/kinds";
import { issuer, signToken, type TokenSubject } from "../authenticate/service-account.ts";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { badRequest, conflict, goQuote, invalid, invalidField, notFound } from "../status.ts";

export interface TokenIssuer {
  readonly key: KeyObject;
  readonly clock: Clock;
  readonly random: Random;
  /** Who is written down in managedFields. */
  readonly manager: string;
  /** A stored object of the core group; namespace is empty for nodes. */
  find(resource: string, namespace: string, name: string): JsonObject | undefined;
}

/** The request with a token in its status. `account` is the stored ServiceAccount. */
export function tokenRequest(request: JsonObject, account: JsonObject, by: TokenIssuer): JsonObject {
  const spec = at(request, "spec");
  const asked = at(spec, "expirationSeconds");
  const seconds = typeof asked === "number" || typeof asked === "bigint" ? asked : 3600;
  check(seconds);
  const given = at(spec, "audiences");
  const audiences = Array.isArray(given) && given.length > 0 ? given.map((item) => text(item)) : undefined;
  const reference = at(spec, "boundObjectRef");
  const issued = Math.floor(by.clock.now() / 1000);
  const expires = issued + Number(seconds);
  const namespace = text(at(account, "metadata", "namespace"));
  const name = text(at(account, "metadata", "name"));
  const uid = text(at(account, "metadata", "uid"));
  const bound = isObject(reference) ? boundTo(reference, { namespace, name }, by) : {};
  const subject: TokenSubject = { namespace, name, uid, ...bound };
  const terms = { audiences: audiences ?? [issuer], issued, expires, id: uuid(by.random) };
  const now = formatTime(by.clock.now());
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      name,
      namespace,
      uid,
      creationTimestamp: now,
      managedFields: [
        {
          manager: by.manager,
          operation: "Update",
          apiVersion: "authentication.k8s.io/v1",
          time: now,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": owned(audiences !== undefined, isObject(reference) ? reference : undefined) },
          subresource: "token",
        },
      ],
    },
    spec: {
      audiences: [...terms.audiences],
      expirationSeconds: seconds,
      boundObjectRef: isObject(reference) ? reference : null,
    },
    status: {
      token: signToken(by.key, subject, terms),
      expirationTimestamp: formatTime((expires * 1000) as Instant),
    },
  };
}

function check(seconds: number | bigint): void {
  const field = "spec.expirationSeconds";
  const error =
    seconds < 600
      ? invalidField(field, seconds, "may not specify a duration less than 10 minutes")
      : seconds > 2 ** 32
        ? invalidField(field, seconds, "may not specify a duration larger than 2^32 seconds")
        : undefined;
  if (error !== undefined) throw invalid("authentication.k8s.io", "TokenRequest", "", [error]);
}

const bindable = [
  { kind: "Pod", resource: "pods", local: true },
  { kind: "Secret", resource: "secrets", local: true },
  { kind: "Node", resource: "nodes", local: false },
] as const;

function boundTo(
  reference: JsonObject,
  account: { readonly namespace: string; readonly name: string },
  by: TokenIssuer,
): Pick<TokenSubject, "bound" | "node"> {
  const apiVersion = text(reference["apiVersion"]);
  const name = text(reference["name"]);
  const uid = text(reference["uid"]);
  const target = apiVersion === "v1" ? bindable.find(({ kind }) => kind === reference["kind"]) : undefined;
  if (target === undefined)
    throw badRequest(`cannot bind token to object of type ${goKind(apiVersion, text(reference["kind"]))}`);
  if (name === "") throw badRequest("Name parameter required.");
  const { kind } = target;
  const object = by.find(target.resource, target.local ? account.namespace : "", name);
  if (object === undefined) throw notFound({ group: "", resource: target.resource }, name);
  if (kind === "Pod" && text(at(object, "spec", "serviceAccountName")) !== account.name) {
    const named = goQuote(account.name);
    throw badRequest(
      `cannot bind token for serviceaccount ${named} to pod running with different serviceaccount name.`,
    );
  }
  const actual = text(at(object, "metadata", "uid"));
  if (uid !== "" && uid !== actual) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kind }, name, why);
  }
  const bound = { kind, name, uid: actual };
  const nodeName = kind === "Pod" ? text(at(object, "spec", "nodeName")) : "";
  return nodeName === "" ? { bound } : { bound, node: nodeOf(nodeName, by) };
}

function nodeOf(name: string, by: TokenIssuer): { readonly name: string; readonly uid?: string } {
  const uid = text(at(by.find("nodes", "", name), "metadata", "uid"));
  return uid === "" ? { name } : { name, uid };
}

/** A type as Go prints it: `apps/v1, Kind=Deployment`; the core group is empty. */
function goKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** The fields that the client and the defaults set, as managedFields tells it. */
function owned(audiences: boolean, reference: JsonObject | undefined): JsonObject {
  const parts = Object.entries(reference ?? {}).filter(([, value]) => value !== "");
  const fields = Object.fromEntries(parts.map(([name]) => [`f:${name}`, {} as Json]));
  return {
    ...(audiences ? { "f:audiences": {} } : {}),
    ...(reference === undefined ? {} : { "f:boundObjectRef": fields }),
    "f:expirationSeconds": {},
  };
}
