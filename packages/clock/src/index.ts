export { type Clock, jitter, pick, type Random, sleep, type Timer, uuid } from "./clock.ts";
export { Heap } from "./heap.ts";
export { systemClock, systemRandom } from "./system.ts";
export { seededRandom, turn, VirtualClock } from "./virtual.ts";
