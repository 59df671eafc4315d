import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ClusterRole, ConfigMap, PersistentVolumeClaim, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, rbacManifests } from "@telltale/runtime";
import { afterEach, expect, test } from "vitest";
import { Access, deedsOf } from "./access.ts";

const reader: Controller = controller(ConfigMap, "reader")
  .reads(PersistentVolumeClaim)
  .owns(Service)
  .reconcile({ observe: () => undefined, status: () => ({ status: undefined }) });

const name = "virtrigaud";
const namespace = "virtrigaud-system";
const replicas = { as: "lease", namespace, lease: "8da97394.virtrigaud.io" } as const;
const manifests = rbacManifests({ name, namespace, controllers: [reader], events: "v1", replicas });
const user = {
  username: `system:serviceaccount:${namespace}:${name}`,
  uid: "",
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  extra: {},
};

let server: ApiServer | undefined;
afterEach(() => server?.stop());

/** A server that keeps to roles, without the right to do this. */
async function serverWithout(verb: string, resource: string) {
  const clock = new VirtualClock();
  const roles = manifests.map((it) => {
    if (it.kind !== "ClusterRole" || !("rules" in it)) return it;
    const rules = it.rules?.map((rule) =>
      rule.resources?.includes(resource) ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule,
    );
    return { ...it, rules };
  });
  const objects = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...roles];
  const random = seededRandom(1);
  server = await startApiServer({
    listen: false,
    clock,
    random,
    authorization: "rbac",
    objects: objects as readonly KubeObject[],
  });
  const { client: reach } = server;
  const way = inProcessTransport((request) => reach({ ...request, user }));
  const person = createClient({ transport: inProcessTransport(reach), clock, random });
  const settle = async (by = 0) => {
    for (let i = 0; i < 20; i += 1) await turn();
    await clock.settle(by);
    for (let i = 0; i < 20; i += 1) await turn();
  };
  return { clock, client: createClient({ transport: way, clock, random }), person, settle };
}

test("S56 rights missing: readiness names them, and is there when they are granted", async () => {
  const { clock, client, person, settle } = await serverWithout("list", "persistentvolumeclaims");
  const access = new Access({ manifests, clock });
  expect(access.check.ready?.()).toContain("has not said yet");
  const stop = new AbortController();
  const run = access.run(client, stop.signal);
  await settle();
  expect(access.check.ready?.()).toBe(
    "it may not list configmaps, list persistentvolumeclaims; grant what the operator's role lists",
  );
  const role = manifests.find(({ kind }) => kind === "ClusterRole");
  if (role !== undefined && "rules" in role) {
    await person.patch(ClusterRole, { name }, { merge: { rules: role.rules } });
  }
  await settle(31_000);
  expect(access.check.ready?.()).toBeUndefined();
  await run;
});

test("a server that does not answer is asked again, and whoever stops is asked no more", async () => {
  const clock = new VirtualClock();
  let asked = 0;
  const create = async (): Promise<never> => {
    asked += 1;
    throw new Error("nobody is there");
  };
  const access = new Access({ manifests, clock });
  const stop = new AbortController();
  const run = access.run({ create }, stop.signal);
  await clock.settle(61_000);
  expect(access.check.ready?.()).toMatch(/does not say whether this process may .*: nobody is there/);
  expect(asked).toBe(3);
  stop.abort();
  await run;
});

test("what is asked is what the roles say: in the cluster, in a namespace, of one object, of a subresource", () => {
  const deeds = deedsOf(manifests).map(({ namespace: place, group, resource, subresource, verb, name: of }) =>
    [verb, resource, subresource, group, of, place].join(" "),
  );
  expect(deeds).toContain("watch persistentvolumeclaims    ");
  expect(deeds).toContain("update configmaps finalizers   ");
  expect(deeds).toContain(`patch leases  coordination.k8s.io ${replicas.lease} ${namespace}`);
  expect(deeds).toContain("create events    ");
});
