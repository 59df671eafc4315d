// LocustTest `v1`: served for those who still have manifests of it, stored as `v2`. Its status is that of `v2`, so that a
// write through this version takes nothing away from a running test.
import { age, column, type Version, version } from "@telltale/kinds";
import { toV1, toV2 } from "./convert.ts";
import { LocustTestSpecV1 } from "./spec-v1.ts";

export const v1: Version = version({
  name: "v1",
  spec: LocustTestSpecV1,
  deprecated: "locust.io/v1 LocustTest is deprecated, migrate to locust.io/v2",
  columns: [
    column("master_cmd", ".spec.masterCommandSeed"),
    column("worker_replica_count", ".spec.workerReplicas", "integer"),
    column("Image", ".spec.image"),
    age(),
  ],
  toHub: toV2,
  fromHub: toV1,
});
