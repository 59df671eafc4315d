// A-148: the whole operator under the roles that we install, on a server that keeps to them. It is refused nothing, and there is
// no right that it does not use: without it, the request that used it would be refused.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Request, type Transport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KindRef, KubeObject, Ms } from "@telltale/kinds";
import { manager, type PolicyRule, silentLog } from "@telltale/runtime";
import { simulatedRuntime, workloads } from "@telltale/workloads";
import { afterEach, expect, test } from "vitest";
import { bindcarClient } from "../src/bindcar/client.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import { SimulatedBindcar } from "../src/bindcar-simulated/bindcar.ts";
import { simulatedWire } from "../src/bindcar-simulated/wire.ts";
import { standardConfig } from "../src/config.ts";
import { Bind9GlobalCluster, DNSZone, recordKinds } from "../src/kinds/index.ts";
import { bindyCrds, leaseRights, operatorRights, roles, secretRights } from "../src/manifests/index.ts";
import { bindyOperator } from "../src/operator.ts";
import { full, least } from "./specs.ts";

const own = "bindy-system";
const namespace = "dns";
const user = {
  username: `system:serviceaccount:${own}:bindy`,
  uid: "",
  groups: ["system:serviceaccounts", `system:serviceaccounts:${own}`, "system:authenticated"],
  extra: {},
};

let server: ApiServer | undefined;
afterEach(() => server?.stop());

interface Life {
  readonly client: Client;
  /** What was forbidden: `get secrets`. */
  readonly refused: ReadonlySet<string>;
  /** What was asked for, in the words of a role. */
  readonly used: ReadonlySet<string>;
  pass(by: Ms): Promise<void>;
  end(): Promise<void>;
}

async function live(): Promise<Life> {
  const clock = new VirtualClock();
  const namespaces = [own, namespace].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
  server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    authorization: "rbac",
    objects: [...bindyCrds(), ...namespaces, ...roles({ operands: [namespace] })] as readonly KubeObject[],
  });
  const { client: reach, settle } = server;
  const way = () => inProcessTransport(reach);
  const client = createClient({ transport: way(), clock, random: seededRandom(2), fieldManager: "person" });
  const [used, refused] = [new Set<string>(), new Set<string>()];
  const inner = inProcessTransport((request) => reach({ ...request, user }));
  const transport: Transport = {
    async send(request) {
      const answer = await inner.send(request);
      const asked = askedFor(request);
      used.add(asked);
      if (answer.status === 403) refused.add(asked);
      return answer;
    },
    close: () => inner.close(),
  };
  const bindcars = new Map<string, SimulatedBindcar>();
  const find = (endpoint: string) => {
    const found = bindcars.get(endpoint) ?? new SimulatedBindcar({ clock, random: seededRandom(7) });
    bindcars.set(endpoint, found);
    return found;
  };
  const random = seededRandom(3);
  const bindcar = bindcarClient({ wire: simulatedWire({ find, clock }), token: fixedToken("t"), clock, random });
  const stop = new AbortController();
  const runs = [
    workloads({ transport: way(), clock, random: seededRandom(4), runtime: simulatedRuntime() }).run(stop.signal),
    manager({
      name: "bindy",
      controllers: bindyOperator({ config: standardConfig, transport, clock, random, bindcar }),
      replicas: { as: "lease", namespace: own, lease: "bindy-leader", identity: "bindy-0" },
      events: "v1",
      transport,
      clock,
      random,
      log: silentLog,
    }).run(stop.signal),
  ];
  const pass = async (by: Ms) => {
    for (let i = 0; i < 6; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 6; i += 1) await turn();
    await settle();
  };
  return {
    client,
    used,
    refused,
    pass,
    async end() {
      stop.abort();
      let isOver = false;
      const over = Promise.allSettled(runs).finally(() => {
        isOver = true;
      });
      while (!isOver) await pass(1_000);
      await over;
    },
  };
}

/** `patch bind9clusters/status`, as a role would have it. */
function askedFor({ method, path }: Request): string {
  const [place = "", query = ""] = path.split("?");
  const parts = place.split("/").filter((part) => part !== "");
  const rest = parts.slice(parts[0] === "api" ? 2 : 3);
  const [resource = "", name, sub] = rest[0] === "namespaces" && rest.length > 2 ? rest.slice(2) : rest;
  const reading = query.includes("watch=") ? "watch" : name === undefined ? "list" : "get";
  const verbs: Readonly<Record<string, string>> = {
    GET: reading,
    POST: "create",
    PATCH: "patch",
    PUT: "update",
    DELETE: "delete",
  };
  return `${verbs[method]} ${sub === undefined ? resource : `${resource}/${sub}`}`;
}

const rightsIn = (rules: readonly PolicyRule[]): readonly string[] =>
  rules.flatMap(({ resources = [], verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );

test("A-148 nothing is refused, and every right is used", { timeout: 120_000 }, async () => {
  const life = await live();
  const make = (kind: KindRef, spec: object, more: object = {}) =>
    life.client.create(kind, {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name: "demo", ...(kind.scope === "Cluster" ? {} : { namespace }), ...more },
      spec,
    } as KubeObject);
  const roleOf = (replicas: number, algorithm = "hmac-sha256") => ({ replicas, rndcKey: { algorithm } });
  await make(Bind9GlobalCluster, { namespaces: [namespace], primary: roleOf(2), secondary: roleOf(1) });
  await life.pass(10_000);
  await make(DNSZone, {
    ...least.DNSZone,
    globalClusterRef: "demo",
    clusterRef: null,
    recordsFrom: full.DNSZone.recordsFrom,
  });
  for (const kind of recordKinds)
    await make(kind, full[kind.kind as keyof typeof full], { labels: { zone: "example.com" } });
  await life.pass(60_000);
  await life.client.patch(
    Bind9GlobalCluster,
    { name: "demo" },
    {
      merge: { spec: { primary: roleOf(1, "hmac-sha512"), version: "9.20" } },
    },
  );
  await life.pass(60_000);
  for (const kind of recordKinds)
    await life.client.delete(kind, { name: "demo", namespace }, { propagation: "Background" });
  await life.client.delete(DNSZone, { name: "demo", namespace }, { propagation: "Background" });
  await life.pass(60_000);
  await life.client.delete(Bind9GlobalCluster, { name: "demo" }, { propagation: "Background" });
  await life.pass(60_000);
  const left = await life.client.list(Bind9GlobalCluster, {});
  await life.end();
  expect([...life.refused].sort()).toEqual([]);
  expect(left.items).toEqual([]);
  const rights = rightsIn([...operatorRights, ...secretRights, ...leaseRights]);
  expect(rights.filter((right) => !life.used.has(right) && !isElsewhere(right, life.used))).toEqual([]);
});

/** A right that a life without trouble does not show. */
function isElsewhere(right: string, used: ReadonlySet<string>): boolean {
  const [verb = "", resource = ""] = right.split(" ");
  if (resource.endsWith("/finalizers")) return verb === "update"; // the server asks for it, for owner references
  if (verb === "create") return used.has(`patch ${resource}`); // an apply that makes something needs both
  if (resource === "events") return verb === "patch"; // the same event again
  return verb === "get" || verb === "list"; // after a conflict; on servers whose watches begin with nothing
}
