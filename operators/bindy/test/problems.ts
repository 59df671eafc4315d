// What the operator finds wrong with an object, whatever its kind.
import type { KubeObject } from "@telltale/kinds";
import { standardConfig } from "../src/config.ts";
import type { RecordType } from "../src/kinds/index.ts";
import {
  type Checked,
  checkCluster,
  checkGlobalCluster,
  checkInstance,
  checkRecord,
  checkZone,
} from "../src/validate/index.ts";

/** `spec.ttl: is below 0`, or `valid`. */
export function problemOf(object: KubeObject): string {
  const found = check(object);
  return found.at === "valid" ? "valid" : `${found.path}: ${found.problem}`;
}

export function check(object: KubeObject): Checked<unknown> {
  const it = object as never; // what it is, its kind says; what is in it, nobody knows yet
  switch (object.kind) {
    case "Bind9GlobalCluster":
      return checkGlobalCluster(it, standardConfig);
    case "Bind9Cluster":
      return checkCluster(it, standardConfig);
    case "Bind9Instance":
      return checkInstance(it, standardConfig);
    case "DNSZone":
      return checkZone(it);
    default:
      return checkRecord((object.kind ?? "").replace("Record", "") as RecordType, it);
  }
}
