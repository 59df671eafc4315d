// The kinds of `discovery.k8s.io/v1`.
import type * as discovery from "kubernetes-types/discovery/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "discovery.k8s.io", version: "v1" };

export const EndpointSlice = builtin<discovery.EndpointSlice>()({ ...v1, kind: "EndpointSlice" });
export type EndpointSlice = discovery.EndpointSlice;
