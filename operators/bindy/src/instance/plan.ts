// What the objects of an instance have to be, and whether that makes new pods. Pure.
import type { Instant } from "@telltale/kinds";
import type { ConfigMap, Deployment, Service } from "@telltale/kinds/builtin";
import { contains } from "@telltale/runtime";
import { controllerOf } from "../aggregate/pod-owner.ts";
import { buildConfigMap, buildDeployment, buildService } from "../build/index.ts";
import type { Config } from "../config.ts";
import { annotations } from "../names.ts";
import type { Problem } from "../validate/index.ts";
import { type KeyPlan, planKey } from "./key.ts";
import type { World } from "./world.ts";

export type Plan =
  | { readonly is: "nothing"; readonly problem?: Problem } // what runs is left alone
  | {
      readonly is: "build";
      readonly key: Exclude<KeyPlan, { is: "invalid" }>;
      readonly configMap: ConfigMap;
      readonly deployment: Deployment;
      readonly service: Service;
      /** Pods that run would be replaced: one server of a cluster at a time. */
      readonly rolls: boolean;
    };

export function plan({ it, wanted, deployment }: World, now: Instant, config: Config): Plan {
  if (wanted.is === "unread") return { is: "nothing" };
  if (wanted.is === "invalid") return { is: "nothing", problem: wanted.problem };
  const { server, keys } = wanted;
  const rotatedAt = deployment?.spec?.template?.metadata?.annotations?.[annotations.rndcRotatedAt];
  const key = planKey(it.metadata.name ?? "", server.key, { ...keys, rotatedAt }, now);
  if (key.is === "invalid") return { is: "nothing", problem: key.problem };
  const desired = buildDeployment(server, key.used, config);
  // One that is somebody else's stays as it is: there is no turn to wait for, and what is wrong is said at once.
  const own = controllerOf(deployment)?.uid === it.metadata.uid ? deployment : undefined;
  const isOther = own !== undefined && !contains(own.spec?.template, desired.spec?.template);
  return {
    is: "build",
    key,
    configMap: buildConfigMap(server, key.used.name),
    deployment: desired,
    service: buildService(server),
    rolls: isOther || (own !== undefined && key.is === "renew"),
  };
}
