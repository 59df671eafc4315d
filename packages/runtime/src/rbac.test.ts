import { conditions, defineKind, Fields, Int32, type KindRef, positive, yes } from "@telltale/kinds";
import { ConfigMap, Deployment, Namespace, Node, Pod, Secret } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { type Controller, controller, type Declaration, done } from "./index.ts";
import { type PolicyRule, type RbacOptions, rbacManifests, rbacRules } from "./rbac.ts";

const names = { group: "example.com", version: "v1" };
const ready = conditions({ Ready: positive({ means: "It is", reasons: { Done: yes("It is") } }) });
const Box = defineKind({ ...names, kind: "Box", spec: Fields({ size: Int32() }), finalizer: "example.com/box" });
const Shelf = defineKind({ ...names, kind: "Shelf", plural: "shelves", conditions: ready });
const Room = defineKind({ ...names, kind: "Room", scope: "Cluster", conditions: ready });

type Any = Declaration<KindRef>;
const whole = (it: Any): Controller => it.reconcile({ observe: () => 0, status: () => ({ status: {} }) });

/** `group: resources: verbs`, and of which objects where not of all. */
const line = ({ apiGroups = [], resources = [], verbs, resourceNames }: PolicyRule) =>
  `${apiGroups.join()}: ${resources.join()}: ${verbs.join()}${resourceNames === undefined ? "" : ` of ${resourceNames.join()}`}`;
const rules = (...all: Any[]) => rbacRules(all.map(whole), { events: "none" }).map(line);
const reading = "get,list,watch";

