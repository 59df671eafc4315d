// The way to simulated hosts without a network: messages go through their bytes, as they would over a wire.
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Clock } from "@telltale/clock";
import type { Answer, Ask, AskOptions, Method, Reply, Request, Requested } from "../contract/contract.ts";
import { service } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Dial, Target } from "../wire/wire.ts";
import type { SimulatedHost } from "./host.ts";

export interface SimulatedDialOptions {
  readonly clock: Clock;
  /** Who listens at an endpoint. */
  readonly find: (endpoint: string) => SimulatedHost | undefined;
  /** Told of each wire that is opened. */
  readonly onDial?: (target: Target) => void;
}

export function simulatedDial({ clock, find, onDial }: SimulatedDialOptions): Dial {
  return (target) => {
    onDial?.(target);
    let isClosed = false;
    const ask: Ask = (method, request, options) => {
      if (isClosed) return Promise.reject(new RpcError("UNAVAILABLE", "the wire is closed", { isUnsent: true }));
      const host = find(target.endpoint);
      if (host === undefined)
        return Promise.reject(new RpcError("UNAVAILABLE", "connection refused", { isUnsent: true }));
      return askHost(host, clock, method, request, options);
    };
    return {
      ask,
      close() {
        isClosed = true;
      },
    };
  };
}

async function askHost<M extends Method>(
  host: SimulatedHost,
  clock: Clock,
  method: M,
  request: Request<M>,
  { deadline, signal }: AskOptions,
): Promise<Answer<M>> {
  const gaveUp = new AbortController();
  const handler = host.handlers[method];
  const reply = handler(sent(method, request), { signal: gaveUp.signal });
  return new Promise((resolve, reject) => {
    const giveUp = (error: RpcError) => {
      end();
      gaveUp.abort(error);
      reject(error);
    };
    const left = () => giveUp(new RpcError("CANCELLED", "the caller gave up"));
    const timer = clock.after(deadline, () => giveUp(new RpcError("DEADLINE_EXCEEDED", "the deadline has passed")));
    const end = () => {
      timer.cancel();
      signal?.removeEventListener("abort", left);
    };
    if (signal?.aborted === true) left();
    else signal?.addEventListener("abort", left, { once: true });
    reply.then(
      (said) => {
        end();
        resolve(received(method, said));
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

/** As it arrives, with every field that was left out at its zero. */
function sent<M extends Method>(method: M, request: Request<M>): Requested<M> {
  const { input }: { input: DescMessage } = service.method[method];
  return throughBytes(input, request) as Requested<M>;
}

function received<M extends Method>(method: M, reply: Reply<M>): Answer<M> {
  const { output }: { output: DescMessage } = service.method[method];
  return throughBytes(output, reply) as Answer<M>;
}

const throughBytes = (schema: DescMessage, value: MessageInitShape<DescMessage>) =>
  fromBinary(schema, toBinary(schema, create(schema, value)));
