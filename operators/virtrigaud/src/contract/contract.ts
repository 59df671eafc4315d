// What can be asked of a provider, by method: the requests and answers of `proto/provider/v1/provider.proto` as types. Who asks has
// an `Ask`, who answers has `Handlers`; between them is gRPC, or nothing.
import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Ms } from "@telltale/kinds";
import { Provider as service } from "./generated/provider/v1/provider_pb.js";

export { PowerOp } from "./generated/provider/v1/provider_pb.js";
export { service };

type Methods = typeof service.method;
/** `validate`, `create`, `listVMs`, and so on. */
export type Method = keyof Methods;

type Input<M extends Method> = Methods[M] extends { readonly input: infer D extends DescMessage } ? D : never;
type Output<M extends Method> = Methods[M] extends { readonly output: infer D extends DescMessage } ? D : never;

/** What is sent: fields that are left out have their zero value. */
export type Request<M extends Method> = MessageInitShape<Input<M>>;
/** What arrives, complete. */
export type Requested<M extends Method> = MessageShape<Input<M>>;
/** What a handler gives: fields that are left out have their zero value. */
export type Reply<M extends Method> = MessageInitShape<Output<M>>;
/** What comes back, complete. */
export type Answer<M extends Method> = MessageShape<Output<M>>;

export interface AskOptions {
  /** After so long the answer is given up, and what became of the request is unknown. */
  readonly deadline: Ms;
  readonly signal?: AbortSignal;
  /** On a connection of its own: for what copies disks. */
  readonly isLong?: boolean;
}

/** Asks a provider something. Throws `RpcError` and nothing else. */
export type Ask = <M extends Method>(method: M, request: Request<M>, options: AskOptions) => Promise<Answer<M>>;

/** Answers. Throws `RpcError` for what it refuses; anything else is an internal error. */
export type Handlers = {
  readonly [M in Method]: (request: Requested<M>, context: Asked) => Promise<Reply<M>>;
};

export interface Asked {
  readonly signal: AbortSignal;
}
