import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { ConfigMap, Deployment, Node, Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { refusal, type Scripted, type Step, scripted } from "../test/scripted.ts";
import { createClient } from "./client.ts";
import { ApiError, ConnectionError, isConflict, TimeoutError } from "./errors.ts";
import type { Attempt } from "./send.ts";
import type { Client, ClientOptions } from "./verbs.ts";

interface Bench {
  readonly client: Client;
  readonly transport: Scripted;
  readonly clock: VirtualClock;
  readonly attempts: Attempt[];
}

function bench(steps: readonly [Step, ...Step[]] = [{}], options: Partial<ClientOptions> = {}): Bench {
  const transport = scripted(...steps);
  const clock = new VirtualClock();
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt) => attempts.push(attempt);
  return {
    client: createClient({ transport, clock, random: seededRandom(1), onAttempt, ...options }),
    transport,
    clock,
    attempts,
  };
}

const ref = { name: "a", namespace: "web" };
const object = { metadata: { name: "a", namespace: "web" }, data: { k: "v" } };

describe("what is sent", () => {
  const at = "/api/v1/namespaces/web/configmaps";
  const background = { propagation: "Background" } as const;
  it.each<[string, (client: Client) => Promise<unknown>, string, string | undefined]>([
    ["get", (c) => c.get(ConfigMap, "a", { namespace: "web" }), `GET ${at}/a`, undefined],
    ["create", (c) => c.create(ConfigMap, object), `POST ${at}?fieldManager=me`, "application/json"],
    ["update", (c) => c.update(ConfigMap, object), `PUT ${at}/a?fieldManager=me`, "application/json"],
    [
      "json patch",
      (c) => c.patch(ConfigMap, ref, { json: [] }),
      `PATCH ${at}/a?fieldManager=me`,
      "application/json-patch+json",
    ],
    [
      "merge patch",
      (c) => c.patch(ConfigMap, ref, { merge: {} }, { dryRun: true, fieldValidation: "Strict" }),
      `PATCH ${at}/a?fieldManager=me&fieldValidation=Strict&dryRun=All`,
      "application/merge-patch+json",
    ],
    [
      "strategic merge patch",
      (c) => c.patch(ConfigMap, ref, { strategic: {} }),
      `PATCH ${at}/a?fieldManager=me`,
      "application/strategic-merge-patch+json",
    ],
    [
      "apply",
      (c) => c.apply(ConfigMap, object, { force: true }),
      `PATCH ${at}/a?fieldManager=me&force=true`,
      "application/apply-patch+yaml",
    ],
    ["delete", (c) => c.delete(ConfigMap, ref, background), `DELETE ${at}/a`, "application/json"],
    [
      "delete collection",
      (c) => c.deleteCollection(ConfigMap, { ...background, namespace: "web", labelSelector: "a=b" }),
      `DELETE ${at}?labelSelector=a%3Db`,
      "application/json",
    ],
    [
      "status apply",
      (c) => c.status.apply(Deployment, { ...object, data: undefined } as object, { fieldManager: "x" }),
      "PATCH /apis/apps/v1/namespaces/web/deployments/a/status?fieldManager=x",
      "application/apply-patch+yaml",
    ],
    [
      "status patch",
      (c) => c.status.patch(Deployment, ref, { merge: {} }),
      "PATCH /apis/apps/v1/namespaces/web/deployments/a/status?fieldManager=me",
      "application/merge-patch+json",
    ],
    [
      "status update",
      (c) => c.status.update(Node, { metadata: { name: "n" } }),
      "PUT /api/v1/nodes/n/status?fieldManager=me",
      "application/json",
    ],
    [
      "scale get",
      (c) => c.scale.get(Deployment, ref),
      "GET /apis/apps/v1/namespaces/web/deployments/a/scale",
      undefined,
    ],
    [
      "scale patch",
      (c) => c.scale.patch(Deployment, ref, { merge: { spec: { replicas: 2 } } }),
      "PATCH /apis/apps/v1/namespaces/web/deployments/a/scale?fieldManager=me",
      "application/merge-patch+json",
    ],
    [
      "eviction",
      (c) => c.subresource(Pod, ref, "eviction", { method: "POST", body: { kind: "Eviction" } }),
      "POST /api/v1/namespaces/web/pods/a/eviction",
      "application/json",
    ],
    ["raw", (c) => c.request({ method: "GET", path: "/version", query: { a: 1 } }), "GET /version?a=1", undefined],
  ])("%s", async (_name, act, line, type) => {
    const { client, transport } = bench([{}], { fieldManager: "me" });
    await act(client);
    expect(transport.lines()).toEqual([line]);
    expect(transport.asked[0]?.headers["content-type"]).toBe(type);
  });

  it("names the kind of an object that came out of a list without it", async () => {
    const { client, transport } = bench();
    await client.update(ConfigMap, object);
    expect(JSON.parse(String(transport.asked[0]?.body))).toEqual({ apiVersion: "v1", kind: "ConfigMap", ...object });
  });

  it("says what becomes of dependents, and which very object is meant", async () => {
    const { client, transport } = bench();
    await client.delete(ConfigMap, ref, { propagation: "Foreground", uid: "u", gracePeriodSeconds: 0, dryRun: true });
    expect(JSON.parse(String(transport.asked[0]?.body))).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: ["All"],
      preconditions: { uid: "u" },
    });
  });

  it.each<[string, (client: Client) => Promise<unknown>, string]>([
    ["an apply by nobody", (c) => c.apply(ConfigMap, object), "give `fieldManager`"],
    ["an update of no name", (c) => c.update(ConfigMap, { metadata: { namespace: "web" } }), "metadata.name"],
    ["a create in no namespace", (c) => c.create(ConfigMap, { metadata: { name: "a" } }), "metadata.namespace"],
    [
      "to empty every namespace at once",
      (c) => c.deleteCollection(ConfigMap, { propagation: "Background" }),
      "namespace is missing",
    ],
  ])("refuses %s before anything is sent", async (_name, act, message) => {
    const { client, transport } = bench();
    await expect(act(client)).rejects.toThrow(message);
    expect(transport.asked).toEqual([]);
  });
});

