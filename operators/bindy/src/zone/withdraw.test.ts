import { seededRandom, VirtualClock } from "@telltale/clock";
import { expect, test } from "vitest";
import { bindcarClient } from "../bindcar/client.ts";
import { fixedToken } from "../bindcar/token.ts";
import { SimulatedBindcar } from "../bindcar-simulated/bindcar.ts";
import { simulatedWire } from "../bindcar-simulated/wire.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import type { ZoneHands } from "./marks.ts";
import type { Server } from "./pods.ts";
import { withdraw } from "./withdraw.ts";
import type { World } from "./world.ts";

/** The pods that may still have the zone. */
function leftOf(
  servers: readonly Pick<Server, "uid" | "http" | "dns">[],
  pods: readonly object[] = [],
  deployment?: object,
  get: (kind: { readonly kind: string }) => object | undefined = () => undefined,
) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const well = new SimulatedBindcar({ clock, random });
  const wire = simulatedWire({ find: (at) => (at === "10.0.0.1:8080" ? well : undefined), clock });
  const bindcar = bindcarClient({ wire, token: fixedToken("t"), clock, random });
  const instance = {
    metadata: { uid: "i", namespace: "dns", name: "x" },
    spec: { role: "secondary" },
  } as Bind9Instance;
  const world = { zone: { spec: { zoneName: "example.com" } }, servers: new Map([["i", servers]]) } as unknown as World;
  const hands = {
    signal: new AbortController().signal,
    list: () => pods,
    get,
    live: async () => deployment,
  };
  return withdraw([instance], world, hands as unknown as ZoneHands, bindcar);
}

test("8.5 a server that says that it has no such zone has none, nor has one that never ran", async () => {
  expect(await leftOf([{ uid: "well", http: "10.0.0.1:8080", dns: "10.0.0.1:53" }, { uid: "new" }])).toEqual([]);
});

test("8.5 a server whose Bindcar does not run may still have the zone", async () => {
  expect(await leftOf([{ uid: "down", dns: "10.0.0.2:53" }])).toEqual(["down"]);
});

test("8.5 so may a pod of which it is not known yet whose it is", async () => {
  const ownerReferences = [{ kind: "ReplicaSet", name: "x-1", uid: "set", controller: true }];
  const metadata = { uid: "doubtful", namespace: "dns", name: "x-1-0", ownerReferences };
  const pod = { metadata, status: { phase: "Running", podIP: "10.0.0.3" } };
  expect(await leftOf([], [pod, { ...pod, status: { phase: "Pending" } }])).toEqual(["doubtful"]);
});

test("8.5 so may pods that the Deployment has and nobody has told of; what is another's does not count", async () => {
  const well = { uid: "well", http: "10.0.0.1:8080", dns: "10.0.0.1:53" };
  const owned = (uid: string) => ({ ownerReferences: [{ kind: "Bind9Instance", name: "x", uid, controller: true }] });
  const of = (uid: string, replicas: number) => leftOf([well], [], { metadata: owned(uid), status: { replicas } });
  expect(await of("i", 1)).toEqual([]);
  expect(await of("i", 3)).toHaveLength(2);
  expect(await of("another", 3)).toEqual([]);
});

test("8.5 a server that was left behind by its instance loses the zone like any other", async () => {
  const ref = (kind: string, name: string) => ({ kind, name, uid: name, controller: true });
  const labels = { "app.kubernetes.io/instance": "x" };
  const deployment = { metadata: { uid: "x", name: "x", labels }, status: { replicas: 2 } };
  const there: Readonly<Record<string, object>> = {
    ReplicaSet: { metadata: { uid: "x-1", ownerReferences: [ref("Deployment", "x")] } },
    Deployment: deployment,
  };
  const pod = (uid: string, podIP: string, state: object) => ({
    metadata: { uid, namespace: "dns", name: uid, ownerReferences: [ref("ReplicaSet", "x-1")] },
    spec: { containers: [{ name: "api" }] },
    status: { phase: "Running", podIP, containerStatuses: [{ name: "api", state }] },
  });
  const pods = [pod("well", "10.0.0.1", { running: {} }), pod("down", "10.0.0.2", { waiting: {} })];
  expect(await leftOf([], pods, deployment, ({ kind }) => there[kind])).toEqual(["down"]);
});
