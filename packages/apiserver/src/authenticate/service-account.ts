// ServiceAccount tokens: JSON web tokens that this server signs (ES256) and believes.
import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { at, type Json, type JsonObject, text } from "../json.ts";
import type { User } from "../request.ts";

export const issuer = "https://kubernetes.default.svc";

export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The pod or secret that the token ends with. */
  readonly bound?: { readonly kind: string; readonly name: string; readonly uid: string };
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
  const namespace = text(at(claims, "kubernetes.io", "namespace"));
  const name = text(at(claims, "kubernetes.io", "serviceaccount", "name"));
  const uid = text(at(claims, "kubernetes.io", "serviceaccount", "uid"));
  const audiences = Array.isArray(claims["aud"]) ? claims["aud"].map((a: Json) => text(a)) : [];
  return { audiences, namespace, name, uid, user: serviceAccountUser(namespace, name, uid, text(claims["jti"])) };
}

export function serviceAccountUser(namespace: string, name: string, uid: string, tokenId = ""): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra: tokenId === "" ? {} : { "authentication.kubernetes.io/credential-id": [`JTI=${tokenId}`] },
  };
}

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");
