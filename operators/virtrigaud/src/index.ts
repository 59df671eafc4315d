export * from "./contract/contract.ts";
export { type Code, codes, RpcError } from "./contract/rpc-error.ts";
export * from "./names.ts";
