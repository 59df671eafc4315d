// One request through the stages, in order: who asks, what for, whether they may, what is refused on purpose, the answer.
import { type Clock, type Random, uuid } from "@telltale/clock";
import type { Authenticator } from "../authenticate/authenticate.ts";
import type { Authorizer } from "../authorize/authorizer.ts";
import { isPretty, type Negotiated, negotiateStatus } from "../decode/media.ts";
import { ConnectionReset, type Faults } from "../faults/faults.ts";
import type { ApiRequest, ApiResponse, Call, User } from "../request.ts";
import { badRequest, forbidden, internal, StatusError, unauthorized } from "../status.ts";
import { StoreFailed } from "../store/errors.ts";
import { type RequestInfo, requestInfo } from "./info.ts";
import { notFoundPage, respondStatus, Warnings } from "./respond.ts";

/** A stage that may know how to answer a routed request. */
export type Route = (call: Call, info: RequestInfo, warnings: Warnings) => Promise<ApiResponse | undefined>;

export interface Stages {
  readonly clock: Clock;
  readonly random: Random;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly faults: Faults;
  readonly routes: readonly Route[];
  /** What nobody expected; the request is answered all the same. */
  readonly log: (line: string) => void;
  /** Requests of which something is noted. */
  readonly audit?: ((event: AuditEvent) => void) | undefined;
}

/** What was noted of one request, in the words of Kubernetes' audit events. */
export interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: string;
  /** What it was answered with. */
  readonly code: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Paths that anybody may read. */
const open = /^\/(healthz|livez|readyz)(\/|$)|^\/version\/?$/;

export function handler(stages: Stages): (request: ApiRequest) => Promise<ApiResponse> {
  return async (request) => {
    const warnings = new Warnings();
    const auditId = request.headers["audit-id"] ?? uuid(stages.random);
    const noted: Noted = { verb: "", user: "", annotations: {} };
    let answer: ApiResponse;
    try {
      answer = await route(stages, request, warnings, noted);
    } catch (error) {
      if (error instanceof ConnectionReset) throw error;
      if (!(error instanceof StatusError))
        stages.log(`${request.method} ${request.url}: ${error instanceof Error ? error.stack : error}`);
      answer = await respondStatus(refusal(error), statusForm(request), warnings);
    }
    answer.headers["audit-id"] = auditId;
    if (Object.keys(noted.annotations).length > 0)
      stages.audit?.({ auditID: auditId, requestURI: request.url, code: answer.status, ...noted });
    return answer;
  };
}

/** What the client is told. What nobody expected is in the log; its text is not the client's business. */
function refusal(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof StoreFailed) return internal(error.message);
  // A value that some stage could not walk through without running out of stack.
  if (error instanceof RangeError && error.message.includes("call stack")) return badRequest("exceeded max depth");
  return internal("this request met a defect of the server; its log says more");
}

interface Noted {
  verb: string;
  user: string;
  readonly annotations: Record<string, string>;
}

async function route(stages: Stages, request: ApiRequest, warnings: Warnings, noted: Noted): Promise<ApiResponse> {
  const { path, query } = split(request.url);
  const info = requestInfo(request.method, path, query);
  const user = await identify(stages, request, info, path);
  const annotate = (name: string, value: string) => {
    Object.assign(noted, { verb: info.verb, user: user.username });
    noted.annotations[name] = value;
  };
  const call: Call = {
    request,
    query,
    user,
    warn: warnings.add,
    ...(stages.audit === undefined ? {} : { annotate }),
  };
  if (!(open.test(path) && (request.method === "GET" || request.method === "HEAD"))) authorize(stages, info, user);
  const answer = await stages.faults.around(call, info, async (seen) => {
    for (const candidate of stages.routes) {
      const found = await candidate(seen, info, warnings);
      if (found !== undefined) return found;
    }
    return notFoundPage();
  });
  return answer;
}

/** Whatever the request was for, its failure is told in a form that the client accepts. */
function statusForm({ url, headers }: ApiRequest): Pick<Negotiated, "mediaType" | "pretty"> {
  return {
    mediaType: negotiateStatus(headers["accept"], false),
    pretty: isPretty(split(url).query, headers["user-agent"]),
  };
}

function split(url: string): { path: string; query: URLSearchParams } {
  const cut = url.indexOf("?");
  return cut < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, cut), query: new URLSearchParams(url.slice(cut + 1)) };
}

const anonymous: User = { username: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} };

/** Who asks: a certificate, a token, a caller in this process; and on whose behalf. */
async function identify(stages: Stages, request: ApiRequest, info: RequestInfo, path: string): Promise<User> {
  const user = await stages.authenticator.authenticate(request);
  if (user === "refused") throw unauthorized();
  if (user === undefined) {
    if (open.test(path)) return anonymous;
    if (stages.authenticator.anonymous) return anonymous;
    throw unauthorized();
  }
  const other = stages.authenticator.impersonated(request.headers);
  if (other === undefined) return user;
  if ("error" in other) throw badRequest(other.error);
  stages.authorizer.checkImpersonation(user, other, info);
  return other;
}

function authorize(stages: Stages, info: RequestInfo, user: User): void {
  const why = stages.authorizer.refuse(user, info);
  if (why === undefined) return;
  if (!info.isResource) throw forbidden({ group: "", resource: "" }, "", why);
  throw forbidden({ group: info.group, resource: info.resource }, info.name, why);
}
