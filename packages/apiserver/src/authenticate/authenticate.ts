// Who a request is from: the transport's word, a bearer token, or nobody.
import type { KeyObject } from "node:crypto";
import type { Clock } from "@telltale/clock";
import type { ApiRequest, Headers, User } from "../request.ts";
import { issuer, readToken, type TokenClaims } from "./service-account.ts";

export interface AuthenticatorOptions {
  readonly clock: Clock;
  readonly tokens: ReadonlyMap<string, User>;
  readonly tokenKey: () => KeyObject;
  readonly anonymous: boolean;
  /** Whether a ServiceAccount is still there, with that uid. */
  readonly accountExists: (namespace: string, name: string, uid: string) => boolean;
}

export interface Authenticator {
  readonly anonymous: boolean;
  /** The user; undefined without credentials; `refused` for credentials that are wrong. */
  authenticate(request: ApiRequest): Promise<User | undefined | "refused">;
  impersonated(headers: Headers): User | { readonly error: string } | undefined;
  /** What a token is worth, for TokenReview. */
  review(
    token: string,
    audiences: readonly string[],
  ): { readonly user: User; readonly audiences: readonly string[] } | undefined;
}

export function authenticator(o: AuthenticatorOptions): Authenticator {
  const account = (token: string): TokenClaims | undefined => {
    const claims = readToken(o.tokenKey(), token, Math.floor(o.clock.now() / 1000));
    return claims !== undefined && o.accountExists(claims.namespace, claims.name, claims.uid) ? claims : undefined;
  };
  return {
    anonymous: o.anonymous,
    async authenticate({ peer, headers }) {
      const [scheme = "", token = ""] = (headers["authorization"] ?? "").split(/\s+/, 2);
      if (scheme.toLowerCase() === "bearer" && token !== "") {
        const known = o.tokens.get(token);
        if (known !== undefined) return known;
        const claims = token.split(".").length === 3 ? account(token) : undefined;
        return claims?.audiences.includes(issuer) === true ? claims.user : "refused";
      }
      return peer;
    },
    impersonated,
    review(token, audiences) {
      const known = o.tokens.get(token);
      if (known !== undefined) return { user: known, audiences: audiences.length === 0 ? [issuer] : audiences };
      const claims = account(token);
      if (claims === undefined) return undefined;
      const wanted = audiences.length === 0 ? [issuer] : audiences;
      const shared = wanted.filter((a) => claims.audiences.includes(a));
      return shared.length === 0 ? undefined : { user: claims.user, audiences: shared };
    },
  };
}

/** The key of an extra as its header spells it; what is no percent encoding stands for itself. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** `Impersonate-User`, `-Group`, `-Uid` and `-Extra-*`. */
function impersonated(headers: Headers): User | { error: string } | undefined {
  const username = headers["impersonate-user"];
  const groups = (headers["impersonate-group"] ?? "")
    .split(",")
    .map((g) => g.trim())
    .filter((g) => g !== "");
  const uid = headers["impersonate-uid"] ?? "";
  const extra: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith("impersonate-extra-") || value === undefined) continue;
    extra[unescaped(name.slice("impersonate-extra-".length))] = value.split(",").map((v) => v.trim());
  }
  if (username === undefined || username === "") {
    if (groups.length === 0 && uid === "" && Object.keys(extra).length === 0) return undefined;
    const list = groups.length === 0 ? "[]string(nil)" : `[]string{${groups.map((g) => JSON.stringify(g)).join(", ")}}`;
    const asked = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${list}, Extra:map[string][]string(nil)}`;
    return { error: `requested ${asked} without impersonating a user name` };
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  const own = account === null ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account[1]}`];
  const all = new Set([...(groups.length === 0 ? own : groups), "system:authenticated"]);
  if (username === "system:anonymous") all.delete("system:authenticated");
  return { username, uid, groups: [...all], extra };
}
