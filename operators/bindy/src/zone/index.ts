export { act, type PodFindings, type Tools } from "./act.ts";
export { type Compiled, type Content, compile, type Placed, type Rejection, type Sources } from "./compile.ts";
export { zones } from "./controller.ts";
export { gates } from "./gate.ts";
export { Ledger, type Publication, type RecordResult, type ZoneReport } from "./ledger.ts";
export { Memory } from "./memory.ts";
