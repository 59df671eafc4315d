export { zones } from "./controller.ts";
export { gates } from "./gate.ts";
export { Ledger } from "./ledger.ts";
export { Memory } from "./memory.ts";
