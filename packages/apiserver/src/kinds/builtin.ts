// All built-in kinds that the server serves.
import { appsStrategies } from "./apps.ts";
import { autoscalingStrategies } from "./autoscaling.ts";
import { batchStrategies } from "./batch.ts";
import { coreStrategies } from "./core.ts";
import { eventStrategy } from "./events.ts";
import { networkingStrategies } from "./networking.ts";
import { otherStrategies } from "./other.ts";
import { plainStrategies } from "./plain.ts";
import { rbacStrategies } from "./rbac.ts";
import { storageStrategies } from "./storage.ts";
import type { Strategy } from "./strategy.ts";
import { admissionStrategies } from "./webhooks.ts";

/** Every strategy; a resource that is served in two versions is here twice, the preferred version first. */
export const allStrategies: readonly Strategy[] = [
  ...coreStrategies,
  ...storageStrategies,
  ...appsStrategies,
  eventStrategy,
  ...autoscalingStrategies,
  ...batchStrategies,
  ...networkingStrategies,
  ...rbacStrategies,
  ...admissionStrategies,
  ...otherStrategies,
  ...plainStrategies,
];
