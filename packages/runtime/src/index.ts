export { Cache, type Cached, type CacheOptions, type Held, type Selection } from "./cache/cache.ts";
export {
  type Aspect,
  type Controller,
  controller,
  type Declaration,
  type FinalizeOptions,
  type MapLook,
  type OwnVerb,
  type Permission,
  type Source,
  type Within,
  type WriteMode,
  type WriteVerb,
} from "./controller/declare.ts";
export { recordOf } from "./controller/hands.ts";
export { type PauseOptions, pausedBy } from "./controller/pause.ts";
export * from "./controller/steps.ts";
export { excess } from "./excess.ts";
export { failureFrom } from "./failure.ts";
export { type Fence, NotLeaderError } from "./fence.ts";
export type { Replicas } from "./guard.ts";
export type { Key, Name } from "./key.ts";
export { isLeaseActive } from "./lease/active.ts";
export { type Fields, type Log, silentLog } from "./log.ts";
export { type Manager, type ManagerOptions, manager } from "./manager.ts";
export type { Families, Family, Labels, Meter } from "./meter.ts";
export { type PinoLog, type PinoLogOptions, pinoLog } from "./outside/pino-log.ts";
export type { Check } from "./outside/probes.ts";
export { type Polled, type Poller, poller } from "./poll.ts";
export { type Backoff, standardBackoff } from "./queue.ts";
export { type PolicyRule, type RbacManifest, type RbacOptions, rbacManifests, rbacRules } from "./rbac.ts";
export * from "./samples.ts";
export { type Amount, type Env, type Range, Settings } from "./settings.ts";
export type { Rate } from "./transport.ts";
export { annotationPatch, labelPatch } from "./write/annotations.ts";
export { contains } from "./write/ensure.ts";
