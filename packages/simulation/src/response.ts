// Answers that no server gave: what a fault, or another server, lets a client hear.
import { ConnectionError, type Request, type Response } from "@telltale/client";

export interface Refusal {
  readonly status: number;
  /** In seconds. */
  readonly retryAfter?: number;
  /** What a Status says in detail: `causes` tell a schema error from a conflict. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export function reset({ method, path }: Request): never {
  throw new ConnectionError("body", `${method} ${path}: the connection was reset`);
}

/** The last line of a watch from a version that is too old. */
export const expired = JSON.stringify({
  type: "ERROR",
  object: { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410, message: "too old" },
});

const reasons: Readonly<Record<number, string>> = {
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

export function refusal({ status, retryAfter, details }: Refusal): Response {
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `simulated ${status}`,
    reason: reasons[status] ?? "",
    code: status,
    ...(retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }),
    ...(details === undefined ? {} : { details }),
  });
  const headers = {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
  };
  return whole({ status, headers }, body);
}

/** An answer that is there at once. */
export function whole({ status, headers }: Pick<Response, "status" | "headers">, body: string): Response {
  return {
    status,
    headers,
    text: async () => body,
    chunks: () => once(body),
  };
}

async function* once(body: string): AsyncGenerator<string, void, undefined> {
  yield body;
}
