// What went wrong with a call, as an `RpcError`: what the provider said, or what became of the way to it.
import { constants } from "node:http2";
import { ConnectError } from "@connectrpc/connect";
import type { Ms } from "@telltale/kinds";
import { RetryInfoSchema } from "../contract/generated/google/rpc/retry_info_pb.js";
import { type Code, codes, RpcError } from "../contract/rpc-error.ts";
import type { Failed } from "./exchange.ts";

/** Why we ended a call ourselves. */
export type Ended = "deadline" | "caller";

export interface Circumstances extends Failed {
  readonly ended: Ended | undefined;
  /** The connection broke, and this is why. */
  readonly lost: string | undefined;
}

/** As gRPC maps them. */
const resets: ReadonlyMap<number, Code> = new Map([
  [constants.NGHTTP2_PROTOCOL_ERROR, "INTERNAL"],
  [constants.NGHTTP2_INTERNAL_ERROR, "INTERNAL"],
  [constants.NGHTTP2_FLOW_CONTROL_ERROR, "INTERNAL"],
  [constants.NGHTTP2_SETTINGS_TIMEOUT, "INTERNAL"],
  [constants.NGHTTP2_FRAME_SIZE_ERROR, "INTERNAL"],
  [constants.NGHTTP2_REFUSED_STREAM, "UNAVAILABLE"],
  [constants.NGHTTP2_CANCEL, "CANCELLED"],
  [constants.NGHTTP2_COMPRESSION_ERROR, "INTERNAL"],
  [constants.NGHTTP2_CONNECT_ERROR, "INTERNAL"],
  [constants.NGHTTP2_ENHANCE_YOUR_CALM, "RESOURCE_EXHAUSTED"],
  [constants.NGHTTP2_INADEQUATE_SECURITY, "PERMISSION_DENIED"],
]);

/** Of a request that was given to a connection. */
export function rpcErrorFrom(cause: unknown, circumstances: Circumstances): RpcError {
  const { ended, lost, reset = 0, isUnsent } = circumstances;
  if (ended === "deadline") return new RpcError("DEADLINE_EXCEEDED", "no answer within the deadline", { isUnsent });
  if (ended === "caller") return new RpcError("CANCELLED", "the caller gave up", { isUnsent });
  // What the provider said counts, also when the connection broke right behind it.
  const said = saidBy(circumstances, cause);
  if (said !== undefined) return said;
  if (lost !== undefined) return new RpcError("UNAVAILABLE", `the connection broke: ${lost}`, { cause, isUnsent });
  const code = resets.get(reset) ?? codeFor(cause);
  return new RpcError(code, textOf(cause), { cause, isUnsent });
}

/** Of a request that no connection was found for. */
export function unconnected(ended: Ended | "closed", endpoint: string, trouble: string): RpcError {
  if (ended === "closed") return new RpcError("CANCELLED", "the way to the provider is closed", { isUnsent: true });
  if (ended === "caller") return new RpcError("CANCELLED", "the caller gave up", { isUnsent: true });
  const message = `no connection to ${endpoint} within the deadline: ${trouble}`;
  return new RpcError("UNAVAILABLE", message, { isUnsent: true });
}

function saidBy({ status = "", message = "" }: Failed, cause: unknown): RpcError | undefined {
  const code = codeOf(/^\d{1,2}$/.test(status) ? Number(status) : 0);
  if (code === undefined) return undefined;
  const after = cause instanceof ConnectError ? delayIn(cause) : undefined;
  return new RpcError(code, decoded(message), { cause, ...(after === undefined ? {} : { after }) });
}

/** How long the provider asks us to wait. */
function delayIn(error: ConnectError): Ms | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  if (delay === undefined) return undefined;
  const ms = Number(delay.seconds) * 1000 + delay.nanos / 1e6;
  return ms > 0 && ms < Number.MAX_SAFE_INTEGER ? ms : undefined;
}

/** Bytes of UTF-8 that are no printable ASCII stand there as `%41`. What is encoded wrongly stays as it is. */
function decoded(text: string): string {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Of an answer that is no answer. The library has codes for this that blame the request or the method. */
function codeFor(cause: unknown): Code {
  if (!(cause instanceof ConnectError)) return "INTERNAL";
  const isHttp = /^HTTP \d+$|^unsupported content type/.test(cause.rawMessage);
  const isTooLarge = cause.code === codes.RESOURCE_EXHAUSTED;
  return isHttp || isTooLarge ? (codeOf(cause.code) ?? "UNKNOWN") : "INTERNAL";
}

const names: ReadonlyMap<number, string> = new Map(Object.entries(codes).map(([name, number]) => [number, name]));
const isCode = (name: string | undefined): name is Code => name !== undefined && name in codes;

function codeOf(number: number): Code | undefined {
  const name = names.get(number);
  return isCode(name) ? name : undefined;
}

function textOf(cause: unknown): string {
  if (cause instanceof ConnectError) return cause.rawMessage;
  return cause instanceof Error ? cause.message : String(cause);
}