describe("the rules of a controller", () => {
  it("let it read its kind, and write its status where it has one", () => {
    expect(rules(controller(Box))).toEqual([`example.com: boxes: ${reading}`]);
    expect(rules(controller(Shelf))).toEqual([
      `example.com: shelves: ${reading}`,
      "example.com: shelves/status: patch",
    ]);
  });

  it("let it change its objects where it has a finalizer, a record or says so", () => {
    const own = `example.com: boxes: get,list,patch,watch`;
    expect(rules(controller(Box).finalize(async () => done))).toEqual([own]);
    expect(rules(controller(Box).finalize(async () => done, { add: false }))).toEqual([own]);
    expect(rules(controller(Box).records("example.com/effect"))).toEqual([own]);
    expect(rules(controller(Box).writes(Box, "patch"))).toEqual([own]);
  });

  it("let it do all with its children, and hold the owner back by them", () => {
    expect(rules(controller(Box).owns(Deployment, ConfigMap))).toEqual([
      ": configmaps: create,delete,get,list,patch,watch",
      "apps: deployments: create,delete,get,list,patch,watch",
      `example.com: boxes: ${reading}`,
      "example.com: boxes/finalizers: update",
    ]);
  });

  it("are fewer for children with which less is done", () => {
    const kept = controller(Box).owns(ConfigMap, { verbs: ["create", "patch"] });
    expect(rules(kept)[0]).toBe(": configmaps: create,get,list,patch,watch");
    const adopted = controller(Box).owns(Pod, { anyOwner: true, verbs: ["delete"] });
    expect(rules(adopted)).toEqual([": pods: delete,get,list,watch", `example.com: boxes: ${reading}`]);
  });

  it("let it only read what is only summed up", () => {
    const of = () => ({ status: "True", reason: "Done" }) as never;
    expect(rules(controller(Shelf).sums(Pod, "Ready", of, {} as never))).toEqual([
      `: pods: ${reading}`,
      `example.com: shelves: ${reading}`,
      "example.com: shelves/status: patch",
    ]);
  });

  it("let it read what it reads and watches, and get what it gets", () => {
    const it = controller(Box)
      .reads(Pod)
      .watches(Node, () => [])
      .gets(Secret);
    expect(rules(it)).toEqual([`: nodes,pods: ${reading}`, ": secrets: get", `example.com: boxes: ${reading}`]);
  });

  it("let it write what it says, and look before it makes something", () => {
    const it = controller(Box)
      .writes(Pod, "delete", "patch status")
      .writes(Node, "patch")
      .writes(ConfigMap, "create", "patch");
    expect(rules(it).filter((rule) => rule.startsWith(":"))).toEqual([
      ": configmaps: create,get,patch",
      ": nodes,pods/status: patch",
      ": pods: delete",
    ]);
  });

  it("are about one object where only that is selected", () => {
    const it = controller(Box)
      .reads(ConfigMap, { field: "metadata.name=settings" })
      .reads(Secret, { field: "type=Opaque,metadata.name==key" })
      .reads(Pod, { field: "metadata.name!=other" });
    expect(rules(it).slice(0, 3)).toEqual([
      `: configmaps: ${reading} of settings`,
      `: pods: ${reading}`,
      `: secrets: ${reading} of key`,
    ]);
    const made = controller(Box).owns(ConfigMap, { field: "metadata.name=settings" });
    expect(rules(made).slice(0, 2)).toEqual([
      ": configmaps: create",
      ": configmaps: delete,get,list,patch,watch of settings",
    ]);
  });

  it("let it get one object only where that is named", () => {
    const it = controller(Box)
      .gets(ConfigMap, { field: "metadata.name=a" })
      .gets(ConfigMap, { field: "metadata.name=b" });
    expect(rules(it)).toEqual([": configmaps: get of a,b", `example.com: boxes: ${reading}`]);
    expect(rules(it.gets(Secret, ConfigMap))[0]).toBe(": configmaps,secrets: get");
  });

  it("let it write in the namespaces and by the names that it says, and create by any name", () => {
    const it = controller(Box)
      .gets(Secret, { namespace: "keys" })
      .writes(Secret, { namespace: "keys", field: "metadata.name=state" }, "create", "patch", "delete")
      .requires(Pod, "get proxy");
    const found = rbacManifests({ name: "boxes", namespace: "boxes", controllers: [whole(it)], events: "none" });
    const of = (kind: string) => found.find((manifest) => manifest.kind === kind) as { rules: PolicyRule[] };
    expect(of("ClusterRole").rules.map(line)).toEqual([": pods/proxy: get", `example.com: boxes: ${reading}`]);
    expect(of("Role").rules.map(line)).toEqual([": secrets: create,get", ": secrets: delete,patch of state"]);
  });

  it("let it tell events, in the API that is asked for", () => {
    const all = [whole(controller(Box))];
    expect(rbacRules(all).map(line)).toContain("events.k8s.io: events: create,patch");
    expect(rbacRules(all, { events: "v1" }).map(line)).toContain(": events: create,patch");
  });

  it("are merged over controllers: each deed once, and all of a kind where one needs that", () => {
    const one = controller(Box).owns(ConfigMap).reads(Secret, { field: "metadata.name=a" });
    const other = controller(Shelf).reads(Box, ConfigMap).reads(Secret, { field: "metadata.name=b" }).gets(Pod);
    expect(rules(one, other)).toEqual([
      ": configmaps: create,delete,get,list,patch,watch",
      ": pods: get",
      `: secrets: ${reading} of a,b`,
      `example.com: boxes,shelves: ${reading}`,
      "example.com: boxes/finalizers: update",
      "example.com: shelves/status: patch",
    ]);
    expect(rules(one, controller(Shelf).gets(Secret))).toContain(": secrets: get");
    expect(rules(one, controller(Shelf).gets(Secret))).toContain(": secrets: list,watch of a");
  });

  it("never hold a wildcard, nor an update of anything but finalizers", () => {
    const all = rbacRules([whole(controller(Shelf).owns(Deployment).reads(Pod).writes(Node, "patch", "patch status"))]);
    const text = JSON.stringify(all.filter(({ resources }) => resources?.join() !== "shelves/finalizers"));
    expect(text).not.toMatch(/\*|update/);
  });
});

