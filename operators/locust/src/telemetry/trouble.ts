// Why the web API could not be read, in words that anybody may see: fixed texts, and a class of error. Never a URL, a header or
// a body.
import { TimeoutError } from "@telltale/client";
import type { Answer } from "./web-api.ts";

export type TroubleReason = "MasterUnreachable" | "AuthenticationRequired" | "PermissionDenied" | "InvalidResponse";

export interface Trouble {
  readonly reason: TroubleReason;
  /** The class of error: `connection refused`, `timeout`, `HTTP 503`. */
  readonly what: string;
}

/** A read that came to nothing. */
export class Unread extends Error {
  readonly trouble: Trouble;

  constructor(reason: TroubleReason, what: string) {
    super(`the Locust web API could not be read: ${what}`);
    this.name = "Unread";
    this.trouble = { reason, what };
  }
}

/** What any error of a read comes to. One that nobody foresaw shows nothing of itself. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof Unread) return error.trouble;
  if (error instanceof TimeoutError) return { reason: "MasterUnreachable", what: "timeout" };
  return { reason: "MasterUnreachable", what: "connection failed" };
}

/** Why an answer is not the one that was asked for. */
export function refusalOf({ status, type, isOfServer = false }: Answer): Unread | undefined {
  if (isOfServer) return ofServer(status);
  if ([301, 302, 303, 307, 308, 401, 403].includes(status))
    return new Unread("AuthenticationRequired", `HTTP ${status}`);
  if (status >= 500) return new Unread("MasterUnreachable", `HTTP ${status}`);
  if (status !== 200) return new Unread("InvalidResponse", `HTTP ${status}`);
  return isJson(type) ? undefined : new Unread("InvalidResponse", "not JSON");
}

/** The API server's own answer: Locust was not asked. */
function ofServer(status: number): Unread {
  if (status === 403) return new Unread("PermissionDenied", "it may not get pods/proxy");
  return new Unread("MasterUnreachable", `API server: HTTP ${status}`);
}

const isJson = (type: string): boolean => /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type);
