// ServiceAccount tokens: JSON web tokens that this server signs (ES256) and believes.
import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import type { User } from "../request.ts";

export const issuer = "https://kubernetes.default.svc";

export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The object that the token ends with. */
  readonly bound?: BoundObject;
  /** The node of a bound pod: told, not checked. Without uid when there is no such node. */
  readonly node?: { readonly name: string; readonly uid?: string };
}

export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
}

export interface TokenTerms {
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issued: number;
  readonly expires: number;
  readonly id: string;
}

export function signToken(key: KeyObject, subject: TokenSubject, terms: TokenTerms): string {
  const head = encode({ alg: "ES256", kid: "telltale", typ: "JWT" });
  const claims = encode({
    aud: [...terms.audiences],
    exp: terms.expires,
    iat: terms.issued,
    iss: issuer,
    jti: terms.id,
    "kubernetes.io": {
      namespace: subject.namespace,
      ...(subject.bound === undefined
        ? {}
        : { [subject.bound.kind.toLowerCase()]: { name: subject.bound.name, uid: subject.bound.uid } }),
      ...(subject.node === undefined ? {} : { node: { ...subject.node } }),
      serviceaccount: { name: subject.name, uid: subject.uid },
    },
    nbf: terms.issued,
    sub: `system:serviceaccount:${subject.namespace}:${subject.name}`,
  });
  const signature = sign("sha256", Buffer.from(`${head}.${claims}`), { key, dsaEncoding: "ieee-p1363" });
  return `${head}.${claims}.${signature.toString("base64url")}`;
}

export interface TokenClaims {
  readonly audiences: readonly string[];
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly bound: BoundObject | undefined;
  readonly user: User;
}

/** What a token says, if we signed it and it is still good. */
export function readToken(key: KeyObject, token: string, nowSeconds: number): TokenClaims | undefined {
  const [head, body, signature, ...more] = token.split(".");
  if (head === undefined || body === undefined || signature === undefined || more.length > 0) return undefined;
  const proof = Buffer.from(signature, "base64url");
  if (proof.length !== 64) return undefined;
  const good = verify(
    "sha256",
    Buffer.from(`${head}.${body}`),
    { key: createPublicKey(key), dsaEncoding: "ieee-p1363" },
    proof,
  );
  if (!good) return undefined;
  const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as JsonObject;
  if (Number(claims["exp"]) <= nowSeconds || claims["iss"] !== issuer) return undefined;
  const said = claims["kubernetes.io"];
  const namespace = text(at(said, "namespace"));
  const name = text(at(said, "serviceaccount", "name"));
  const uid = text(at(said, "serviceaccount", "uid"));
  const audiences = Array.isArray(claims["aud"]) ? claims["aud"].map((a: Json) => text(a)) : [];
  const user = serviceAccountUser(namespace, name, uid);
  return { audiences, namespace, name, uid, bound: boundObject(said), user: { ...user, extra: extraOf(claims) } };
}

const kinds = ["Pod", "Secret", "Node"] as const;

/** The object that a token ends with. The node of a pod is none. */
function boundObject(said: Json | undefined): BoundObject | undefined {
  const kind = kinds.find((one) => isObject(at(said, one.toLowerCase())));
  if (kind === undefined) return undefined;
  const reference = at(said, kind.toLowerCase());
  return { kind, name: text(at(reference, "name")), uid: text(at(reference, "uid")) };
}

/** What a token tells of itself beyond its account: its id, and the pod and the node that it is for. */
function extraOf(claims: JsonObject): User["extra"] {
  const id = text(claims["jti"]);
  const values = {
    "pod-name": text(at(claims, "kubernetes.io", "pod", "name")),
    "pod-uid": text(at(claims, "kubernetes.io", "pod", "uid")),
    "credential-id": id === "" ? "" : `JTI=${id}`,
    "node-name": text(at(claims, "kubernetes.io", "node", "name")),
    "node-uid": text(at(claims, "kubernetes.io", "node", "uid")),
  };
  const known = Object.entries(values).filter(([, value]) => value !== "");
  return Object.fromEntries(known.map(([name, value]) => [`authentication.kubernetes.io/${name}`, [value]]));
}

export function serviceAccountUser(namespace: string, name: string, uid: string): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra: {},
  };
}

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");
