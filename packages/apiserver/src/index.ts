export type { LocalWebhook, Resolver, ServiceReference } from "./admit/webhook-call.ts";
export type { FaultEffect, FaultHit, FaultMatch, FaultRule, WatchFault } from "./faults/faults.ts";
export type { ExecOptions, ExecSession, LogOptions, PodAccess } from "./pods/access.ts";
export type { User } from "./request.ts";
export { type ApiServer, type ServerOptions, startApiServer } from "./server.ts";
export { type StoreRemedy, StoreUnusable } from "./store/errors.ts";
export type { Storage } from "./store/open.ts";
export { repairStore } from "./store/repair.ts";
export type { InProcessClient, LocalRequest, LocalResponse } from "./transport/in-process.ts";
