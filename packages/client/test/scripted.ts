// A transport that answers by a script, and remembers what it was asked.
import type { Headers, Request, Response, Transport } from "../src/transport.ts";

export interface Reply {
  readonly status?: number;
  readonly headers?: Headers;
  /** An object is sent as JSON. */
  readonly body?: object | string;
  readonly chunks?: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;
}

export type Step = Reply | Error | "hang" | ((request: Request) => Reply);

export interface Scripted extends Transport {
  readonly asked: Request[];
  /** `GET /api/v1/pods`, in order. */
  lines(): string[];
}

/** One step per request; the last one answers all that follow. */
export function scripted(...steps: readonly [Step, ...Step[]]): Scripted {
  const asked: Request[] = [];
  return {
    asked,
    lines: () => asked.map(({ method, path }) => `${method} ${path}`),
    async send(request) {
      const step = steps[Math.min(asked.length, steps.length - 1)] ?? steps[0];
      asked.push(request);
      if (step === "hang") return new Promise<Response>(() => {});
      if (step instanceof Error) throw step;
      return responseOf(typeof step === "function" ? step(request) : step);
    },
    close: async () => {},
  };
}

/** What a server answers when it refuses. */
export function refusal(code: number, reason: string, more: object = {}): Reply {
  return { status: code, body: { kind: "Status", apiVersion: "v1", status: "Failure", reason, code, ...more } };
}

function responseOf({ status = 200, headers = {}, body = {}, chunks }: Reply): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers,
    text: async () => text,
    async *chunks() {
      yield* chunks ?? [text];
    },
  };
}
