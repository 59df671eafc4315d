// One request and its answer on one connection.
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Ms } from "@telltale/kinds";
import { type Answer, type Method, type Request, service } from "../contract/contract.ts";
import type { Connection } from "./connection.ts";

export type Outcome<M extends Method> =
  | { readonly is: "answered"; readonly answer: Answer<M> }
  | ({ readonly is: "failed"; readonly error: unknown } & Failed);

export interface Failed {
  /** The connection did not take the request: another one may. */
  readonly isUntaken: boolean;
  /** Nothing of the request was done. */
  readonly isUnsent: boolean;
  /** The HTTP/2 error code with which the provider ended the request. */
  readonly reset?: number;
  /** gRPC's own headers, as they came. */
  readonly status?: string;
  readonly message?: string;
}

/** The largest answer that is read: `ListVMs` of a large installation. */
const largest = 16 * 2 ** 20;

/** A connection knows where it goes: what the library asks for here is not looked at. */
const base = "http://provider";

export async function exchange<M extends Method>(
  connection: Connection,
  method: M,
  request: Request<M>,
  timeout: Ms,
  signal: AbortSignal,
): Promise<Outcome<M>> {
  const seen: Seen = { isTurnedAway: false };
  const transport = createGrpcTransport({
    baseUrl: base,
    acceptCompression: [],
    readMaxBytes: largest,
    sessionManager: {
      authority: base,
      async request(verb, path, headers) {
        try {
          return watched(connection.request({ ...headers, ":method": verb, ":path": path }), seen);
        } catch (error) {
          seen.isTurnedAway = true;
          throw error;
        }
      },
      notifyResponseByteRead: () => connection.heard(),
    },
  });
  const descriptor: DescMethodUnary = service.method[method];
  const header = { "grpc-timeout": timeoutText(timeout), "user-agent": "telltale-virtrigaud" };
  try {
    const { message } = await transport.unary(descriptor, signal, undefined, header, request);
    return { is: "answered", answer: message as Answer<M> };
  } catch (error) {
    return { is: "failed", error, ...failed(seen) };
  }
}

interface Seen {
  stream?: ClientHttp2Stream;
  reset?: number;
  status?: string;
  message?: string;
  isTurnedAway: boolean;
}

/** Listens before the library does: what the library resets itself, it resets later. */
function watched(stream: ClientHttp2Stream, seen: Seen): ClientHttp2Stream {
  seen.stream = stream;
  const ended = () => {
    seen.reset ??= stream.rstCode;
  };
  const headers = ({ "grpc-status": status, "grpc-message": message }: IncomingHttpHeaders) => {
    if (typeof status === "string") seen.status ??= status;
    if (typeof message === "string") seen.message ??= message;
  };
  return stream.once("error", ended).once("close", ended).once("response", headers).once("trailers", headers);
}

function failed({ stream, isTurnedAway, ...seen }: Seen): Failed {
  // A connection that is being closed may still give a stream; it never gets a number.
  const isNumberless = stream !== undefined && stream.id === undefined;
  const isUntaken = isTurnedAway || isNumberless || seen.reset === constants.NGHTTP2_REFUSED_STREAM;
  return { ...seen, isUntaken, isUnsent: isUntaken || stream === undefined };
}

/** At most eight digits, says gRPC. */
const timeoutText = (ms: Ms): string => (ms < 1e8 ? `${ms}m` : `${Math.min(Math.ceil(ms / 1000), 99_999_999)}S`);
