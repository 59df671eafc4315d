// A provider's handlers as gRPC services, and what they throw as gRPC's errors. A text that a handler did not mean for the caller
// is redacted.
import type { DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import { ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import type { Clock } from "@telltale/clock";
import type { Log } from "@telltale/runtime";
import { type Asked, type Handlers, type Method, type Reply, service } from "../contract/contract.ts";
import { RetryInfoSchema } from "../contract/generated/google/rpc/retry_info_pb.js";
import {
  Health as healthService,
  HealthCheckResponse_ServingStatus as Serving,
} from "../contract/generated/grpc/health/v1/health_pb.js";
import { codes, RpcError } from "../contract/rpc-error.ts";
import { redact } from "../redact.ts";
import type { Health } from "./health.ts";

/** What is not there is answered with UNIMPLEMENTED. */
export type SomeHandlers = Partial<Handlers>;

export interface ServiceOptions {
  readonly clock: Clock;
  readonly log: Log;
}

type Handler = (request: MessageShape<DescMethodUnary["input"]>, asked: Asked) => Promise<Reply<Method>>;

export function provide(router: ConnectRouter, handlers: SomeHandlers, { clock, log }: ServiceOptions): void {
  for (const { localName, name } of service.methods) {
    const method = localName as Method; // the generated names
    const descriptor: DescMethodUnary = service.method[method];
    const handler = handlers[method] as Handler | undefined; // what was decoded by the descriptor is what it takes
    router.rpc(descriptor, async (request, context) => {
      const began = clock.uptime();
      const done = (code: string) =>
        log.debug("answered", { method: name, code, ms: Math.round(clock.uptime() - began) });
      try {
        if (handler === undefined) throw new RpcError("UNIMPLEMENTED", `this provider has no ${name}`);
        const reply = await unlessOver(handler(request, { signal: context.signal }), context);
        done("OK");
        return { ...reply };
      } catch (error) {
        const said = refusalFrom(error);
        if (!(error instanceof RpcError)) log.error("a handler failed", { method: name, error });
        done(said.code);
        throw connectErrorFrom(said);
      }
    });
  }
}

/** `""` says whether the process serves, `provider` whether its checks are well. */
export function provideHealth(router: ConnectRouter, health: Health): void {
  router.service(healthService, {
    async check({ service: name }) {
      if (name !== "" && name !== "provider") throw connectErrorFrom(new RpcError("NOT_FOUND", "unknown service"));
      if (health.isStopping) return { status: Serving.NOT_SERVING };
      const results = name === "" ? [] : await health.results(5_000);
      return { status: results.every(({ error }) => error === undefined) ? Serving.SERVING : Serving.NOT_SERVING };
    },
  });
}

/** As gRPC carries it. Details say when to try again, where the handler knows. */
export function connectErrorFrom({ code, message, after }: RpcError): ConnectError {
  const text = message.slice(0, 1024).toWellFormed();
  if (after === undefined) return new ConnectError(text, codes[code]);
  const seconds = Math.floor(after / 1000);
  const retryDelay = { seconds: BigInt(seconds), nanos: Math.round((after - seconds * 1000) * 1e6) };
  return new ConnectError(text, codes[code], undefined, [{ desc: RetryInfoSchema, value: { retryDelay } }]);
}

function refusalFrom(error: unknown): RpcError {
  return error instanceof RpcError ? error : new RpcError("INTERNAL", redact(error));
}

/** A handler that does not heed its signal is not waited for: its caller no longer is. */
function unlessOver<T>(promise: Promise<T>, { signal }: HandlerContext): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = () => {
      // By what the timer said, and not by the clock, which may be a millisecond behind it.
      const { reason }: { readonly reason: unknown } = signal;
      const isLate = reason instanceof ConnectError && reason.code === codes.DEADLINE_EXCEEDED;
      reject(isLate ? new RpcError("DEADLINE_EXCEEDED", "too late") : new RpcError("CANCELLED", "the caller is gone"));
    };
    signal.addEventListener("abort", over, { once: true });
    if (signal.aborted) over();
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", over));
  });
}
