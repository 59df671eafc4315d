// Simulated pods on the embedded server: every annotation by what a person sees, the same with everything restarted in the
// middle of each stage, rules at run time, and logs.
import { Job, Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { controllers } from "../src/controllers.ts";
import { type Machine, machine } from "./machine.ts";

const namespace = "default";
const background = { propagation: "Background" } as const;
let it: Machine;
afterEach(() => it?.end());

interface Story {
  readonly annotations: Record<string, string>;
  readonly spec?: Partial<NonNullable<Pod["spec"]>>;
  /** What is seen from which second on. */
  readonly seen: readonly (readonly [second: number, view: string])[];
  /** Part of what is told, but for where the pod was put. */
  readonly events?: readonly string[];
  readonly status?: object;
}

const main = { name: "main", image: "example.test/app:1" };
const never = { restartPolicy: "Never" };
const runs = "Running: main running ready";
const prefixed = (word: string, value: string) => ({ [`sim.telltale.dev/${word}`]: value });
const why = 'failed to pull and unpack image "invalid:1": failed to resolve reference "invalid:1": not found';

const stories: Readonly<Record<string, Story>> = {
  "nothing said": { annotations: {}, seen: [[0, runs]] },
  "pull-after": {
    annotations: prefixed("pull-after", "5s"),
    seen: [
      [0, "Pending: main ContainerCreating"],
      [5, runs],
    ],
  },
  "create-after": {
    annotations: prefixed("create-after", "5s"),
    seen: [
      [0, "Pending: main ContainerCreating"],
      [5, runs],
    ],
  },
  "start-after": {
    annotations: prefixed("start-after", "5s"),
    seen: [
      [0, "Pending: main ContainerCreating"],
      [5, runs],
    ],
  },
  "ready-after": {
    annotations: prefixed("ready-after", "5s"),
    seen: [
      [0, "Running: main running"],
      [5, runs],
    ],
  },
  "never-ready": { annotations: prefixed("never-ready", "true"), seen: [[0, "Running: main running"]] },
  flap: {
    annotations: prefixed("flap", "5s"),
    seen: [
      [0, runs],
      [5, "Running: main running"],
      [10, runs],
      [15, "Running: main running"],
      [20, runs],
    ],
  },
  "pull-error": {
    annotations: prefixed("pull-error", "12s"),
    seen: [
      [0, "Pending: main ErrImagePull"],
      [1, "Pending: main ImagePullBackOff"],
      [10, "Pending: main ErrImagePull"],
      [11, "Pending: main ImagePullBackOff"],
      [30, runs],
    ],
    events: ["Warning Failed: Error: ErrImagePull", "Warning Failed: Error: ImagePullBackOff"],
  },
  "an image that is called invalid": {
    annotations: {},
    spec: { containers: [{ name: "main", image: "invalid:1" }] },
    seen: [
      [0, "Pending: main ErrImagePull"],
      [1, "Pending: main ImagePullBackOff"],
      [10, "Pending: main ErrImagePull"],
    ],
    events: [`Warning Failed: Failed to pull image "invalid:1": ${why}`],
  },
  "config-error": {
    annotations: prefixed("config-error", "5s"),
    seen: [
      [0, "Pending: main CreateContainerConfigError"],
      [5, runs],
    ],
    events: ["Warning Failed: Error: the container cannot be made of what its pod says (simulated)"],
  },
  "mount-error": {
    annotations: prefixed("mount-error", "5s"),
    seen: [
      [0, "Pending: main ContainerCreating"],
      [5, runs],
    ],
    events: ['Warning FailedMount: MountVolume.SetUp failed for volume "data" : simulated'],
  },
  "sandbox-error": {
    annotations: prefixed("sandbox-error", "5s"),
    seen: [
      [0, "Pending: main ContainerCreating"],
      [5, runs],
    ],
    events: ["Warning FailedCreatePodSandBox: Failed to create pod sandbox: simulated"],
  },
  "exit-after": {
    annotations: prefixed("exit-after", "5s"),
    spec: never,
    seen: [
      [0, runs],
      [5, "Succeeded: main Completed 0"],
    ],
  },
  "exit-code": {
    annotations: { ...prefixed("exit-code", "3"), ...prefixed("exit-after", "5s") },
    spec: never,
    seen: [
      [0, runs],
      [5, "Failed: main Error 3"],
    ],
  },
  crash: {
    annotations: { ...prefixed("crash", "true"), ...prefixed("exit-after", "5s") },
    seen: [
      [0, runs],
      [5, `${runs} 1x`],
      [10, "Running: main CrashLoopBackOff 1x"],
      [20, `${runs} 2x`],
      [25, "Running: main CrashLoopBackOff 2x"],
      [45, `${runs} 3x`],
    ],
    status: { containerStatuses: [{ lastState: { terminated: { exitCode: 1, reason: "Error" } } }] },
  },
  "kill-after": {
    annotations: prefixed("kill-after", "5s"),
    seen: [
      [0, runs],
      [5, `${runs} 1x`],
    ],
  },
  "oom-after": {
    annotations: prefixed("oom-after", "5s"),
    spec: never,
    seen: [
      [0, runs],
      [5, "Failed: main OOMKilled 137"],
    ],
  },
  "evict-after": {
    annotations: prefixed("evict-after", "5s"),
    seen: [
      [0, runs],
      [5, "Failed: main Error 137"],
    ],
    events: ["Warning Evicted: The node was low on resource: memory. "],
    status: { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory. " },
  },
  "lost-after": {
    annotations: prefixed("lost-after", "5s"),
    seen: [
      [0, runs],
      [5, runs],
    ],
    status: { reason: "NodeLost", message: "Node embedded-node which was running pod p is unresponsive" },
  },
  container: {
    annotations: { ...prefixed("container", "second"), ...prefixed("crash", "1"), ...prefixed("exit-after", "5s") },
    spec: { containers: [main, { name: "second", image: "example.test/app:1" }] },
    seen: [
      [0, "Running: main running ready, second running ready"],
      [5, "Running: main running ready, second running ready 1x"],
    ],
  },
  "init containers and a sidecar": {
    annotations: { ...prefixed("container", "init"), ...prefixed("exit-after", "5s") },
    spec: {
      initContainers: [
        { name: "side", image: "example.test/side:1", restartPolicy: "Always" },
        { name: "init", image: "example.test/init:1" },
      ],
      containers: [main],
    },
    seen: [
      [0, "Pending: side running ready, init running, main PodInitializing"],
      [5, "Running: side running ready, init Completed 0 ready, main running ready"],
    ],
  },
  "a deadline": {
    annotations: {},
    spec: { activeDeadlineSeconds: 5 },
    seen: [
      [0, runs],
      [5, "Failed: main Error 137"],
    ],
    status: { reason: "DeadlineExceeded" },
  },
  "embedded/fail": {
    annotations: { "embedded/fail": "4", "stage.embedded/pod-fail-delay": "5s" },
    spec: never,
    seen: [
      [0, runs],
      [5, "Failed: main Error 4"],
    ],
  },
  "embedded/complete-after": {
    annotations: { "embedded/complete-after": "5s", "stage.embedded/pod-ready-delay": "2s" },
    spec: never,
    seen: [
      [0, "Pending: main ContainerCreating"],
      [2, runs],
      [7, "Succeeded: main Completed 0"],
    ],
  },
};

const all = Object.entries(stories);
const endOf = ({ seen }: Story) => (seen.at(-1)?.[0] ?? 0) + 2;

/** Half a second after each. */
async function follow({ seen }: Story, from = 0): Promise<void> {
  let now = from;
  for (const [second, view] of seen.filter(([it]) => it + 0.5 > from)) {
    await it.pass((second + 0.5 - now) * 1000);
    now = second + 0.5;
    expect(`${second}s ${await it.view("p")}`).toBe(`${second}s ${view}`);
  }
}

describe("one after the other", () => {
  test.each(all)("%s", async (_name, story) => {
    it = await machine();
    await it.create("p", story.annotations, story.spec);
    await follow(story);
    await it.pass(1_500);
    expect(await it.events("p")).toEqual(expect.arrayContaining([...(story.events ?? [])]));
    expect((await it.pod("p")).status).toMatchObject(story.status ?? {});
    expect(it.complaints).toEqual([]);
  });
});

describe("cut off and begun anew in the middle of each stage", () => {
  test.each(all)("%s", async (_name, story) => {
    it = await machine();
    await it.create("p", story.annotations, story.spec);
    await it.pass(endOf(story) * 1000);
    const { status } = await it.pod("p");
    for (const cut of story.seen.map(([second]) => second + 0.5)) {
      await it.end();
      it = await machine();
      await it.create("p", story.annotations, story.spec);
      await it.pass(cut * 1000);
      await it.renew();
      await it.pass((endOf(story) - cut) * 1000);
      expect((await it.pod("p")).status).toEqual(status);
    }
  });

  test("a pod that is being deleted goes on going", async () => {
    it = await machine();
    await it.create("p", prefixed("stop-after", "10s"));
    await it.pass(1_000);
    await it.client.delete(Pod, { name: "p", namespace }, background);
    await it.pass(5_000);
    await it.renew();
    await it.pass(1_000);
    expect(await it.view("p")).toBe("Running (leaving): main running ready");
    await it.pass(5_000);
    await expect(it.pod("p")).rejects.toThrow("not found");
  });

  test("addresses stay, and none is given twice", async () => {
    it = await machine();
    for (let i = 0; i < 5; i += 1) await it.create(`p-${i}`);
    await it.pass(1_000);
    const addresses = async () => (await it.client.list(Pod, { namespace })).items.map(({ status }) => status?.podIP);
    const before = await addresses();
    await it.client.delete(Pod, { name: "p-1", namespace }, background);
    await it.pass(1_000);
    await it.renew();
    for (let i = 5; i < 10; i += 1) await it.create(`p-${i}`);
    await it.pass(1_000);
    const after = await addresses();
    expect(after.slice(0, 4)).toEqual(before.filter((_, i) => i !== 1));
    expect(new Set(after).size).toBe(9);
  });
});

test("an annotation that cannot be read is told of and left out", async () => {
  it = await machine();
  await it.create("p", { ...prefixed("exit-after", "soon"), ...prefixed("exit-cod", "1") });
  await it.pass(1_000);
  expect(await it.view("p")).toBe(runs);
  expect(await it.events("p")).toEqual(
    expect.arrayContaining([
      'Warning InvalidAnnotation: annotation sim.telltale.dev/exit-after is "soon" and is ignored; write a duration such as 5s, 300ms or 1m30s',
      expect.stringMatching(
        /^Warning InvalidAnnotation: annotation sim\.telltale\.dev\/exit-cod is "1" and is ignored; write one of/,
      ),
    ]),
  );
});

test("an annotation that comes later counts from then on", async () => {
  it = await machine();
  await it.create("p");
  await it.pass(1_000);
  const annotations = prefixed("never-ready", "true");
  await it.client.patch(Pod, { name: "p", namespace }, { merge: { metadata: { annotations } } });
  await it.pass(1_000);
  expect(await it.view("p")).toBe("Running: main running");
});

test("a lost pod is neither ready nor gone, whoever deletes it", async () => {
  it = await machine();
  await it.create("p", prefixed("lost-after", "5s"));
  await it.pass(6_000);
  expect(await it.condition("p", "Ready")).toBe(
    "Unknown NodeLost Node embedded-node which was running pod p is unresponsive",
  );
  await it.client.delete(Pod, { name: "p", namespace }, background);
  await it.pass(120_000);
  expect(await it.view("p")).toBe("Running (leaving): main running ready");
  await it.client.delete(Pod, { name: "p", namespace }, { ...background, gracePeriodSeconds: 0 });
  await it.pass(1_000);
  await expect(it.pod("p")).rejects.toThrow("not found");
});

test("an evicted pod says so in its conditions", async () => {
  it = await machine();
  await it.create("p", prefixed("evict-after", "1s"));
  await it.pass(3_000);
  expect(await it.condition("p", "DisruptionTarget")).toBe(
    "True TerminationByKubelet The node was low on resource: memory. ",
  );
  expect(await it.condition("p", "Ready")).toBe("False PodFailed");
});

describe("rules", () => {
  test("from the options: the pods that match, and no others", async () => {
    it = await machine({
      simulated: { rules: [{ match: { name: "slow-*" }, start: 5_000 }], behaviour: { ready: 1_000 } },
    });
    await it.create("slow-1");
    await it.create("fast-1");
    await it.create("own-1", prefixed("ready-after", "0s"));
    await it.pass(0);
    expect([await it.view("slow-1"), await it.view("fast-1"), await it.view("own-1")]).toEqual([
      "Pending: main ContainerCreating",
      "Running: main running",
      runs,
    ]);
    await it.pass(6_500);
    expect([await it.view("slow-1"), await it.view("fast-1")]).toEqual([runs, runs]);
  });

  test("at run time: pods that run hear of them at once, and recover when they go", async () => {
    it = await machine();
    await it.create("web-1");
    await it.create("db-1");
    await it.pass(1_000);
    const take = it.runtime.rules.add({ match: { name: /^web/ }, neverReady: true });
    await it.pass(100);
    expect([await it.view("web-1"), await it.view("db-1")]).toEqual(["Running: main running", runs]);
    take();
    await it.pass(100);
    expect(await it.view("web-1")).toBe(runs);
    it.runtime.rules.add({ match: { namespace, name: "db-*" }, evict: 0 });
    await it.pass(100);
    expect(await it.view("db-1")).toBe("Failed: main Error 137");
  });

  test("a kill hits once", async () => {
    it = await machine();
    await it.create("web-1");
    await it.pass(1_000);
    it.runtime.rules.kill({ name: "web-*" });
    await it.create("web-2");
    await it.pass(60_000);
    expect([await it.view("web-1"), await it.view("web-2")]).toEqual([`${runs} 1x`, runs]);
    const [status] = (await it.pod("web-1")).status?.containerStatuses ?? [];
    expect(status?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: "Error" });
  });
});

describe("Jobs", () => {
  const job = (annotations: Record<string, string> = {}, more = {}) =>
    it.client.create(Job, {
      metadata: { name: "once", namespace },
      spec: { ...more, template: { metadata: { annotations }, spec: { containers: [main], restartPolicy: "Never" } } },
    });

  test("end well after a time of their own, and are seen to run", async () => {
    it = await machine({ controllers, simulated: { jobRunTime: 20_000 } });
    await job();
    await it.pass(10_000);
    const [pod] = (await it.client.list(Pod, { namespace })).items;
    expect(pod?.status?.phase).toBe("Running");
    await it.pass(30_000);
    expect((await it.client.get(Job, "once", { namespace })).status?.succeeded).toBe(1);
  });

  test("fail where they are told to", async () => {
    it = await machine({ controllers });
    await job(prefixed("exit-code", "2"), { backoffLimit: 0 });
    await it.pass(30_000);
    const { status } = await it.client.get(Job, "once", { namespace });
    expect(status?.conditions?.map(({ type }) => type)).toContain("Failed");
  });

  test("of no time write Running and Succeeded as two", async () => {
    it = await machine({ controllers });
    const phases: string[] = [];
    it.server.store.subscribe("/", it.server.store.revision, ({ record }) => {
      const object = record.object() as unknown as Pod;
      if (object.kind === "Pod" && object.status?.phase !== phases.at(-1)) phases.push(object.status?.phase ?? "");
    });
    await job();
    await it.pass(10_000);
    expect(phases).toEqual(["Pending", "Running", "Succeeded"]);
  });
});

describe("logs", () => {
  const read = async (pod: Pod, follow = false) => {
    const lines = await it.runtime.access.logs(pod, {
      container: "main",
      follow,
      previous: false,
      timestamps: false,
      signal: new AbortController().signal,
    });
    let text = "";
    for await (const chunk of lines) text += new TextDecoder().decode(chunk);
    return text;
  };

  test("are what an annotation or a rule says", async () => {
    it = await machine({ simulated: { rules: [{ match: {}, log: "by rule\n" }] } });
    await it.create("p", prefixed("log", "one\ntwo"));
    await it.create("q");
    await it.pass(1_000);
    expect(await read(await it.pod("p"))).toBe("one\ntwo\n");
    expect(await read(await it.pod("q"))).toBe("by rule\n");
  });

  test("are followed until the container has ended", async () => {
    it = await machine();
    await it.create("p", { ...prefixed("log", "one"), ...prefixed("exit-after", "5s") }, never);
    await it.pass(1_000);
    let text: string | undefined;
    const reading = read(await it.pod("p"), true).then((all) => {
      text = all;
    });
    await it.pass(1_000);
    expect(text).toBeUndefined();
    await it.pass(5_000);
    await reading;
    expect(text).toBe("one\n");
  });

  test("are followed until the pod is gone, or nobody listens", async () => {
    it = await machine();
    await it.create("p", prefixed("log", "one"));
    await it.pass(1_000);
    const reading = read(await it.pod("p"), true);
    await it.client.delete(Pod, { name: "p", namespace }, { ...background, gracePeriodSeconds: 0 });
    await it.pass(1_000);
    expect(await reading).toBe("one\n");
    await it.create("q");
    await it.pass(1_000);
    const stop = new AbortController();
    const options = { container: "main", follow: true, previous: false, timestamps: false, signal: stop.signal };
    const lines = await it.runtime.access.logs(await it.pod("q"), options);
    const ended = lines[Symbol.asyncIterator]().next();
    stop.abort();
    expect(await ended).toEqual({ done: true, value: undefined });
  });

  test("are all there is: nothing runs in a simulated pod", async () => {
    it = await machine();
    await it.create("p");
    await it.pass(1_000);
    const pod = await it.pod("p");
    const signal = new AbortController().signal;
    const options = { container: "main", stdin: false, stdout: true, stderr: true, tty: false, signal };
    await expect(it.runtime.access.exec(pod, { ...options, command: ["ls"] })).rejects.toThrow(
      "pod default/p is simulated and runs no program; use the process runtime to run commands in it",
    );
    expect(it.runtime.access.address(pod, 80)).toBeUndefined();
  });
});

test("all events are told where they are wanted", async () => {
  it = await machine({ simulated: { events: "all" } });
  await it.create("p");
  await it.pass(1_000);
  await it.client.delete(Pod, { name: "p", namespace }, background);
  await it.pass(1_000);
  expect((await it.events("p")).map((line) => line.split(":")[0])).toEqual([
    "Normal Created",
    "Normal Killing",
    "Normal Pulled",
    "Normal Scheduled",
    "Normal Started",
  ]);
});
