// Serves a provider: gRPC with mutual TLS or in plaintext, and HTTP for who asks how it is. It reads no flags and no environment:
// `run.ts` does.
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Server } from "node:net";
import type { TLSSocket } from "node:tls";
import { createContextKey, createContextValues } from "@connectrpc/connect";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Log } from "@telltale/runtime";
import type { RpcError } from "../contract/rpc-error.ts";
import { callerOf, refusal } from "./callers.ts";
import { type Certificate, certificateIn } from "./certificate.ts";
import { Connections } from "./connections.ts";
import { type Checks, Health } from "./health.ts";
import { listenerFor } from "./listener.ts";
import { probeServer } from "./probes.ts";
import type { Security } from "./security.ts";
import { connectErrorFrom, provide, provideHealth, type SomeHandlers } from "./service.ts";

export interface ServeOptions {
  readonly security: Security;
  /** Default: every address. */
  readonly listen?: string;
  /** 0: any free one. */
  readonly port: number;
  readonly healthPort: number;
  readonly version: string;
  /** What has to be well for calls to make sense here at all. A hypervisor that does not answer is for `validate` to tell. */
  readonly checks?: Checks;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Served {
  readonly port: number;
  readonly healthPort: number;
  /** Takes no more calls; those under way have ten seconds. */
  stop(): Promise<void>;
}

const grace: Ms = 10_000;
const refused = createContextKey<RpcError | undefined>(undefined);

export async function serve(handlers: SomeHandlers, options: ServeOptions): Promise<Served> {
  const { security, listen, clock, log, version, checks = {} } = options;
  const health = new Health(checks, clock);
  const connections = new Connections(clock, log);
  const refusals = new WeakMap<object, RpcError>();
  const listener = listenerFor({
    routes(router) {
      provide(router, handlers, { clock, log });
      provideHealth(router, health);
    },
    values({ stream: { session } }) {
      return createContextValues().set(refused, session === undefined ? undefined : refusals.get(session));
    },
    gate({ values }) {
      const why = values.get(refused);
      if (why !== undefined) throw connectErrorFrom(why);
    },
    log,
  });

  const certificate = security.is === "mtls" ? certificateIn(security.folder, clock, log) : undefined;
  const server = serverWith(certificate);
  server.on("request", listener);
  server.on("session", (session: ServerHttp2Session) => {
    connections.add(session);
    if (security.is === "plaintext") return;
    const why = refusal(callerOf(session.socket as TLSSocket), security.allowed); // the server is one with TLS
    if (why === undefined) return;
    refusals.set(session, why);
    log.warn("a caller is refused", { code: why.code, address: session.socket.remoteAddress });
  });
  if (security.is === "plaintext") log.warn("calls are taken in plaintext, from anybody who reaches this port");

  const probes = probeServer(health, version);
  const port = await listening(server, options.port, listen);
  const healthPort = await listening(probes, options.healthPort, listen).catch((error: unknown) => {
    server.close();
    throw error;
  });
  const unfollow = certificate?.follow((next) => (server as Http2SecureServer).setSecureContext(next));
  log.info("the provider serves", { port, healthPort, security: security.is, version });
  return {
    port,
    healthPort,
    async stop() {
      health.stop();
      unfollow?.();
      const closed = Promise.all([server, probes].map((it) => new Promise((resolve) => it.close(resolve))));
      await connections.stop(grace);
      probes.closeAllConnections();
      await closed;
      log.info("the provider has stopped");
    },
  };
}

/** Callers without a good certificate are told so by gRPC, and not cut off without a word. */
function serverWith(certificate: Certificate | undefined): Http2Server | Http2SecureServer {
  if (certificate === undefined) return createServer();
  return createSecureServer({ ...certificate.first, requestCert: true, rejectUnauthorized: false });
}

function listening(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "somebody else listens there; choose another port" : cause.message;
      reject(new Error(`cannot listen on port ${port}: ${why}`, { cause }));
    };
    server.once("error", fail);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", fail);
      server.on("error", () => {}); // such as no descriptors left for one more connection: the others go on
      resolve((server.address() as AddressInfo).port);
    });
  });
}