describe("the manifests of an operator", () => {
  const options: RbacOptions = {
    name: "boxes",
    namespace: "operators",
    controllers: [whole(controller(Box).owns(ConfigMap))],
  };
  /** Each role as `Kind namespace/name`, with its rules. */
  const roles = (more: Partial<RbacOptions> = {}) => {
    const found: Record<string, string[]> = {};
    for (const manifest of rbacManifests({ ...options, ...more })) {
      if (manifest.kind !== "Role" && manifest.kind !== "ClusterRole") continue;
      found[`${manifest.kind} ${manifest.metadata?.namespace ?? ""}`] = (manifest.rules ?? []).map(line);
    }
    return found;
  };

  it("are an account, a role and its binding", () => {
    const rbac = "rbac.authorization.k8s.io";
    const role = { apiVersion: `${rbac}/v1`, metadata: { name: "boxes" } };
    expect(rbacManifests(options)).toEqual([
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "boxes", namespace: "operators" } },
      { ...role, kind: "ClusterRole", rules: rbacRules(options.controllers) },
      {
        ...role,
        kind: "ClusterRoleBinding",
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "boxes" },
        subjects: [{ kind: "ServiceAccount", name: "boxes", namespace: "operators" }],
      },
    ]);
  });

  it("are one role for each namespace where the manager is limited to some", () => {
    const all = rbacRules(options.controllers).map(line);
    expect(roles({ namespaces: ["b", "a"] })).toEqual({ "Role a": all, "Role b": all });
    const bound = rbacManifests({ ...options, namespaces: ["a"] }).find(({ kind }) => kind === "RoleBinding");
    expect(bound).toMatchObject({
      metadata: { name: "boxes", namespace: "a" },
      roleRef: { kind: "Role", name: "boxes" },
      subjects: [{ kind: "ServiceAccount", name: "boxes", namespace: "operators" }],
    });
  });

  it("keep a role of the cluster for what is in no namespace, whose events are in `default`", () => {
    const controllers = [whole(controller(Room).owns(Namespace).owns(ConfigMap))];
    expect(roles({ controllers, namespaces: ["a"] })).toEqual({
      "ClusterRole ": [
        ": namespaces: create,delete,get,list,patch,watch",
        `example.com: rooms: ${reading}`,
        "example.com: rooms/finalizers: update",
        "example.com: rooms/status: patch",
      ],
      "Role a": [": configmaps: create,delete,get,list,patch,watch"],
      "Role default": ["events.k8s.io: events: create,patch"],
    });
  });

  it("let it read in the namespace that it selects, and nowhere else", () => {
    const it = controller(Box).reads(Secret, { namespace: "keys" }).gets(Pod);
    expect(roles({ controllers: [whole(it)], events: "none" })).toEqual({
      "ClusterRole ": [": pods: get", `example.com: boxes: ${reading}`],
      "Role keys": [`: secrets: ${reading}`],
    });
    const local = controller(Box).select({ namespace: "here" });
    expect(roles({ controllers: [whole(local)] })).toEqual({
      "Role here": ["events.k8s.io: events: create,patch", `example.com: boxes: ${reading}`],
    });
  });

  it("do not repeat in a namespace what the cluster's role allows", () => {
    const it = controller(Box).reads(Secret, { namespace: "keys" });
    expect(Object.keys(roles({ controllers: [whole(it), whole(controller(Shelf).reads(Secret))] }))).toEqual([
      "ClusterRole ",
    ]);
  });

  it("let it hold its one Lease where that is", () => {
    const lease = ["coordination.k8s.io: leases: create", "coordination.k8s.io: leases: get,patch of boxes"];
    expect(roles({ replicas: { as: "lease", namespace: "operators" } })["Role operators"]).toEqual(lease);
    const named = roles({ replicas: { as: "lease", namespace: "operators", lease: "l" } })["Role operators"];
    expect(named?.[1]).toBe("coordination.k8s.io: leases: get,patch of l");
    expect(roles({ replicas: { as: "one" } })["Role operators"]).toBeUndefined();
  });

  it("let it share by Leases whose names it does not know beforehand", () => {
    expect(roles({ replicas: { as: "shards", namespace: "operators" } })["Role operators"]).toEqual([
      "coordination.k8s.io: leases: create,delete,get,list,patch",
    ]);
  });

  it("let it keep its webhooks' certificates and tell servers of their authority", () => {
    const webhooks = {
      namespace: "operators",
      secret: "boxes-tls",
      publish: [
        { in: "validating", name: "boxes" },
        { in: "mutating", name: "boxes" },
        { in: "conversion", name: "boxes.example.com" },
      ],
    } as const;
    const made = roles({ webhooks });
    expect(made["Role operators"]).toEqual([": secrets: create", ": secrets: get,patch of boxes-tls"]);
    expect(made["ClusterRole "]).toEqual([
      ": configmaps: create,delete,get,list,patch,watch",
      "admissionregistration.k8s.io: mutatingwebhookconfigurations,validatingwebhookconfigurations: get,patch of boxes",
      "apiextensions.k8s.io: customresourcedefinitions: get,patch of boxes.example.com",
      "events.k8s.io: events: create,patch",
      `example.com: boxes: ${reading}`,
      "example.com: boxes/finalizers: update",
    ]);
  });
});
