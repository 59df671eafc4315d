// Who a request is from: the transport's word, a bearer token, or nobody.
import type { KeyObject } from "node:crypto";
import type { Clock } from "@telltale/clock";
import { at, type JsonObject, text } from "../json.ts";
import type { ApiRequest, Headers, User } from "../request.ts";
import { goQuote } from "../status.ts";
import { issuer, readToken, type TokenClaims } from "./service-account.ts";

export interface AuthenticatorOptions {
  readonly clock: Clock;
  readonly tokens: ReadonlyMap<string, User>;
  readonly tokenKey: () => KeyObject;
  readonly anonymous: boolean;
  /** A stored object of the core group; namespace is empty for nodes. */
  readonly find: (resource: string, namespace: string, name: string) => JsonObject | undefined;
}

export interface Authenticator {
  readonly anonymous: boolean;
  /** The user; undefined without credentials; `refused` for credentials that are wrong. */
  authenticate(request: ApiRequest): Promise<User | undefined | "refused">;
  impersonated(headers: Headers): User | { readonly error: string } | undefined;
  /** What a token is worth, for TokenReview; where it is worth nothing, why, if it is one of ours. */
  review(
    token: string,
    audiences: readonly string[],
  ): { readonly user: User; readonly audiences: readonly string[] } | { readonly error?: string };
}

/** So long after the deletionTimestamp of an account, or of the object that it is bound to, a token is still good. */
const leewayMs = 60_000;

export function authenticator(o: AuthenticatorOptions): Authenticator {
  const read = (token: string) => readToken(o.tokenKey(), token, Math.floor(o.clock.now() / 1000));
  const invalid = (claims: TokenClaims) => invalidity(claims, o.find, o.clock.now());
  return {
    anonymous: o.anonymous,
    async authenticate({ peer, headers }) {
      const [scheme = "", token = ""] = (headers["authorization"] ?? "").split(/\s+/, 2);
      if (scheme.toLowerCase() === "bearer" && token !== "") {
        const known = o.tokens.get(token);
        if (known !== undefined) return known;
        const claims = token.split(".").length === 3 ? read(token) : undefined;
        const good = claims?.audiences.includes(issuer) === true && invalid(claims) === undefined;
        return good ? claims.user : "refused";
      }
      return peer;
    },
    impersonated,
    review(token, audiences) {
      const known = o.tokens.get(token);
      if (known !== undefined) return { user: known, audiences: audiences.length === 0 ? [issuer] : audiences };
      const claims = read(token);
      if (claims === undefined) return {};
      const wanted = audiences.length === 0 ? [issuer] : audiences;
      const shared = wanted.filter((a) => claims.audiences.includes(a));
      const list = (names: readonly string[]) => `[${names.map(goQuote).join(" ")}]`;
      const error =
        shared.length === 0
          ? `token audiences ${list(claims.audiences)} is invalid for the target audiences ${list(wanted)}`
          : invalid(claims);
      return error === undefined ? { user: claims.user, audiences: shared } : { error };
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

/** Why a token that we signed is no longer good. */
function invalidity(
  { namespace, name, uid, bound }: TokenClaims,
  find: AuthenticatorOptions["find"],
  now: number,
): string | undefined {
  const ended = (object: JsonObject) => Date.parse(text(at(object, "metadata", "deletionTimestamp"))) < now - leewayMs;
  const account = find("serviceaccounts", namespace, name);
  if (account === undefined) return `serviceaccounts ${goQuote(name)} not found`;
  const accountUid = text(at(account, "metadata", "uid"));
  if (accountUid !== uid) return `service account UID (${accountUid}) does not match claim (${uid})`;
  if (ended(account)) return `service account ${namespace}/${name} has been deleted`;
  if (bound === undefined) return undefined;
  const kind = bound.kind.toLowerCase();
  const object = find(`${kind}s`, bound.kind === "Node" ? "" : namespace, bound.name);
  if (object === undefined) return "service account token has been invalidated";
  const actual = text(at(object, "metadata", "uid"));
  if (actual !== bound.uid) {
    return `${kind} UID (${actual}) does not match service account ${kind} ref claim (${bound.uid})`;
  }
  return ended(object) ? "service account token has been invalidated" : undefined;
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