describe("lists", () => {
  const page = (names: string[], token?: string) => ({
    body: {
      metadata: { resourceVersion: "9", ...(token === undefined ? {} : { continue: token, remainingItemCount: 1 }) },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });

  it("come page by page, and object by object over all pages", async () => {
    const { client, transport } = bench([page(["a", "b"], "t1"), page(["c"])]);
    const names: (string | undefined)[] = [];
    for await (const it of client.all(ConfigMap, { limit: 2, resourceVersion: "0", labelSelector: "x" })) {
      names.push(it.metadata?.name);
    }
    expect(names).toEqual(["a", "b", "c"]);
    expect(transport.lines()).toEqual([
      "GET /api/v1/configmaps?labelSelector=x&resourceVersion=0&limit=2",
      "GET /api/v1/configmaps?labelSelector=x&limit=2&continue=t1",
    ]);
  });

  it("say where they stand and what is left", async () => {
    const { client } = bench([page(["a"], "t1")]);
    const first = await client.list(ConfigMap, { namespace: "web", limit: 1 });
    expect({ ...first, items: first.items.length }).toEqual({
      items: 1,
      resourceVersion: "9",
      continue: "t1",
      remaining: 1,
    });
  });

  it("that are null are empty", async () => {
    const { client } = bench([{ body: { metadata: { resourceVersion: "1" }, items: null } }]);
    expect((await client.list(ConfigMap)).items).toEqual([]);
  });
});

describe("what goes wrong", () => {
  it("is an error with the server's own Status", async () => {
    const { client } = bench([
      refusal(404, "NotFound", { message: "gone", details: { name: "a", kind: "configmaps" } }),
    ]);
    const error = await client.get(ConfigMap, "a", { namespace: "web" }).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 404, reason: "NotFound", details: { name: "a" } });
  });

  it("has the proxy's words where it was not the server that answered", async () => {
    const { client } = bench([{ status: 403, body: "<html>no way</html>" }]);
    await expect(client.get(Node, "n")).rejects.toThrow("GET /api/v1/nodes/n: 403: <html>no way</html>");
  });

  it("is a broken body where a yes cannot be read, and a read is tried again", async () => {
    const broken = { body: `{"kind":` };
    const { client, clock } = bench([broken, { body: { metadata: { name: "n" } } }]);
    const got = client.get(Node, "n");
    await clock.settle(1000);
    expect((await got).metadata?.name).toBe("n");
    const writing = bench([broken]);
    await expect(writing.client.create(ConfigMap, object)).rejects.toMatchObject({ step: "body", sent: true });
    expect(writing.transport.asked).toHaveLength(1);
  });

  it("is tried again after the time that the server gave, and counted", async () => {
    const { client, clock, attempts, transport } = bench([
      { ...refusal(429, "TooManyRequests"), headers: { "retry-after": "2" } },
      { body: { metadata: { name: "n" } } },
    ]);
    const got = client.get(Node, "n");
    await clock.settle(2000);
    expect(transport.asked).toHaveLength(1);
    await clock.settle(200);
    expect((await got).metadata?.name).toBe("n");
    expect(attempts.map(({ number, code, next }) => [number, code, next !== undefined])).toEqual([
      [1, 429, true],
      [2, 200, false],
    ]);
  });

  const lost = new ConnectionError("exchange", "reset");
  const unreached = new ConnectionError("connect", "refused");
  const deleting = { propagation: "Background" } as const;
  const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: "7" } };
  it.each<[string, Step, (client: Client) => Promise<unknown>, number]>([
    ["a GET that was lost is sent again", lost, (c) => c.get(Node, "n"), 5],
    ["a create that was lost is not", lost, (c) => c.create(ConfigMap, object), 1],
    ["a create that never left is", unreached, (c) => c.create(ConfigMap, object), 5],
    ["a create refused at the door is", refusal(429, "TooManyRequests"), (c) => c.create(ConfigMap, object), 5],
    ["a create answered 500 is not", refusal(500, "InternalError"), (c) => c.create(ConfigMap, object), 1],
    ["an update with a version is", lost, (c) => c.update(ConfigMap, versioned), 5],
    ["an update without one is not", lost, (c) => c.update(ConfigMap, object), 1],
    ["an apply without one is not", lost, (c) => c.apply(ConfigMap, object, { fieldManager: "m" }), 1],
    ["a delete by uid is", lost, (c) => c.delete(ConfigMap, ref, { ...deleting, uid: "u" }), 5],
    ["a delete by name is not", lost, (c) => c.delete(ConfigMap, ref, deleting), 1],
    [
      "a patch with a test is",
      refusal(503, "ServiceUnavailable"),
      (c) =>
        c.patch(ConfigMap, ref, {
          json: [
            { op: "test", path: "/metadata/resourceVersion", value: "7" },
            { op: "add", path: "/data/-", value: 1 },
          ],
        }),
      5,
    ],
    ["a merge patch without a version is not", lost, (c) => c.patch(ConfigMap, ref, { merge: {} }), 1],
    ["a certificate that does not fit fails at once", new ConnectionError("tls", "x"), (c) => c.get(Node, "n"), 1],
  ])("%s", async (_name, step, act, times) => {
    const { client, transport, clock } = bench([step]);
    const outcome = act(client).then(
      () => "done",
      () => "failed",
    );
    await clock.settle(25_000);
    expect(await outcome).toBe("failed");
    expect(transport.asked).toHaveLength(times);
  });

  it.each([3_600_000, -3_600_000])(
    "is tried again as often as ever when the clock is put elsewhere: by %i",
    async (by) => {
      const trouble = refusal(503, "ServiceUnavailable");
      const { client, clock, attempts } = bench([trouble, trouble, {}]);
      const got = client.get(Node, "n");
      await clock.settle(1);
      clock.jump(instant(clock.now() + by));
      await clock.settle(5_000);
      await got;
      expect(attempts.map(({ code, took }) => [code, took])).toEqual([
        [503, 0],
        [503, 0],
        [200, 0],
      ]);
    },
  );

  it("counts a failed JSON Patch test as a conflict, and repeats nothing", async () => {
    const { client, transport } = bench([refusal(422, "Invalid", { details: {} })]);
    const error = await client.patch(ConfigMap, ref, { json: [] }).catch((it: unknown) => it);
    expect([isConflict(error), transport.asked.length]).toEqual([true, 1]);
  });

  it("is over in time, by the given clock, even if the transport never answers", async () => {
    const { client, clock } = bench(["hang"]);
    const failed = expect(client.get(Node, "n", { timeout: 500 })).rejects.toBeInstanceOf(TimeoutError);
    await clock.settle(500);
    await failed;
    const slow = expect(client.get(Node, "n")).rejects.toThrow("no answer within 30000 ms");
    await clock.settle(30_000);
    await slow;
    expect(clock.next()).toBeUndefined();
  });

  it("ends as it does, whatever those throw who look on", async () => {
    const warnings: Error[] = [];
    const onWarn = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarn);
    let calls = 0;
    const { client, clock, transport } = bench(
      [refusal(429, "TooManyRequests"), { headers: { warning: '299 - "old"' }, body: { metadata: { uid: "u" } } }],
      {
        onWarning: () => {
          throw new Error("no room for warnings");
        },
        onAttempt: () => {
          calls += 1;
          throw new Error("no room for attempts");
        },
      },
    );
    const made = client.create(ConfigMap, object);
    await clock.settle(5000);
    expect((await made).metadata?.uid).toBe("u");
    expect(transport.asked).toHaveLength(2);
    expect(calls).toBe(2);
    await turn();
    process.off("warning", onWarn);
    expect(warnings.map(({ message }) => message)).toEqual([
      "onAttempt threw: no room for attempts; the call goes on",
      "onWarning threw: no room for warnings; the call goes on",
      "onAttempt threw: no room for attempts; the call goes on",
    ]);
  });

  it("ends with the caller's signal: before, during, and between two attempts", async () => {
    const reason = new Error("enough");
    for (const step of ["hang", refusal(503, "ServiceUnavailable")] as const) {
      const { client, clock } = bench([step]);
      const abort = new AbortController();
      const failed = expect(client.get(Node, "n", { signal: abort.signal })).rejects.toBe(reason);
      await clock.settle(1);
      abort.abort(reason);
      await failed;
      expect(clock.next()).toBeUndefined();
    }
    const { client, transport } = bench();
    await expect(client.get(Node, "n", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(transport.asked).toEqual([]);
  });
});

it("passes each warning on once", async () => {
  const told: string[] = [];
  const { client } = bench([{ headers: { warning: `299 - "v1beta1 is old"` } }], {
    onWarning: (text) => told.push(text),
  });
  await client.get(Node, "n");
  await client.get(Node, "m");
  expect(told).toEqual(["v1beta1 is old"]);
});

it("sends the same requests at the same times for the same seed", async () => {
  const run = async () => {
    const { client, clock, attempts } = bench([refusal(503, "ServiceUnavailable")]);
    const over = client.get(Node, "n").catch(() => {});
    await clock.settle(25_000);
    await over;
    return attempts.map(({ next }) => next);
  };
  expect(await run()).toEqual(await run());
});
