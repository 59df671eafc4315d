// What sets a pass off: children, others by a mapper, sums, pollers, long calls; and what it may say on the way.
import { get as httpGet } from "node:http";
import { TimeoutError } from "@telltale/client";
import { conditions, defineKind, Fields, Int32, no, plus, positive, type Resource, yes } from "@telltale/kinds";
import { ConfigMap, Event, Pod, Secret } from "@telltale/kinds/builtin";
import { text } from "@telltale/status";
import { afterEach, describe, expect, it } from "vitest";
import { controller, poller } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let w: EmbeddedWorld;
afterEach(() => w.end());

const at = (name: string) => ({ name, namespace: "default" });
const get = (name: string) => w.client.get(Site, name, { namespace: "default" });
const messageOf = async (name: string) =>
  (await get(name)).status?.conditions?.find(({ type }) => type === "Ready")?.message;
const passes = () => w.samples.filter((sample) => sample.is === "pass").length;
const say = (it: unknown, draft: { phase(to: "Pending"): { condition(...args: readonly unknown[]): unknown } }) =>
  draft.phase("Pending").condition("Ready", false, "Starting", text`${String(it)}`);

it("a name that somebody else has is looked for again, until it is free", async () => {
  w = await world({ kinds: [Site] });
  const outcomes: string[] = [];
  const it = controller(Site)
    .owns(ConfigMap)
    .reconcile({
      observe: (found) => found,
      async act(_none, hands) {
        outcomes.push((await hands.ensure(ConfigMap, { metadata: { name: "m" } })).as);
      },
      status: (_found, draft) => {
        say("seen", draft as never);
      },
    });
  await w.client.create(ConfigMap, { metadata: at("m") });
  await w.client.create(Site, site("a"));
  await w.start([it]);
  await w.pass(2_000);
  expect(outcomes).toEqual(["foreign"]);
  await w.client.delete(ConfigMap, at("m"), { propagation: "Background" });
  await w.pass(60_000);
  expect(outcomes).toEqual(["foreign", "created"]);
  await w.pass(600_000);
  expect(outcomes).toHaveLength(2);
});

