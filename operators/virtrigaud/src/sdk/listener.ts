// Hands each HTTP/2 request to the method that its path names. An answer that cannot be sent is the caller's loss, and a line in
// the log at most.
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { type ConnectRouter, type ContextValues, createConnectRouter, type HandlerContext } from "@connectrpc/connect";
import {
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { Log } from "@telltale/runtime";

export interface ListenerOptions {
  routes(router: ConnectRouter): void;
  /** What the gate is to know of a request. */
  values(request: Http2ServerRequest): ContextValues;
  /** Throws for a request that is not wanted, before anything of its body is read. */
  gate(context: HandlerContext): void;
  readonly log: Log;
}

/** The largest request that is read. */
const largest = 16 * 2 ** 20;

export function listenerFor({ routes, values, gate, log }: ListenerOptions) {
  const router = createConnectRouter({
    grpcWeb: false,
    connect: false,
    acceptCompression: [compressionGzip],
    readMaxBytes: largest,
    requestGate: gate,
  });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    const handler = handlers.get(request.url);
    if (handler === undefined) {
      response.stream.respond(unknownMethod, { endStream: true }); // one frame: gRPC wants a status without a body so
      return;
    }
    if (isForEver(request.headers["grpc-timeout"])) delete request.headers["grpc-timeout"];
    const asked = universalRequestFromNodeRequest(request, response, undefined, values(request));
    handler(asked)
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => log.debug("an answer was not sent", { method: handler.method.name, error }));
  };
}

/** A deadline in more than 24 days is none, and beyond that a timer of Node.js fires at once. */
function isForEver(timeout: string | string[] | undefined): boolean {
  const [, count = 0, unit = ""] = /^(\d{1,8})([HMS])$/.exec(String(timeout)) ?? [];
  return Number(count) * ({ H: 3_600_000, M: 60_000 }[unit] ?? 1_000) >= 2 ** 31;
}

const unknownMethod = {
  ":status": 200,
  "content-type": "application/grpc",
  "grpc-status": "12",
  "grpc-message": "unknown method",
};
