export { type Asked, type Handlers, PowerOp, type Reply, type Requested } from "../contract/contract.ts";
export { type Code, RpcError, type RpcErrorOptions } from "../contract/rpc-error.ts";
export type { Check, Checks } from "./health.ts";
export { type Place, type Program, runProvider, type Started, type Surroundings } from "./run.ts";
export type { Security } from "./security.ts";
export { type Served, type ServeOptions, serve } from "./serve.ts";
export type { SomeHandlers } from "./service.ts";
