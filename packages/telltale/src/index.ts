export { operators } from "./operators/table.ts";
export { program, type Surroundings } from "./program/program.ts";