describe("a change of another kind", () => {
  it("reaches those whom the mapper names, by what the object was and what it is", async () => {
    w = await world({ kinds: [Site] });
    const uses = (map: ConfigMap | undefined) => (map?.data?.["site"] === undefined ? [] : [at(map.data["site"])]);
    const it = controller(Site)
      .watches(ConfigMap, ({ old, new: next }) => [...uses(old), ...uses(next)])
      .reconcile({
        observe: (found, look) =>
          look.list(ConfigMap).filter((map) => map.data?.["site"] === found.metadata.name).length,
        status: (count, draft) => {
          say(count, draft as never);
        },
      });
    for (const name of ["a", "b", "c"]) await w.client.create(Site, site(name));
    await w.start([it]);
    await w.client.create(ConfigMap, { metadata: at("m"), data: { site: "a" } });
    await w.pass(2_000);
    expect([await messageOf("a"), await messageOf("b")]).toEqual(["1", "0"]);
    const before = passes();
    await w.client.patch(ConfigMap, at("m"), { merge: { data: { site: "b" } } });
    await w.pass(2_000);
    expect([await messageOf("a"), await messageOf("b"), await messageOf("c")]).toEqual(["0", "1", "0"]);
    expect(passes() - before).toBe(2);
  });

  it("that is only read sets nothing off; what is not declared cannot be read or written", async () => {
    w = await world({ kinds: [Site] });
    const it = controller(Site)
      .reads(ConfigMap)
      .gets(Pod, { field: "metadata.name=known" })
      .reconcile({
        observe: (_found, look) => look.list(ConfigMap).length,
        async act(_none, hands) {
          expect(await hands.live(Pod, at("known"))).toBeUndefined();
          await expect(hands.live(Pod, at("other"))).rejects.toThrow(".gets(Pod)");
          expect(() => hands.list(Secret)).toThrow(".reads(Secret)");
          await expect(hands.ensure(ConfigMap, { metadata: { name: "x" } })).rejects.toThrow(".owns(ConfigMap)");
          await expect(hands.live(Secret, at("s"))).rejects.toThrow(".gets(Secret)");
        },
        status: (count, draft) => {
          say(count, draft as never);
        },
      });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.client.create(ConfigMap, { metadata: at("m") });
    await w.pass(2_000);
    expect(passes()).toBe(1);
    expect(await messageOf("a")).toBe("0");
  });

  it("outside of the namespace or the names that a declaration gives cannot be read or written", async () => {
    w = await world({ kinds: [Site] });
    const it = controller(Site)
      .gets(Secret, { namespace: "keys" })
      .writes(ConfigMap, { field: "metadata.name=known" }, "create", "patch")
      .reconcile({
        observe: () => 0,
        async act(_none, hands) {
          expect(await hands.live(Secret, { namespace: "keys", name: "s" })).toBeUndefined();
          await expect(hands.live(Secret, at("s"))).rejects.toThrow(".gets(Secret)");
          await hands.ensure(ConfigMap, { metadata: at("known") });
          await expect(hands.ensure(ConfigMap, { metadata: at("other") })).rejects.toThrow("names others only");
        },
        status: (count, draft) => {
          say(count, draft as never);
        },
      });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.pass(2_000);
    expect(await messageOf("a")).toBe("0");
  });

  it("of its own matters only where it is declared to", async () => {
    w = await world({ kinds: [Site] });
    const it = controller(Site)
      .on("generation", "annotations")
      .reconcile({
        observe: (found) => found,
        status: (_found, draft) => {
          say("x", draft as never);
        },
      });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.pass(10);
    const patch = async (change: object) => {
      await w.client.patch(Site, at("a"), { merge: change });
      await w.pass(10);
      return passes();
    };
    expect(await patch({ metadata: { labels: { a: "b" } } })).toBe(1);
    expect(await patch({ metadata: { annotations: { a: "b" } } })).toBe(2);
    expect(await patch({ spec: { replicas: 2 } })).toBe(3);
  });

  it("is found by an index that the controller declares", async () => {
    w = await world({ kinds: [Site] });
    const it = controller(Site)
      .reads(ConfigMap)
      .index(ConfigMap, "site", (map) => [map.data?.["site"] ?? ""])
      .reconcile({
        observe: (found, look) =>
          look.where(ConfigMap, "site", found.metadata.name ?? "").map(({ metadata }) => metadata?.name),
        status: (names, draft) => {
          say(names.join(), draft as never);
        },
      });
    for (const [name, to] of [
      ["z", "a"],
      ["y", "a"],
      ["x", "b"],
    ] as const) {
      await w.client.create(ConfigMap, { metadata: at(name), data: { site: to } });
    }
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.pass(10);
    expect(await messageOf("a")).toBe("y,z");
  });
});

