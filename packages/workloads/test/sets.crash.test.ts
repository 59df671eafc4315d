// A fault at every write of a StatefulSet's and a DaemonSet's life: refused, done with the answer lost, or the end of the manager.
// Whatever it is, the world ends the same.

import type { KindRef, KubeObject } from "@telltale/kinds";
import { ControllerRevision, DaemonSet, Node, PersistentVolumeClaim, Pod, StatefulSet } from "@telltale/kinds/builtin";
import type { Controller } from "@telltale/runtime";
import { describe, expect, it } from "vitest";
import { daemonSets } from "../src/daemonset/daemonset.ts";
import { isReady, nameOf } from "../src/pods/facts.ts";
import { statefulSets } from "../src/statefulset/statefulset.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { daemon } from "./daemons.ts";
import { claimTemplate, setOf } from "./members.ts";
import { join, sweep } from "./sweep.ts";

interface Life {
  readonly controllers: () => readonly Controller[];
  readonly live: (it: Cluster) => Promise<void>;
  /** What must hold whenever a pod is made: an error where it does not. */
  readonly onPod?: (made: Pod, before: ReadonlyMap<string, Pod>) => string | undefined;
  /** What is there in the end, by kind and name; of pods with generated names the nodes. */
  readonly leaves: readonly string[];
}

const place = { namespace: "default" };
const image = (tag: number) => ({
  template: { spec: { containers: [{ name: "main", image: `example.test/app:${tag}` }] } },
});

const stateful: Life = {
  controllers: () => [statefulSets()],
  async live(it) {
    const { metadata: _metadata, spec } = setOf({
      replicas: 2,
      volumeClaimTemplates: [
        { ...claimTemplate, spec: { ...claimTemplate.spec, resources: { requests: { storage: "1Gi" } } } },
      ],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      revisionHistoryLimit: 0,
    });
    const change = (patch: object) =>
      it.client.patch(StatefulSet, { name: "db", ...place }, { strategic: { spec: patch } as never });
    await it.client.create(StatefulSet, {
      metadata: { name: "db", ...place },
      ...(spec === undefined ? {} : { spec }),
    });
    await sweep(it);
    await change(image(2));
    await sweep(it);
    await change({ replicas: 1 });
    await sweep(it);
  },
  leaves: [
    "StatefulSet db",
    "Pod db-0 on node-1 of example.test/app:2",
    "PersistentVolumeClaim data-db-0",
    "PersistentVolumeClaim data-db-1",
    "ControllerRevision 2",
  ],
  onPod(made, before) {
    if (made.metadata?.name !== "db-1") return undefined;
    const first = before.get("db-0");
    return first !== undefined && isReady(first) ? undefined : "db-1 was made while db-0 was not ready";
  },
};

const daemons: Life = {
  controllers: () => [daemonSets()],
  async live(it) {
    for (const name of ["node-1", "node-2"]) await join(it, name);
    const { spec } = daemon({ revisionHistoryLimit: 0 });
    await it.client.create(DaemonSet, {
      metadata: { name: "agent", ...place },
      ...(spec === undefined ? {} : { spec }),
    });
    await sweep(it);
    await it.client.patch(DaemonSet, { name: "agent", ...place }, { strategic: { spec: image(3) } as never });
    await join(it, "node-3");
    await sweep(it);
    const taints = [{ key: "out", effect: "NoExecute" }];
    await it.client.patch(Node, { name: "node-1" }, { merge: { spec: { taints } } });
    await sweep(it);
  },
  leaves: [
    "DaemonSet agent",
    "Pod agent on node-2 of example.test/app:3",
    "Pod agent on node-3 of example.test/app:3",
    "ControllerRevision 2",
  ],
};

type Trouble = "none" | "refused" | "lost" | "crash";

interface End {
  /** Everything, as far as it can be compared. */
  readonly all: readonly string[];
  /** For people. */
  readonly brief: readonly string[];
}

interface Outcome {
  readonly end: End;
  readonly writes: number;
  readonly wrong: readonly string[];
}

const writing = ["create", "patch", "update", "delete"];

async function run({ controllers, live, onPod }: Life, at: number, trouble: Trouble): Promise<Outcome> {
  const it = await cluster(controllers());
  const wrong: string[] = [];
  const pods = new Map<string, Pod>();
  it.server.store.subscribe("/", it.server.store.revision, ({ type, record }) => {
    const object = record.object() as Pod;
    if (object.kind !== "Pod") return;
    const complaint = type === "ADDED" ? onPod?.(object, pods) : undefined;
    if (complaint !== undefined) wrong.push(complaint);
    if (type === "DELETED") pods.delete(nameOf(object));
    else pods.set(nameOf(object), object);
  });
  const nth = (n: number) => {
    if (n === at && trouble === "crash") void it.crash(controllers());
    return n === at;
  };
  const match = { userAgent: /kube-controller-manager/, verbs: writing, nth, path: /^(?!.*\/events)/ };
  if (trouble === "refused") it.server.faults.add({ match, effect: { status: 500 } });
  else if (trouble !== "none") it.server.faults.add({ match, effect: { resetConnection: true, commit: true } });
  await live(it);
  const writes = it.writes().length;
  const end = await ends(it);
  await it.pass(600_000);
  expect(it.writes(), "quiet once it has settled").toEqual([]);
  expect(it.server.faults.log(), "the trouble happened").toHaveLength(trouble === "none" ? 0 : 1);
  await it.end();
  return { end, writes, wrong };
}

const kinds: readonly KindRef[] = [StatefulSet, DaemonSet, Pod, PersistentVolumeClaim, ControllerRevision];

async function ends({ client }: Cluster): Promise<End> {
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, {})));
  const items = lists.flatMap((list, i) => list.items.map((item) => ({ kind: kinds[i]?.kind ?? "", ...item })));
  return {
    all: items.map((item) => plain(JSON.stringify(item))).sort(),
    brief: items.map(briefly).sort(),
  };
}

function briefly(object: KubeObject): string {
  const pod = object as Pod; // of other kinds none of this is there
  const where = pod.spec?.nodeName === undefined ? "" : ` on ${pod.spec.nodeName} of ${pod.spec.containers[0]?.image}`;
  const { revision } = object as { revision?: number };
  return `${object.kind} ${revision ?? nameOf(object).replace(generated, "agent")}${where}`;
}

const generated = /^agent-[a-z0-9]{5}$/;

/** Without what time and chance decide. */
function plain(text: string): string {
  return text
    .replaceAll(/"(uid|resourceVersion|creationTimestamp|lastTransitionTime|time)":"[^"]*"/g, '"$1":""')
    .replaceAll(/"managedFields":\[.*?\}\],?/g, "")
    .replaceAll(/"name":"agent-[a-z0-9]{5}"/g, '"name":"agent-?"');
}

for (const [name, life] of Object.entries({ "a StatefulSet": stateful, "a DaemonSet": daemons })) {
  describe(`the life of ${name}`, async () => {
    const calm = await run(life, 0, "none");

    it("ends as it should where nothing goes wrong", () => {
      expect(calm.end.brief).toEqual([...life.leaves].sort());
      expect(calm.wrong).toEqual([]);
    });

    for (let n = 1; n <= calm.writes; n += 1) {
      for (const trouble of ["refused", "lost", "crash"] as const) {
        it(`ends the same with write ${n} ${trouble}`, async () => {
          const found = await run(life, n, trouble);
          expect(found.end.brief).toEqual([...life.leaves].sort());
          expect(found.end.all).toEqual(calm.end.all);
          expect(found.wrong).toEqual([]);
        });
      }
    }
  });
}
