// The one error that comes back from a provider: a gRPC status code and a text.
import type { Ms } from "@telltale/kinds";

/** As gRPC numbers them. */
export const codes = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type Code = keyof typeof codes;

export interface RpcErrorOptions extends ErrorOptions {
  /** How long the provider asks us to wait. */
  readonly after?: Ms;
  /** The request never left: nothing was done. */
  readonly isUnsent?: boolean;
}

export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: Code;
  readonly after?: Ms;
  readonly isUnsent: boolean;

  constructor(code: Code, message: string, { after, isUnsent = false, ...options }: RpcErrorOptions = {}) {
    super(message, options);
    this.code = code;
    if (after !== undefined) this.after = after;
    this.isUnsent = isUnsent;
  }
}
