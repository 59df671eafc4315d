// What can go wrong between us and a server: it said no (`ApiError`), it could not be reached (`ConnectionError`), it took
// too long (`TimeoutError`), or a stream broke (`StreamError`).
import type { Ms } from "@telltale/kinds";

/** What a server says of a refusal: `metav1.Status`. */
export interface Status {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
  readonly metadata?: { readonly continue?: string };
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The server answered, and the answer is no. */
export class ApiError extends Error {
  readonly code: number;
  /** One word: `NotFound`, `Conflict`, `Invalid`. Empty where the server gave none. */
  readonly reason: string;
  readonly details: StatusDetails;
  readonly causes: readonly StatusCause[];
  /** How long the server asks to be left alone. */
  readonly retryAfter?: Ms;
  readonly status: Status;
  /** What was asked: `GET /api/v1/pods`. */
  readonly request: string;

  constructor(request: string, status: Status, retryAfter?: Ms) {
    const code = status.code ?? 0;
    super(`${request}: ${code}${status.reason ? ` ${status.reason}` : ""}: ${status.message || "no message"}`);
    this.name = "ApiError";
    this.request = request;
    this.status = status;
    this.code = code;
    this.reason = status.reason ?? "";
    this.details = status.details ?? {};
    this.causes = status.details?.causes ?? [];
    const seconds = status.details?.retryAfterSeconds;
    const wait = retryAfter ?? (seconds === undefined || seconds <= 0 ? undefined : seconds * 1000);
    if (wait !== undefined) this.retryAfter = wait;
  }
}

/** Where a connection failed. */
export type ConnectionStep =
  | "closed" // our own transport: nothing is sent any more
  | "credentials" // reading a token, a certificate or a plugin's answer
  | "resolve" // the server's name
  | "connect" // the socket
  | "proxy" // the way through the proxy
  | "tls" // the handshake: certificates and names
  | "exchange" // after the request may have left
  | "body" // while the answer was read
  | "size"; // the answer is larger than we read

/** No answer, or only a part of one. */
export class ConnectionError extends Error {
  readonly step: ConnectionStep;
  /** Whether the server may have seen the request. */
  readonly sent: boolean;

  constructor(step: ConnectionStep, message: string, options?: ErrorOptions) {
    super(`${step}: ${message}`, options);
    this.name = "ConnectionError";
    this.step = step;
    this.sent = step === "exchange" || step === "body" || step === "size";
  }
}

/** No answer in time, by our own clock. */
export class TimeoutError extends Error {
  readonly after: Ms;

  constructor(request: string, after: Ms) {
    super(`${request}: no answer within ${after} ms; the server may have acted on it all the same`);
    this.name = "TimeoutError";
    this.after = after;
  }
}

export type StreamFault =
  | "cut" // ended within a line
  | "garbled" // a line that is no event
  | "oversized" // a line that is longer than we read
  | "stalled"; // nothing came for too long

/** A stream that cannot be read on: watch again from the last event that came through whole. */
export class StreamError extends Error {
  readonly fault: StreamFault;

  constructor(fault: StreamFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StreamError";
    this.fault = fault;
  }
}

const api = (error: unknown): ApiError | undefined => (error instanceof ApiError ? error : undefined);

export function isNotFound(error: unknown): boolean {
  const it = api(error);
  return it !== undefined && (it.reason === "NotFound" || (it.reason === "" && it.code === 404));
}

export function isAlreadyExists(error: unknown): boolean {
  return api(error)?.reason === "AlreadyExists";
}

/** The object is not what we took it for: a stale version or uid, or a failed `test` of a JSON Patch. */
export function isConflict(error: unknown): boolean {
  const it = api(error);
  if (it === undefined) return false;
  return (it.code === 409 && it.reason !== "AlreadyExists") || isFailedTest(it);
}

/** The version or the continue token is too old: list again. */
export function isExpired(error: unknown): boolean {
  const it = api(error);
  return it !== undefined && (it.code === 410 || it.reason === "Expired" || it.reason === "Gone");
}

/** What Kubernetes calls both `Gone` and `Expired`: the same to a caller. */
export function isGone(error: unknown): boolean {
  return isExpired(error);
}

/** The object itself is wrong; `causes` says where. */
export function isInvalid(error: unknown): boolean {
  const it = api(error);
  return it !== undefined && it.code === 422 && !isFailedTest(it);
}

export function isTooManyRequests(error: unknown): boolean {
  const it = api(error);
  return it !== undefined && (it.code === 429 || it.reason === "TooManyRequests");
}

export function isUnauthorized(error: unknown): boolean {
  return api(error)?.code === 401;
}

export function isForbidden(error: unknown): boolean {
  return api(error)?.code === 403;
}

/** A patch that did not fit comes as 422 without a word on which object or field; an invalid object names both. */
function isFailedTest(error: ApiError): boolean {
  const { name, kind, causes } = error.details;
  return error.code === 422 && name === undefined && kind === undefined && (causes ?? []).length === 0;
}