describe("a condition that sums up children", () => {
  const Fleet = defineKind({
    group: "example.com",
    version: "v1",
    kind: "Fleet",
    spec: Fields({ size: Int32() }),
    conditions: conditions({
      Ready: positive({
        means: "Every ship floats",
        reasons: {
          AllReady: yes("They do"),
          Sunk: no("Some do not", "salvage them"),
          NoChildren: no("There is none", "wait"),
        },
      }),
    }),
  });
  type Fleet = Resource<typeof Fleet>;

  const fleet = controller(Fleet)
    .sums(
      ConfigMap,
      "Ready",
      (map) =>
        map.data?.["floats"] === "yes"
          ? { status: "True", reason: "AllReady", message: "" }
          : { status: "False", reason: "Sunk", message: "sunk" },
      {
        empty: { status: "False", reason: "NoChildren", message: text`There is no ship` },
        ok: { reason: "AllReady", message: (total) => text`All ${total} ships float` },
      },
    )
    .reconcile({ observe: (it) => it, status: () => {} });

  const ready = async () =>
    (await w.client.get(Fleet, "f", { namespace: "default" })).status?.conditions?.find(({ type }) => type === "Ready");

  it("follows them one by one, and ignores what does not change the sum", async () => {
    w = await world({ kinds: [Fleet] });
    const made: Fleet = await w.client.create(Fleet, {
      apiVersion: Fleet.apiVersion,
      kind: "Fleet",
      metadata: at("f"),
      spec: { size: 3 },
    });
    await w.start([fleet]);
    await w.pass(10);
    expect(await ready()).toMatchObject({ status: "False", reason: "NoChildren" });
    const owner = {
      apiVersion: Fleet.apiVersion,
      kind: "Fleet",
      name: "f",
      uid: made.metadata.uid ?? "",
      controller: true,
    };
    for (const name of ["s1", "s2", "s3"]) {
      await w.client.create(ConfigMap, {
        metadata: { ...at(name), ownerReferences: [owner] },
        data: { floats: "yes" },
      });
    }
    await w.pass(2_000);
    expect(await ready()).toMatchObject({ status: "True", message: "All 3 ships float" });
    await w.client.patch(ConfigMap, at("s2"), { merge: { data: { floats: "no" } } });
    await w.pass(2_000);
    expect(await ready()).toMatchObject({ status: "False", reason: "Sunk", message: "sunk (default/s2)" });
    const before = passes();
    await w.client.patch(ConfigMap, at("s1"), { merge: { data: { colour: "red" } } });
    await w.pass(2_000);
    expect(passes()).toBe(before);
    await w.client.delete(ConfigMap, at("s2"), { propagation: "Background" });
    await w.pass(2_000);
    expect(await ready()).toMatchObject({ status: "True", message: "All 2 ships float" });
  });
});

describe("looking outside", () => {
  it("at regular times, a changed answer sets a pass off, and a failure is seen as one", async () => {
    w = await world({ kinds: [Site] });
    let answer: number | undefined = 1;
    const calls: string[] = [];
    const health = poller<Site, number>({
      name: "health",
      every: 10_000,
      when: ({ spec }) => spec.replicas > 0,
      async poll({ metadata }) {
        calls.push(metadata.name ?? "");
        if (answer === undefined) throw new Error("refused");
        return answer;
      },
    });
    const it = controller(Site)
      .polls(health)
      .reconcile({
        observe: (_found, look) => look.polled(health),
        status: (polled, draft) => {
          say(
            polled === undefined ? "unknown" : polled.failures > 0 ? `failed ${polled.value}` : polled.value,
            draft as never,
          );
        },
      });
    await w.client.create(Site, site("a"));
    await w.client.create(Site, site("idle", { replicas: 0 }));
    await w.start([it]);
    await w.pass(5_000);
    expect(await messageOf("a")).toBe("1");
    const before = passes();
    await w.pass(60_000);
    expect(passes()).toBe(before);
    answer = 2;
    await w.pass(15_000);
    expect(await messageOf("a")).toBe("2");
    answer = undefined;
    await w.pass(15_000);
    expect(await messageOf("a")).toBe("failed 2");
    expect(calls).not.toContain("idle");
    await w.client.delete(Site, at("a"), { propagation: "Background" });
    await w.pass(1_000);
    const count = calls.length;
    await w.pass(60_000);
    expect(calls).toHaveLength(count);
  });

  it("asks only so many at a time, and gives up a call that takes too long", async () => {
    w = await world({ kinds: [Site] });
    let inFlight = 0;
    let most = 0;
    const slow = poller<Site, number>({
      name: "slow",
      every: 10_000,
      inFlight: 3,
      timeout: 2_000,
      poll: (_site, { signal }) =>
        new Promise((_resolve, reject) => {
          inFlight += 1;
          most = Math.max(most, inFlight);
          signal.addEventListener("abort", () => {
            inFlight -= 1;
            reject(signal.reason);
          });
        }),
    });
    const it = controller(Site)
      .polls(slow)
      .reconcile({
        observe: (_found, look) => look.polled(slow)?.error,
        status: (error, draft) => {
          say(error instanceof TimeoutError ? "too slow" : "?", draft as never);
        },
      });
    for (let i = 0; i < 10; i += 1) await w.client.create(Site, site(`s${i}`));
    await w.start([it]);
    await w.pass(30_000);
    expect(most).toBe(3);
    expect(await messageOf("s0")).toBe("too slow");
  });

  it("asks sooner, or later, as the poller says of what it found", async () => {
    w = await world({ kinds: [Site] });
    const calls: number[] = [];
    const next = [2_000, 40_000, 10_000];
    const moody = poller<Site, number>({
      name: "moody",
      every: 10_000,
      jitter: 0,
      poll: async () => calls.push(w.clock.now()),
      again: (count) => next[count - 1] ?? 10_000,
    });
    const it = controller(Site)
      .polls(moody)
      .reconcile({
        observe: (_found, look) => look.polled(moody)?.value,
        status: (count, draft) => {
          say(count, draft as never);
        },
      });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.pass(70_000);
    expect(calls.slice(1).map((at, i) => at - (calls[i] ?? 0))).toEqual([2_000, 40_000, 10_000, 10_000]);
  });

  it("by a long call that outlives its pass: it is started once, and its end sets a pass off", async () => {
    w = await world({ kinds: [Site] });
    let started = 0;
    let finish = (_value: string) => {};
    const it = controller(Site).reconcile({
      observe: (found) => found,
      async act(_none, hands, found) {
        if (found.status?.readyReplicas === 1) return found;
        const called = hands.call("copy", () => {
          started += 1;
          return new Promise<string>((resolve) => (finish = resolve));
        });
        return { ...found, spec: { ...found.spec, image: called.as === "done" ? called.result : called.as } };
      },
      status(found, draft) {
        if (found.spec.image === "copied") draft.set({ readyReplicas: 1 });
        say(found.spec.image, draft as never);
      },
    });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.pass(10);
    expect(await messageOf("a")).toBe("running");
    await w.client.patch(Site, at("a"), { merge: { metadata: { labels: { a: "b" } } } });
    await w.pass(10);
    expect(started).toBe(1);
    finish("copied");
    await w.pass(2_000);
    expect(await messageOf("a")).toBe("copied");
  });
});

