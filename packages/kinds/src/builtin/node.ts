// The kinds of `node.k8s.io/v1`.
import type * as node from "kubernetes-types/node/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "node.k8s.io", version: "v1" };

export const RuntimeClass = builtin<node.RuntimeClass>()({ ...v1, kind: "RuntimeClass", scope: "Cluster" });
export type RuntimeClass = node.RuntimeClass;
