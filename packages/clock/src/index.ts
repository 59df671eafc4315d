export { type Clock, jitter, pick, type Random, sleep, type Timer, uuid } from "./clock.ts";
export { Heap } from "./heap.ts";
export { systemClock, systemRandom, tick, turn } from "./system.ts";
export { seededRandom, VirtualClock } from "./virtual.ts";
