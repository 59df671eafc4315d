// The CustomResourceDefinitions of the twelve kinds.
import { type Kind, toCrd } from "@telltale/kinds";
import type { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { Bind9Cluster } from "../kinds/bind9-cluster.ts";
import { Bind9GlobalCluster } from "../kinds/bind9-global-cluster.ts";
import { Bind9Instance } from "../kinds/bind9-instance.ts";
import { DNSZone } from "../kinds/dns-zone.ts";
import { recordKinds } from "../kinds/records.ts";

/** From the top of the tree down. */
export const bindyKinds: readonly Kind[] = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ...recordKinds];

export const bindyCrds = (): readonly CustomResourceDefinition[] => bindyKinds.map((kind) => toCrd(kind));
