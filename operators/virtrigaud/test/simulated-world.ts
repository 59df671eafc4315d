// What every simulation of machines stands on: the kinds, objects in one namespace, and what controllers reach a simulated host through.
import type { Clock, Random } from "@telltale/clock";
import type { Kind, KindRef, KubeObject } from "@telltale/kinds";
import {
  Provider,
  VirtualMachine,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
} from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Links } from "../src/link/links.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";

export const namespace = "default";
export const second = 1_000;

export const kinds: readonly Kind[] = [
  Provider,
  VirtualMachine,
  VMClass,
  VMImage,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
  VMClone,
  VMMigration,
];

export const of = (kind: KindRef, name: string, spec: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec }) as KubeObject;

/** Of one process: what it keeps in memory is lost with it. */
export function sensesOf(clock: Clock, random: Random, host: SimulatedHost) {
  const links = new Links({ dial: simulatedDial({ clock, find: () => host }), clock });
  const crossing = { isFree: false };
  return {
    links,
    tls: new KnownSecrets(),
    places: new Reservations(),
    crossing,
    random,
    streaks: new Streaks(),
    httpGet: async () => 200,
  };
}
