import { describe, expect, it } from "vitest";
import { daemon, node, podOn } from "../../test/daemons.ts";
import { daemonPod, fitOf, isUpdated, nodeOf } from "./pod.ts";

const tolerated = (pod: Parameters<typeof daemon>[1]) =>
  daemonPod(daemon({}, pod), "node-1", "h").spec?.tolerations?.map(({ key }) => key?.split("/").at(-1));
const standard = ["not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];

describe("a daemon's pod", () => {
  it("is for one node by affinity, and says of which template it is", () => {
    const { metadata, spec } = daemonPod(daemon(), "node-1", "h");
    expect(metadata).toEqual({
      generateName: "agent-",
      labels: { app: "agent", "controller-revision-hash": "h", "pod-template-generation": "2" },
    });
    expect(spec?.affinity).toEqual({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] }],
        },
      },
    });
  });

  it("has no generation where the server does not count it, or counts nonsense", () => {
    for (const annotations of [{}, { "deprecated.daemonset.template.generation": "two" }]) {
      const set = { ...daemon(), metadata: { name: "agent", annotations } };
      expect(daemonPod(set, "node-1", "h").metadata?.labels).not.toHaveProperty("pod-template-generation");
    }
  });

  it("keeps its other wishes for places, and loses those that chose the node", () => {
    const requirement = { matchExpressions: [{ key: "zone", operator: "Exists" }] };
    const preferred = [{ weight: 1, preference: requirement }];
    const affinity = {
      podAntiAffinity: {},
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [requirement] },
      },
    };
    const { spec } = daemonPod(daemon({}, { affinity }), "node-1", "h");
    expect(spec?.affinity).toMatchObject({
      podAntiAffinity: {},
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred },
    });
    expect(nodeOf({ spec: spec ?? { containers: [] } })).toBe("node-1");
  });

  it("endures what ails a node, after what it endures anyway, and each once", () => {
    expect(tolerated({})).toEqual(standard);
    expect(tolerated({ hostNetwork: true })).toEqual([...standard, "network-unavailable"]);
    const mine = { key: "mine", operator: "Exists" };
    const notReady = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" };
    const forNow = { ...notReady, tolerationSeconds: 5 };
    expect(tolerated({ tolerations: [mine, forNow] })).toEqual(["mine", ...standard]);
    expect(daemonPod(daemon({}, { tolerations: [forNow] }), "a", "h").spec?.tolerations?.[0]).toEqual(notReady);
  });

  it("is of the present template by its hash, or by the count of templates", () => {
    const hashes = new Set(["new", "twin"]);
    expect(isUpdated(daemon(), podOn("a", "Ready", "new"), hashes)).toBe(true);
    expect(isUpdated(daemon(), podOn("a", "Ready", "old"), hashes)).toBe(false);
    const labelled = (labels: Record<string, string>) => ({ metadata: { labels } });
    expect(isUpdated(daemon(), labelled({ "controller-revision-hash": "twin" }), hashes)).toBe(true);
    expect(isUpdated(daemon(), labelled({ "pod-template-generation": "2" }), hashes)).toBe(true);
    expect(isUpdated(daemon(), labelled({}), hashes)).toBe(false);
  });
});

describe("the node of a pod", () => {
  it("is where it is, else where it is meant to be, else unknown", () => {
    expect(nodeOf(podOn("a", "Ready"))).toBe("a");
    expect(nodeOf(podOn("a", "Pending"))).toBe("a");
    const terms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a", "b"] }] }];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    expect(nodeOf({ spec: { containers: [], affinity: { nodeAffinity: required } } })).toBeUndefined();
    expect(nodeOf({ spec: { containers: [] } })).toBeUndefined();
    expect(nodeOf({})).toBeUndefined();
  });
});

describe("a node", () => {
  const tainted = (effect: string, key = "gpu") => node("a", { taints: [{ key, effect }] });

  it("is a home unless something speaks against it", () => {
    expect(fitOf(daemon(), node("a"))).toBe("home");
    expect(fitOf(daemon({}, { nodeSelector: { disk: "ssd" } }), node("a"))).toBe("none");
    expect(fitOf(daemon({}, { nodeSelector: { disk: "ssd" } }), node("a", {}, { disk: "ssd" }))).toBe("home");
    expect(fitOf(daemon({}, { nodeName: "b" }), node("a"))).toBe("none");
  });

  it("that keeps others away lets those stay that are there, and one that drives away does not", () => {
    expect(fitOf(daemon(), tainted("NoSchedule"))).toBe("refuge");
    expect(fitOf(daemon(), tainted("NoExecute"))).toBe("none");
    expect(fitOf(daemon(), tainted("PreferNoSchedule"))).toBe("home");
    expect(fitOf(daemon({}, { tolerations: [{ key: "gpu", operator: "Exists" }] }), tainted("NoExecute"))).toBe("home");
  });

  it("that ails, or takes no more pods, is a home still", () => {
    expect(fitOf(daemon(), node("a", { unschedulable: true }))).toBe("home");
    expect(fitOf(daemon(), tainted("NoSchedule", "node.kubernetes.io/unschedulable"))).toBe("home");
    expect(fitOf(daemon(), tainted("NoExecute", "node.kubernetes.io/unreachable"))).toBe("home");
    expect(fitOf(daemon(), tainted("NoSchedule", "node.kubernetes.io/network-unavailable"))).toBe("refuge");
  });
});
