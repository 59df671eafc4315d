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
export { foreignDefinition } from "./foreign-definition.ts";
export { type LocustTestV1, type LocustTestV2, toV1, toV2 } from "./kinds/convert.ts";
export { LocustTest, type LocustTestStatus } from "./kinds/locust-test.ts";
export { type LocalPods, type LocalPodsOptions, localPods } from "./local-pods/local-pods.ts";
export * from "./manifests/index.ts";
export { locustOperator, type OperatorOptions } from "./operator.ts";
export { standInApi } from "./stand-in/in-process.ts";
export { type StandIn, type StandInOptions, startStandIn } from "./stand-in/stand-in.ts";
export { type Reach, type Resolver, type Target, targetOf } from "./telemetry/target.ts";
export { Unread } from "./telemetry/trouble.ts";
export type { Answer, WebApi } from "./telemetry/web-api.ts";
export { type FieldError, validate, violations } from "./validate.ts";
export { configurationName, locustWebhooks, webhookManifests } from "./webhooks/table.ts";
