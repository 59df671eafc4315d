// The kinds of `coordination.k8s.io/v1`.
import type * as coordination from "kubernetes-types/coordination/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "coordination.k8s.io", version: "v1" };

export const Lease = builtin<coordination.Lease>()({ ...v1, kind: "Lease" });
export type Lease = coordination.Lease;
