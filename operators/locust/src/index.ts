export { buildJob, buildService, nodeName, notesOn } from "./build/index.ts";
export {
  type Config,
  configFrom,
  configWarnings,
  type Exporter,
  forServer,
  type Kafka,
  type Resources,
  type Role,
  standardConfig,
  type Telemetry,
  type Timers,
} from "./config.ts";
export { LocustTest, type LocustTestStatus } from "./kinds/locust-test.ts";
export * from "./manifests/index.ts";
export { locustOperator, type OperatorOptions } from "./operator.ts";
export type { Resolver } from "./telemetry/target.ts";
export type { WebApi } from "./telemetry/web-api.ts";
