// A server that cases run against, and its answers.
import type { Clock } from "@telltale/clock";
import type { Json } from "../../src/json.ts";
import { parse } from "./json.ts";

export interface Target {
  /** `127.0.0.1:6443`: answers that name the server name it so. */
  readonly host: string;
  /** Of a member of `system:masters`. */
  readonly token: string;
  readonly clock: Clock;
  request(request: TargetRequest): Promise<TargetAnswer>;
  /** Lets time go by: real time for a real server, virtual time for ours. */
  pass(ms: number): Promise<void>;
  /** Forgets the history of all objects. */
  compact(): Promise<void>;
}

export interface TargetRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
}

export interface TargetAnswer {
  /** 0: no answer at all. */
  readonly status: number;
  readonly headers: HeaderLists;
  /** Ends with the body; of a watch, with the watch. */
  readonly chunks: AsyncIterable<Uint8Array | string>;
}

export type HeaderLists = Readonly<Record<string, readonly string[]>>;

export type Body =
  | { readonly as: "none" }
  | { readonly as: "json"; readonly json: Json }
  | { readonly as: "text"; readonly text: string }
  | { readonly as: "binary"; readonly bytes: Buffer };

export async function readAll(answer: TargetAnswer): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of answer.chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

export function readBody(bytes: Buffer, headers: HeaderLists): Body {
  const type = headers["content-type"]?.[0];
  if (bytes.length === 0) return { as: "none" };
  if (/protobuf|cbor/.test(type ?? "")) return { as: "binary", bytes };
  const text = bytes.toString("utf8");
  if (/json/.test(type ?? "json") || /^\s*\{/.test(text)) {
    try {
      return { as: "json", json: parse(text) };
    } catch {
      // A body that says JSON and is none is kept as text.
    }
  }
  return { as: "text", text };
}
