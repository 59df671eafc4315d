// What went wrong with a call, as an `RpcError`: what the provider said, or what became of the way to it.
import { ConnectError } from "@connectrpc/connect";
import type { Ms } from "@telltale/kinds";
import { RetryInfoSchema } from "../contract/generated/google/rpc/retry_info_pb.js";
import { type Code, codes, RpcError } from "../contract/rpc-error.ts";

/** Why we ended a call ourselves. */
export type Ended = "deadline" | "caller";

export interface Circumstances {
  readonly ended?: Ended | undefined;
  /** The connection broke, and this is why. */
  readonly lost?: string | undefined;
  readonly isUnsent: boolean;
}

/** Of a request that was given to a connection. */
export function rpcErrorFrom(cause: unknown, { ended, lost, isUnsent }: Circumstances): RpcError {
  if (ended === "deadline") return new RpcError("DEADLINE_EXCEEDED", "no answer within the deadline", { isUnsent });
  if (ended === "caller") return new RpcError("CANCELLED", "the caller gave up", { isUnsent });
  // What the provider said counts, also when the connection broke right behind it.
  if (cause instanceof ConnectError && cause.isWireError) return said(cause);
  if (lost !== undefined) return new RpcError("UNAVAILABLE", `the connection broke: ${lost}`, { cause, isUnsent });
  if (!(cause instanceof ConnectError)) return new RpcError("INTERNAL", textOf(cause), { cause, isUnsent });
  const isOurs = /^(protocol error|unexpected end flag)/.test(cause.rawMessage); // the library blames the method or the request
  return new RpcError(isOurs ? "INTERNAL" : codeOf(cause.code), cause.rawMessage, { cause, isUnsent });
}

/** Of a request that no connection was found for. */
export function unconnected(ended: Ended | "closed", endpoint: string, trouble: string): RpcError {
  if (ended === "closed") return new RpcError("CANCELLED", "the way to the provider is closed", { isUnsent: true });
  if (ended === "caller") return new RpcError("CANCELLED", "the caller gave up", { isUnsent: true });
  const message = `no connection to ${endpoint} within the deadline: ${trouble}`;
  return new RpcError("UNAVAILABLE", message, { isUnsent: true });
}

function said(cause: ConnectError): RpcError {
  const after = delayIn(cause);
  return new RpcError(codeOf(cause.code), cause.rawMessage, { cause, ...(after === undefined ? {} : { after }) });
}

/** How long the provider asks us to wait. */
function delayIn(error: ConnectError): Ms | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  if (delay === undefined) return undefined;
  const ms = Number(delay.seconds) * 1000 + delay.nanos / 1e6;
  return ms > 0 && ms < Number.MAX_SAFE_INTEGER ? ms : undefined;
}

const names: ReadonlyMap<number, string> = new Map(Object.entries(codes).map(([name, number]) => [number, name]));
const isCode = (name: string | undefined): name is Code => name !== undefined && name in codes;

function codeOf(number: number): Code {
  const name = names.get(number);
  return isCode(name) ? name : "UNKNOWN";
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
