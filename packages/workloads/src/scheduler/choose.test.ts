import type { Node, Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { container, pod } from "../../test/pod-parts.ts";
import { choose, type Site } from "./choose.ts";
import { Ledger } from "./ledger.ts";

type Spec = NonNullable<Pod["spec"]>;

const node = (name: string, more: Partial<Node> = {}, allocatable: Record<string, string> = {}): Node => ({
  ...more,
  metadata: { name, labels: { "kubernetes.io/hostname": name, ...more.metadata?.labels } },
  status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10", ...allocatable } },
});

let count = 0;
function asking(cpu: string, spec: Partial<Spec> = {}, labels: Record<string, string> = {}): Pod {
  const { nodeName: _none, ...rest } = pod().spec ?? { containers: [] };
  const containers = [container("main", { resources: { requests: { cpu, memory: "1Gi" } } })];
  count += 1;
  return {
    metadata: { name: `p-${count}`, namespace: "default", uid: `u-${count}`, labels },
    spec: { ...rest, containers, ...spec },
  };
}

function site(nodes: readonly Node[], placed: readonly (readonly [string, Pod])[] = []): Site {
  const ledger = new Ledger();
  for (const [name, it] of placed) {
    ledger.saw(undefined, { ...it, spec: { containers: [], ...it.spec, nodeName: name } });
  }
  return {
    nodes,
    loadOf: (name) => ledger.loadOf(name),
    placed: () => ledger.placed(),
    guarded: () => ledger.guarded(),
    node: (name) => nodes.find(({ metadata }) => metadata?.name === name),
    namespaceLabels: (name) => (name === "shop" ? { team: "shop" } : {}),
  };
}

function chosen(it: Pod, where: Site): string | readonly string[] {
  const choice = choose(it, where);
  if ("node" in choice) return choice.node;
  if (choice.refused.by === "pod") return choice.refused.reason;
  return choice.refused.refusals.flatMap(({ reasons, couldHelp }) =>
    reasons.map((it) => `${it}${couldHelp ? " (could help)" : ""}`),
  );
}

describe("which node", () => {
  test("the one with most room, then the one with fewest pods, then the first by name", () => {
    const nodes = [node("b"), node("a")];
    expect(chosen(asking("1"), site(nodes))).toBe("a");
    expect(chosen(asking("1"), site(nodes, [["a", asking("1")]]))).toBe("b");
    expect(chosen(asking("1"), site([node("small"), node("large", {}, { cpu: "64", memory: "64Gi" })]))).toBe("large");
  });

  test("pods that ask for nothing are spread too", () => {
    const nodes = [node("a"), node("b")];
    const modest = () => ({ ...asking("0"), spec: { containers: [container("main")] } });
    expect(chosen(modest(), site(nodes, [["a", modest()]]))).toBe("b");
  });

  test("wishes of the pod and of the node count before room", () => {
    const preference = { matchExpressions: [{ key: "disk", operator: "In", values: ["fast"] }] };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ preference, weight: 100 }] };
    const nodes = [node("a", {}, { cpu: "64" }), node("fast", { metadata: { labels: { disk: "fast" } } })];
    expect(chosen(asking("1", { affinity: { nodeAffinity } }), site(nodes))).toBe("fast");
    const shy = node("a", { spec: { taints: [{ key: "old", effect: "PreferNoSchedule" }] } });
    expect(chosen(asking("1"), site([shy, node("b")]))).toBe("b");
    expect(chosen(asking("1"), site([shy]))).toBe("a");
  });
});

describe("what speaks against a node", () => {
  test("the first thing is told, in the order of kube-scheduler", () => {
    const cordoned = {
      unschedulable: true,
      taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
    };
    const nodes = [
      node("a", { spec: cordoned }),
      node("b", { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } }),
      node("c"),
      node("d", { metadata: { labels: { disk: "fast" } } }, { cpu: "500m", memory: "1Mi" }),
    ];
    expect(chosen(asking("1", { nodeSelector: { disk: "fast" } }), site(nodes))).toEqual([
      "node(s) were unschedulable",
      "node(s) had untolerated taint(s)",
      "node(s) didn't match Pod's node affinity/selector",
      "Insufficient cpu",
      "Insufficient memory",
    ]);
  });

  test("pods that are there take their part, and could leave", () => {
    expect(chosen(asking("2"), site([node("a")], [["a", asking("3")]]))).toEqual(["Insufficient cpu (could help)"]);
    expect(chosen(asking("5"), site([node("a")]))).toEqual(["Insufficient cpu"]);
    const full = site([node("a", {}, { pods: "1" })], [["a", asking("0")]]);
    expect(chosen(asking("0"), full)).toEqual(["Too many pods (could help)"]);
  });

  test("a port of the node can be had once", () => {
    const port = (hostPort: number, more = {}) => ({
      containers: [container("main", { ports: [{ containerPort: 80, hostPort, ...more }] })],
    });
    const there = site([node("a")], [["a", asking("0", port(80, { hostIP: "10.0.0.1" }))]]);
    const taken = ["node(s) didn't have free ports for the requested pod ports (could help)"];
    expect(chosen(asking("0", port(80)), there)).toEqual(taken);
    expect(chosen(asking("0", port(80, { hostIP: "10.0.0.1" })), there)).toEqual(taken);
    expect(chosen(asking("0", port(80, { hostIP: "10.0.0.2" })), there)).toBe("a");
    expect(chosen(asking("0", port(80, { protocol: "UDP" })), there)).toBe("a");
    expect(chosen(asking("0", port(81)), there)).toBe("a");
  });
});