describe("saying something on the way", () => {
  it("a declared checkpoint writes in the middle of a pass, and the pass goes on from there", async () => {
    w = await world({ kinds: [Site] });
    const seen: unknown[] = [];
    const it = controller(Site)
      .checkpoints("half")
      .reconcile({
        observe: (found) => found,
        async act(_none, hands) {
          await hands.checkpoint("half", (draft) => {
            draft.phase("Pending").set({ readyReplicas: 5 }).condition("Ready", false, "Starting", "half way");
          });
          seen.push((await get("a")).status?.readyReplicas);
          await expect(hands.checkpoint("other", () => {})).rejects.toThrow("no declared checkpoint");
        },
        status: (_found, draft) => {
          say("done", draft as never);
        },
      });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.pass(2_000);
    expect(seen[0]).toBe(5);
    expect(await messageOf("a")).toBe("done");
    expect(w.samples.filter((sample) => sample.is === "checkpoint").length).toBeGreaterThan(0);
  });

  it("announces a flip as a Kubernetes Event, after the status is written", async () => {
    w = await world({ kinds: [Site] });
    const it = controller(Site).reconcile({
      observe: (found) => found,
      status: ({ spec }, draft) => {
        draft.phase("Pending");
        if (spec.image === "good") draft.condition("Ready", true, "AllServing", "Every replica answers");
        else draft.condition("Ready", false, "Starting", "Replicas are starting");
      },
    });
    await w.client.create(Site, site("a"));
    await w.start([it], { events: "events.k8s.io/v1" });
    await w.pass(1_000);
    await w.client.patch(Site, at("a"), { merge: { spec: { image: "good" } } });
    await w.pass(1_000);
    const { items } = await w.client.list(Event, { namespace: "default" });
    expect(items.map(({ type, reason, note }) => `${type} ${reason} ${note}`)).toContain(
      "Normal AllServing Every replica answers",
    );
    expect(items[0]?.regarding).toMatchObject({ kind: "Site", name: "a" });
    const lines = w.sent.filter((line) => line.includes("/status") || line.startsWith("POST"));
    expect(lines[0]).toContain("/status");
  });

  it("tells of its own flips alone, although the answer to a write shows those of others", async () => {
    w = await world({ kinds: [Site] });
    let count = 0;
    const it = controller(Site).reconcile({
      observe: (found) => found,
      async act(_none, _hands, found) {
        count += 1;
        const [ready] = found.status?.conditions ?? [];
        if (ready === undefined || count > 2) return;
        // Somebody writes a word of theirs while the pass is under way.
        const conditions = [{ ...ready, status: "False", reason: "Starting" }];
        await w.client.status.patch(Site, at("a"), { merge: { status: { conditions } } } as never);
      },
      status(_found, draft, now) {
        draft.phase("Pending").phase("Serving").set({ readyReplicas: count });
        draft.condition("Ready", true, "AllServing", "Every replica answers").wake(plus(now, 60_000));
      },
    });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    await w.pass(30_000);
    const flips = () => w.samples.flatMap((it) => (it.is === "flip" ? [`${it.type}=${it.status}`] : []));
    expect(flips()).toEqual(["Ready=True"]);
    await w.pass(60_000);
    expect((await get("a")).status).toMatchObject({ readyReplicas: 3, conditions: [{ status: "True" }] });
    expect(flips()).toEqual(["Ready=True", "Ready=True"]);
  });

  it("traces a pass and the status that it wrote, where a tracer is given", async () => {
    w = await world({ kinds: [Site] });
    const spans: string[] = [];
    const tracer = {
      startActiveSpan: (name: string, options: { attributes: object }, run: (span: object) => unknown) => {
        const told = { ...options.attributes };
        return run({
          setAttributes: (more: object) => Object.assign(told, more),
          recordException() {},
          end: () => spans.push(`${name} ${JSON.stringify(told)}`),
        });
      },
    };
    const it = controller(Site).reconcile({
      observe: (found) => found,
      status: (_found, draft) => {
        say("x", draft as never);
      },
    });
    await w.client.create(Site, site("a"));
    await w.start([it], { tracer: tracer as never });
    await w.pass(10);
    expect(spans).toEqual([
      'status {"controller":"site","significance":"transition","outcome":"written"}',
      'reconcile {"controller":"site","key":"default/a","cause":"resync","waited":0,"result":"success"}',
    ]);
  });

  it("serves metrics and probes, where that is wanted", async () => {
    w = await world({ kinds: [Site] });
    const it = controller(Site).reconcile({
      observe: (found) => found,
      status: (_found, draft) => {
        say("x", draft as never);
      },
    });
    await w.client.create(Site, site("a"));
    const own = { own_passes_total: { is: "counter", help: "Ours", labels: ["kinds"] } } as const;
    const running = await w.start([it], {
      probes: { port: 0 },
      metrics: (meter, cache) => {
        const { tell } = meter(own);
        return ({ is }) =>
          is === "pass" ? tell("own_passes_total", { kinds: String(cache.held().length) }) : undefined;
      },
    });
    // A socket opens in real time, and nothing else begins before it.
    await expect.poll(() => running.manager.probes() !== undefined, { timeout: 20_000 }).toBe(true);
    await w.until(() => running.manager.troubles().length === 0 && passes() > 0);
    const ask = askAt(running.manager.probes()?.port ?? 0);
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz?verbose")).body).toContain("cache-sites.example.com ok");
    expect((await ask("/metrics")).body).toContain(
      'controller_runtime_reconcile_total{controller="site",result="success"} 1',
    );
    expect((await ask("/metrics")).body).toContain('own_passes_total{kinds="1"} 1');
  }, 30_000);

  it("serves metrics apart from the probes, or not at all", async () => {
    w = await world({ kinds: [Site] });
    const running = await w.start([controller(Site).reconcile({ observe: (it) => it, status: () => {} })], {
      probes: { port: 0, metrics: "off" },
    });
    await expect.poll(() => running.manager.probes() !== undefined, { timeout: 20_000 }).toBe(true);
    const ask = askAt(running.manager.probes()?.port ?? 0);
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/metrics")).status).toBe(404);
  }, 30_000);
});

const askAt = (port: number) => (path: string) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    httpGet({ host: "127.0.0.1", port, path }, (answer) => {
      let body = "";
      answer.on("data", (chunk) => (body += chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    }).on("error", reject);
  });
