// The kinds of `networking.k8s.io/v1`.
import type * as networking from "kubernetes-types/networking/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "networking.k8s.io", version: "v1" };

export const Ingress = builtin<networking.Ingress>()({ ...v1, kind: "Ingress", shortNames: ["ing"], status: true });
export type Ingress = networking.Ingress;

export const IngressClass = builtin<networking.IngressClass>()({ ...v1, kind: "IngressClass", scope: "Cluster" });
export type IngressClass = networking.IngressClass;

export const NetworkPolicy = builtin<networking.NetworkPolicy>()({
  ...v1,
  kind: "NetworkPolicy",
  shortNames: ["netpol"],
});
export type NetworkPolicy = networking.NetworkPolicy;
