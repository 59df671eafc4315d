export type { Fence } from "./fence.ts";
