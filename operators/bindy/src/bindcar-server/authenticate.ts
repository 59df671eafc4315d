// Who may ask (9.6): one shared secret, or a service account that the API server knows. All that a caller hears is that it
// was not recognised.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Secret } from "@telltale/status";

/** Undefined: it may. Else what it is told, with 401. */
export type Authenticate = (header: string | undefined) => Promise<string | undefined>;

/** The token of a header, or what is wrong with it. */
export function bearerOf(header: string | undefined): { readonly token: string } | { readonly wrong: string } {
  if (header === undefined) return { wrong: "Missing Authorization header" };
  if (!header.startsWith("Bearer") || !/^Bearer( |$)/.test(header))
    return { wrong: "Invalid Authorization header format. Expected: Bearer <token>" };
  const token = header.slice("Bearer ".length).trim();
  return token === "" ? { wrong: "Empty token" } : { token };
}

export const anybody: Authenticate = async () => undefined;

export function sharedSecret(secret: Secret): Authenticate {
  const wanted = hash(secret.reveal());
  return async (header) => {
    const bearer = bearerOf(header);
    if ("wrong" in bearer) return bearer.wrong;
    return timingSafeEqual(hash(bearer.token), wanted) ? undefined : "Invalid API token";
  };
}

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

export interface TokenReviewRules {
  readonly audiences: readonly string[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** `system:serviceaccount:ns:name`. Empty: all. */
  readonly accounts: readonly string[];
}

/** What the API server says of a token. */
export interface Reviewed {
  readonly authenticated: boolean;
  readonly username: string;
  readonly audiences: readonly string[];
}

export type Review = (token: string, audiences: readonly string[]) => Promise<Reviewed>;

export interface TokenReviewOptions {
  readonly rules: TokenReviewRules;
  readonly review: Review;
  readonly clock: Clock;
  /** Told why somebody was refused, without the token; and when nobody could be asked. */
  readonly onRefusal?: (why: string) => void;
}

const remembered: Ms = 60_000;
const most = 1_000;

export function tokenReview({ rules, review, clock, onRefusal }: TokenReviewOptions): Authenticate {
  // By hash: the tokens themselves are not kept.
  let known = new Map<string, { readonly verdict: string | undefined; readonly at: Ms }>();
  return async (header) => {
    const bearer = bearerOf(header);
    if ("wrong" in bearer) return bearer.wrong;
    const key = hash(bearer.token).toString("hex");
    const now = clock.uptime();
    const there = known.get(key);
    if (there !== undefined && now - there.at < remembered) return there.verdict;
    const why = await judged(bearer.token, rules, review);
    if (why !== undefined) onRefusal?.(why);
    const verdict = why === undefined ? undefined : "Unauthorized";
    // A server that could not be asked says nothing about the token.
    if (why !== unasked) known.set(key, { verdict, at: now });
    if (known.size > most) known = new Map([...known].slice(-most / 2));
    return verdict;
  };
}

const unasked = "the API server could not be asked";

async function judged(token: string, rules: TokenReviewRules, review: Review): Promise<string | undefined> {
  let reviewed: Reviewed;
  try {
    reviewed = await review(token, rules.audiences);
  } catch {
    return unasked;
  }
  return refusalOf(reviewed, rules);
}

/** Pure: why an account is refused, or undefined when it is not. */
export function refusalOf(
  { authenticated, username, audiences }: Reviewed,
  rules: TokenReviewRules,
): string | undefined {
  if (!authenticated) return "the token is not valid";
  if (!audiences.some((it) => rules.audiences.includes(it))) return "the token is for another audience";
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username) ?? [];
  if (rules.namespaces.length > 0 && (namespace === undefined || !rules.namespaces.includes(namespace)))
    return "its namespace is not in BIND_ALLOWED_NAMESPACES";
  if (rules.accounts.length > 0 && !rules.accounts.includes(username))
    return "its account is not in BIND_ALLOWED_SERVICE_ACCOUNTS";
  return undefined;
}