describe("company", () => {
  const zone = (name: string, value: string) => node(name, { metadata: { labels: { zone: value } } });
  const nodes = [zone("a1", "a"), zone("a2", "a"), zone("b1", "b"), node("none")];
  const term = (labels: Record<string, string>, more = {}) => ({
    topologyKey: "zone",
    labelSelector: { matchLabels: labels },
    ...more,
  });
  const near = (...terms: ReturnType<typeof term>[]) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const far = (...terms: ReturnType<typeof term>[]) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const db = asking("1", {}, { app: "db" });

  test("a pod that wants to be near another goes to its part of the world", () => {
    expect(chosen(asking("1", near(term({ app: "db" }))), site(nodes, [["b1", db]]))).toBe("b1");
    expect(chosen(asking("1", near(term({ app: "db" }))), site(nodes))).toEqual(
      Array(4).fill("node(s) didn't match pod affinity rules"),
    );
  });

  test("the first of those that want each other's company begins anywhere that counts", () => {
    expect(chosen(asking("1", near(term({ app: "web" })), { app: "web" }), site(nodes))).toBe("a1");
    expect(chosen(asking("1", near(term({ app: "web" })), { app: "web" }), site([node("none")]))).toEqual([
      "node(s) didn't match pod affinity rules",
    ]);
  });

  test("a pod that wants to be far from another does not go there, and keeps others away", () => {
    expect(chosen(asking("1", far(term({ app: "db" }))), site(nodes.slice(0, 3), [["a1", db]]))).toBe("b1");
    const only = site(nodes.slice(0, 2), [["a1", db]]);
    expect(chosen(asking("1", far(term({ app: "db" }))), only)).toEqual(
      Array(2).fill("node(s) didn't match pod anti-affinity rules (could help)"),
    );
    const guard = asking("1", far(term({ app: "web" })));
    expect(chosen(asking("1", {}, { app: "web" }), site(nodes.slice(0, 2), [["a1", guard]]))).toEqual(
      Array(2).fill("node(s) didn't satisfy existing pods anti-affinity rules (could help)"),
    );
    expect(chosen(asking("1", {}, { app: "web" }), site(nodes.slice(0, 3), [["a1", guard]]))).toBe("b1");
  });

  test("a term is about its own namespace, unless it names others", () => {
    const other: Pod = { ...db, metadata: { ...db.metadata, namespace: "shop" } };
    const there = site(nodes, [["b1", other]]);
    expect(chosen(asking("1", near(term({ app: "db" }))), there)).toHaveLength(4);
    expect(chosen(asking("1", near(term({ app: "db" }, { namespaces: ["shop"] }))), there)).toBe("b1");
    const team = { namespaceSelector: { matchLabels: { team: "shop" } } };
    expect(chosen(asking("1", near(term({ app: "db" }, team))), there)).toBe("b1");
    expect(chosen(asking("1", near(term({ app: "db" }, { namespaceSelector: {} }))), there)).toBe("b1");
  });
});

describe("spreading", () => {
  const zone = (name: string, value: string) => node(name, { metadata: { labels: { zone: value } } });
  const nodes = [zone("a", "a"), zone("b", "b"), node("none")];
  const spread = (more = {}) => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
        ...more,
      },
    ],
  });
  const web = (spec = {}) => asking("0", spec, { app: "web" });

  test("a part with more than the others takes no further one", () => {
    const there = site(nodes, [["a", web()]]);
    expect(chosen(web(spread()), there)).toBe("b");
    const full = site(
      [zone("a", "a"), zone("b", "b"), node("none")].map((it) =>
        it.metadata?.name === "b" ? { ...it, status: {} } : it,
      ),
      [["a", web()]],
    );
    expect(chosen(web(spread()), full)).toEqual([
      "node(s) didn't match pod topology spread constraints (could help)",
      "Too many pods",
      "Insufficient memory",
      "node(s) didn't match pod topology spread constraints (missing required label)",
    ]);
  });

  test("parts that the pod could not be in do not count", () => {
    const there = site(nodes, [["a", web()]]);
    expect(chosen(web({ ...spread(), nodeSelector: { zone: "a" } }), there)).toBe("a");
  });

  test("with fewer parts than wanted one more is taken to be empty", () => {
    const there = site(nodes, [
      ["a", web()],
      ["b", web()],
    ]);
    expect(chosen(web(spread()), there)).toBe("a");
    expect(chosen(web(spread({ minDomains: 3 })), there)).toHaveLength(3);
  });

  test("a wish to be spread refuses nothing", () => {
    expect(chosen(web(spread({ whenUnsatisfiable: "ScheduleAnyway" })), site([node("none")]))).toBe("none");
  });
});
