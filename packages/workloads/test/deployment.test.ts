// What Deployments do where no recording shows it, as the notes on the recordings have it; and what they do under faults.
import { describe, expect, test } from "vitest";
import { deployments } from "../src/deployment/deployment.ts";
import { replicaSets } from "../src/replicaset/replicaset.ts";
import { isObject, type Json, type JsonObject } from "./golden/json.ts";
import { type Replay, replay } from "./golden/replay.ts";
import type { Step } from "./golden/scenario.ts";

function web(spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" }, annotations },
        spec: { containers: [{ name: "main", image: "example.test/app:1" }] },
      },
      ...spec,
    },
  };
}

const settled: Step = { until: "settled" };
const patch = (spec: Json): Step => ({
  do: "patch",
  kind: "Deployment",
  name: "web",
  type: "strategic",
  patch: { spec },
});
const image = (tag: number, annotations: JsonObject = {}): Json => ({
  template: { metadata: { annotations }, spec: { containers: [{ name: "main", image: `example.test/app:${tag}` }] } },
});

async function play(...steps: Step[]): Promise<Replay> {
  const scenario = { name: "test", description: "", steps, settleMs: 700, podNumbering: "creation" } as const;
  const ours = await replay(scenario, [deployments(), replicaSets()]);
  expect(ours.failure).toBeUndefined();
  return ours;
}

const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

const statesOf = (ours: Replay, name: string) => ours.objects.get(name) ?? [];
const statusAt = (ours: Replay, name: string, step = 1000): JsonObject =>
  object(statesOf(ours, name).findLast((it) => it.step <= step)?.body["status"]);

const progress = (status: JsonObject): string => {
  const conditions = status["conditions"] as readonly JsonObject[] | undefined;
  const found = conditions?.find((it) => it["type"] === "Progressing");
  return found === undefined ? "" : `${found["status"]} ${found["reason"]} ${found["message"]}`;
};

/** What was said of the progress, one after the other. */
const story = (ours: Replay): string[] => {
  const told = statesOf(ours, "Deployment/web").map(({ body }) => progress(object(body["status"])));
  return told.filter((it, i) => it !== told[i - 1]);
};

describe("Recreate", () => {
  test("no new ReplicaSet is made while an old pod is neither gone nor ended", async () => {
    const ours = await play(
      { do: "create", manifest: web({ strategy: { type: "Recreate" } }) },
      settled,
      { do: "kubelet", hold: true },
      patch(image(2)),
      { wait: 5 },
      { do: "kubelet", hold: false },
      settled,
    );
    const begun = statesOf(ours, "ReplicaSet/web-<hash:2>")[0];
    expect(begun?.step).toBeGreaterThan(4);
    expect(progress(statusAt(ours, "Deployment/web", 4))).toBe(
      'True NewReplicaSetAvailable ReplicaSet "web-<hash:1>" has successfully progressed.',
    );
    expect(statusAt(ours, "Deployment/web")).toMatchObject({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
    const annotations = object(begun?.body["metadata"])["annotations"];
    expect(annotations).toMatchObject({ "deployment.kubernetes.io/max-replicas": "2" });
  });
});

describe("the deadline", () => {
  test("pods that never start exceed it, and it is left by success", async () => {
    const ours = await play(
      { do: "create", manifest: web({ progressDeadlineSeconds: 4 }, { "kubelet.test/hold": "Pending" }) },
      { wait: 4.5 },
      { wait: 1 },
      { do: "pod", op: "release", nth: 0 },
      { do: "pod", op: "release", nth: 1 },
      settled,
    );
    expect(story(ours).slice(1)).toEqual([
      'True NewReplicaSetCreated Created new replica set "web-<hash:1>"',
      'True ReplicaSetUpdated ReplicaSet "web-<hash:1>" is progressing.',
      'False ProgressDeadlineExceeded ReplicaSet "web-<hash:1>" has timed out progressing.',
      'True ReplicaSetUpdated ReplicaSet "web-<hash:1>" is progressing.',
      'True NewReplicaSetAvailable ReplicaSet "web-<hash:1>" has successfully progressed.',
    ]);
  });

  test("an update that never becomes ready exceeds it, and a new template leaves that", async () => {
    const ours = await play(
      { do: "create", manifest: web({ progressDeadlineSeconds: 4 }) },
      settled,
      patch(image(2, { "kubelet.test/hold": "NotReady" })),
      settled,
      { wait: 6 },
      patch(image(1, { "kubelet.test/hold": null })),
      settled,
    );
    expect(progress(statusAt(ours, "Deployment/web", 4))).toMatch(/^False ProgressDeadlineExceeded/);
    expect(progress(statusAt(ours, "Deployment/web"))).toMatch(/^True NewReplicaSetAvailable/);
    const annotations = object(statesOf(ours, "ReplicaSet/web-<hash:1>").at(-1)?.body["metadata"])["annotations"];
    expect(annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
  });

  test("no deadline, no word of progress", async () => {
    const ours = await play({ do: "create", manifest: web({ progressDeadlineSeconds: 2_147_483_647 }) }, settled);
    expect(progress(statusAt(ours, "Deployment/web"))).toBe("");
  });
});

test("a pod that failed counts nowhere, is replaced, and stays", async () => {
  const ours = await play(
    { do: "create", manifest: web({}) },
    settled,
    { do: "pod", op: "exit", nth: 0, code: 1 },
    settled,
  );
  expect(statusAt(ours, "ReplicaSet/web-<hash:1>")).toMatchObject({ replicas: 2, availableReplicas: 2 });
  const pods = [...ours.objects].filter(([name]) => name.startsWith("Pod/"));
  expect(pods.map(([, states]) => states.at(-1)?.event)).not.toContain("DELETED");
  expect(pods).toHaveLength(3);
});

test("once settled, nothing is written and nobody wakes", async () => {
  const ours = await play({ do: "create", manifest: web({}) }, settled, { wait: 3600 });
  const late = [...ours.objects.values()].flat().filter(({ step }) => step > 1);
  expect(late).toEqual([]);
});
