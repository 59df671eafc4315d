// What goes wrong around controllers: one thing at a time, and the others go on.
import { sleep } from "@telltale/clock";
import { instant, plus, toCrd } from "@telltale/kinds";
import { ConfigMap, CustomResourceDefinition, Deployment } from "@telltale/kinds/builtin";
import { text, volatile } from "@telltale/status";
import { afterEach, describe, expect, it } from "vitest";
import { type Controller, controller, done, type Hands } from "../src/index.ts";
import { Site, site, siteController } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let w: EmbeddedWorld;
afterEach(() => w.end());

const at = (name: string) => ({ name, namespace: "default" });
const get = (name: string) => w.client.get(Site, name, { namespace: "default" });
const readyOf = async (name: string) => (await get(name)).status?.conditions?.find(({ type }) => type === "Ready");

/** Says what it is told to. */
const says = (
  message: (it: Site) => string,
  more: (it: ReturnType<typeof controller<typeof Site>>) => typeof it = (it) => it,
): Controller =>
  more(controller(Site)).reconcile({
    observe: (it) => it,
    status: (it, draft) => {
      draft.phase("Pending").condition("Ready", false, "Starting", text`${message(it)}`);
    },
  });

/** A ConfigMap of a site. */
const child = (owner: string, name: string, uid = ""): ConfigMap => ({
  metadata: {
    ...at(name),
    ownerReferences: [{ apiVersion: Site.apiVersion, kind: Site.kind, name: owner, uid, controller: true }],
  },
});

const cleaned = (): Controller =>
  says(
    () => "hello",
    (it) => it.finalize(async () => done),
  );

describe("a missing kind", () => {
  it("is waited for, not crashed on, and keeps nobody else from working", async () => {
    w = await world();
    const maps = controller(ConfigMap, "maps")
      .writes(ConfigMap, "patch")
      .reconcile({
        observe: (it) => it,
        act: async (_none, hands, it) => hands.annotate({ seen: it.metadata?.name ?? "" }),
        status: () => ({ status: undefined }),
      });
    const { manager } = await w.start([siteController(), maps]);
    await w.client.create(ConfigMap, { metadata: at("m") });
    await w.pass(100);
    expect((await w.client.get(ConfigMap, "m", { namespace: "default" })).metadata?.annotations).toEqual({ seen: "m" });
    expect(manager.troubles().join()).toContain("install its CRD");
    expect(w.lines.some(({ message }) => message.includes("install its CRD"))).toBe(true);
    await w.client.create(CustomResourceDefinition, toCrd(Site) as unknown as CustomResourceDefinition);
    await w.pass(1_000);
    await w.client.create(Site, site("a"));
    await w.until(async () => (await get("a")).status?.phase === "Pending");
    expect(manager.troubles()).toEqual([]);
  });

  it("that is taken away and installed again is followed again", async () => {
    w = await world({ kinds: [Site] });
    await w.start([siteController()]);
    await w.client.create(Site, site("a"));
    await w.until(async () => (await get("a")).status?.phase === "Pending");
    await w.client.delete(CustomResourceDefinition, { name: "sites.example.com" }, { propagation: "Background" });
    await w.pass(60_000);
    await w.client.create(CustomResourceDefinition, toCrd(Site) as unknown as CustomResourceDefinition);
    await w.pass(1_000);
    await w.client.create(Site, site("b"));
    await w.until(async () => (await get("b")).status?.phase === "Pending");
  });
});

describe("a server in trouble", () => {
  it("that knows our token no more is asked again until it does", async () => {
    w = await world({ kinds: [Site] });
    const rule = w.server.faults.add({
      match: { userAgent: /tester/ },
      effect: { status: 401, reason: "Unauthorized" },
    });
    await w.client.create(Site, site("a"));
    const { manager } = await w.start([siteController()]);
    await w.pass(30_000);
    expect(manager.troubles()).not.toEqual([]);
    w.server.faults.remove(rule);
    await w.until(async () => (await get("a")).status?.phase === "Pending");
  });

  it("that refuses every third write and loses the answers of others still ends with the right status", async () => {
    w = await world({ kinds: [Site] });
    const writes = { userAgent: /tester/, verbs: ["create", "patch"] };
    w.server.faults.add({
      match: { ...writes, nth: (n) => n % 3 === 0 },
      effect: { status: 500, reason: "InternalError" },
    });
    w.server.faults.add({
      match: { ...writes, nth: (n) => n % 4 === 0 },
      effect: { resetConnection: true, commit: true },
    });
    w.server.faults.add({ match: { ...writes, nth: (n) => n % 5 === 0 }, effect: { conflictOnce: true } });
    await w.start([siteController()]);
    for (let i = 0; i < 20; i += 1) await w.client.create(Site, site(`s${i}`));
    await w.until(async () => (await w.client.list(Site)).items.every(({ status }) => status?.phase === "Pending"));
    for (let i = 0; i < 20; i += 1) {
      await w.client.status.patch(Deployment, at(`s${i}`), { merge: { status: { replicas: 1, readyReplicas: 1 } } });
    }
    await w.until(async () => (await w.client.list(Site)).items.every(({ status }) => status?.phase === "Serving"));
    expect((await w.client.list(Deployment)).items).toHaveLength(20);
  });

  it("that asks for a pause gets one", async () => {
    w = await world({ kinds: [Site] });
    w.server.faults.add({
      match: { userAgent: /tester/, verbs: ["patch"] },
      times: 1,
      effect: { status: 429, reason: "TooManyRequests", retryAfterSeconds: 5 },
    });
    await w.start([says(() => "hello")]);
    await w.client.create(Site, site("a"));
    await w.pass(4_900);
    expect(await readyOf("a")).toBeUndefined();
    await w.pass(5_000);
    expect((await readyOf("a"))?.message).toBe("hello");
  });

  it("that asks for a pause gets one also from who deals with errors itself", async () => {
    w = await world({ kinds: [Site] });
    const { clock } = w;
    w.server.faults.add({
      match: { userAgent: /tester/, verbs: ["create"], resource: "configmaps" },
      effect: { status: 429, reason: "TooManyRequests", retryAfterSeconds: 60 },
    });
    const failed: number[] = [];
    const it = controller(Site)
      .owns(ConfigMap)
      .reconcile({
        observe: (found) => found,
        async act(_plan, hands, found) {
          const made = hands.create(ConfigMap, { metadata: { name: "map" } });
          await made.catch(() => failed.push(clock.uptime()));
          return found;
        },
        status(_found, draft, now) {
          draft
            .phase("Pending")
            .condition("Ready", false, "Starting", "")
            .wake(instant(now + 1000));
        },
      });
    await w.start([it]);
    await w.client.create(Site, site("a"));
    await w.pass(600_000);
    const pauses = failed.slice(1).map((at, i) => at - (failed[i] ?? 0));
    expect(pauses.length).toBeGreaterThan(1);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(60_000);
  });

  it.each([
    { what: "creates", act: (hands: Hands) => hands.create(ConfigMap, { metadata: { name: "map" } }) },
    { what: "deletes", act: (hands: Hands) => hands.remove(ConfigMap, child("a", "b"), "Background") },
    { what: "lists", act: (hands: Hands) => hands.server.all(ConfigMap).next() },
  ])("that asks for a pause is not asked sooner for a child's sake: one who $what and catches", async ({ act }) => {
    w = await world({ kinds: [Site] });
    const { clock, client } = w;
    await client.create(Site, site("a"));
    const { uid = "" } = (await get("a")).metadata ?? {};
    const map = child("a", "b", uid);
    await client.create(ConfigMap, map);
    w.server.faults.add({
      match: { userAgent: /tester/, verbs: ["create", "delete", "list"], resource: "configmaps" },
      effect: { status: 429, reason: "TooManyRequests", retryAfterSeconds: 60 },
    });
    const failed: number[] = [];
    const it = controller(Site)
      .owns(ConfigMap, { delay: 100 })
      .writes(ConfigMap, "delete")
      .reconcile({
        observe: (found) => found,
        async act(_plan, hands, found) {
          await act(hands).catch(() => failed.push(clock.uptime()));
          return found;
        },
        status: (_found, draft) => void draft.phase("Pending").condition("Ready", false, "Starting", ""),
      });
    await w.start([it], { lists: "stream" });
    await w.until(() => failed.length > 0);
    for (let i = 0; i < 55; i += 1) {
      await client.patch(ConfigMap, at("b"), { merge: { data: { i: String(i) } } });
      await w.pass(1000);
    }
    expect(failed).toHaveLength(1);
    await w.pass(10_000);
    expect(failed).toHaveLength(2);
    // A change of the object itself is looked at: its user waits for it.
    await client.patch(Site, at("a"), { merge: { spec: { replicas: 3 } } });
    await w.until(() => failed.length === 3);
  });

  it.each([
    { what: "status", match: { subresource: "status" }, make: () => says(() => "hello") },
    { what: "finalizer", match: { resource: "sites", subresource: "" }, make: cleaned },
  ])("that asks for a longer pause than a call may take gets it: $what", async ({ match, make }) => {
    w = await world({ kinds: [Site] });
    w.server.faults.add({
      match: { userAgent: /tester/, verbs: ["patch"], ...match },
      times: 1,
      effect: { status: 429, reason: "TooManyRequests", retryAfterSeconds: 60 },
    });
    await w.start([make()]);
    await w.client.create(Site, site("a"));
    await w.pass(59_900);
    expect(w.writes()).toHaveLength(1);
    await w.until(async () => (await readyOf("a")) !== undefined);
  });

  it("that lists objects without their kinds is not told again what it has", async () => {
    w = await world({ kinds: [Site] });
    const first = await w.start([siteController()]);
    await w.client.create(Site, site("a"));
    await w.until(async () => (await get("a")).status?.phase === "Pending");
    await first.stop();
    w.writes();
    await w.start([siteController()], { lists: "pages" });
    await w.pass(10_000);
    expect(w.writes()).toEqual([]);
  });

  it("that refuses a status as invalid is not asked in a loop", async () => {
    w = await world({ kinds: [Site] });
    w.server.faults.add({
      match: { userAgent: /tester/, subresource: "status" },
      effect: {
        status: 422,
        reason: "Invalid",
        message: "Site.example.com is invalid: status.x: nonsense",
        body: JSON.stringify({
          kind: "Status",
          code: 422,
          reason: "Invalid",
          details: { name: "a", kind: "Site", causes: [{ field: "status.x" }] },
        }),
      },
    });
    await w.start([says(() => "hello")]);
    await w.client.create(Site, site("a"));
    await w.pass(60_000);
    const tries = w.writes().length;
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(15);
    expect(w.lines.some(({ message }) => message === "the server refuses the status")).toBe(true);
  });
});

describe("a pass that takes too long", () => {
  it("is told so, writes nothing afterwards, and is not run a second time meanwhile", async () => {
    w = await world({ kinds: [Site] });
    let running = 0;
    let release = () => {};
    const slow = controller(Site)
      .timeout(1_000)
      .reconcile({
        async observe(it) {
          running += 1;
          if (running === 1) await new Promise<void>((resolve) => (release = resolve));
          return it;
        },
        status: (_it, draft) => {
          draft.phase("Pending").condition("Ready", false, "Starting", "late");
        },
      });
    await w.start([slow]);
    await w.client.create(Site, site("a"));
    await w.pass(5_000);
    expect(running).toBe(1);
    release();
    await w.pass(0);
    expect((await readyOf("a"))?.reason).toBe("ReconcileFailed");
    await w.until(async () => (await readyOf("a"))?.message === "late");
  });
});

it("a pass that is cut short because the process stops says nothing of it", async () => {
  w = await world({ kinds: [Site] });
  const stuck = controller(Site).reconcile({
    observe: (_it, { signal }) =>
      new Promise<Site>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    status: () => {},
  });
  await w.client.create(Site, site("a"));
  const running = await w.start([stuck], { grace: 5_000 });
  await w.pass(1_000);
  await running.stop();
  expect((await get("a")).status?.conditions).toBeUndefined();
  expect(w.lines.filter(({ level }) => level === "error")).toEqual([]);
});

describe("how often something is said", () => {
  it("a detail at most once a second, and the last one arrives", async () => {
    w = await world({ kinds: [Site] });
    await w.start([says(({ spec }) => spec.image)]);
    await w.client.create(Site, site("a", { image: "0" }));
    await w.pass(5_000);
    w.writes();
    for (let i = 1; i <= 50; i += 1) {
      await w.client.patch(Site, at("a"), { merge: { spec: { image: `${i}` } } });
      await w.pass(100);
    }
    await w.pass(2_000);
    expect((await readyOf("a"))?.message).toBe("50");
    expect(w.writes().length).toBeLessThanOrEqual(7);
    expect(w.samples.some((sample) => sample.is === "status" && sample.outcome === "deferred")).toBe(true);
  });

  it("what was put off holds up nobody who wants to look sooner", async () => {
    w = await world({ kinds: [Site] });
    let looks = 0;
    const it = controller(Site).reconcile({
      observe() {
        looks += 1;
        return looks;
      },
      status(count, draft, now) {
        draft.phase("Pending").condition("Ready", false, "Starting", text`${volatile(count)} looks`);
        draft.wake(plus(now, 200));
      },
    });
    await w.client.create(Site, site("a"));
    await w.start([it]);
    w.writes();
    await w.pass(5_000);
    expect(looks).toBeGreaterThan(20);
    expect(w.writes().length).toBeLessThan(8);
  });

  it("what was put off is written before the process stops", async () => {
    w = await world({ kinds: [Site] });
    const running = await w.start([says(({ spec }) => spec.image)]);
    await w.client.create(Site, site("a", { image: "0" }));
    await w.pass(10);
    await w.client.patch(Site, at("a"), { merge: { spec: { image: "1" } } });
    await w.pass(10);
    expect((await readyOf("a"))?.message).toBe("0");
    await running.stop();
    expect((await readyOf("a"))?.message).toBe("1");
  });

  it("nothing, when nothing changes: an hour of a hundred objects is not one write", async () => {
    w = await world({ kinds: [Site] });
    await w.start([siteController()]);
    for (let i = 0; i < 100; i += 1) await w.client.create(Site, site(`s${i}`));
    await w.pass(5_000);
    w.writes();
    await w.pass(3_600_000);
    expect(w.writes()).toEqual([]);
  });
});

describe("time", () => {
  it("wakes an object when a deadline has come, and only then", async () => {
    w = await world({ kinds: [Site] });
    const passes: number[] = [];
    const it = controller(Site).reconcile({
      observe: (found) => found,
      status(_found, draft, now) {
        passes.push(now);
        const deadline = (passes[0] ?? now) + 90_000;
        draft.phase("Pending").condition("Ready", false, "Starting", now >= deadline ? "late" : "in time");
        if (now < deadline) draft.wake(deadline as typeof now);
      },
    });
    await w.start([it]);
    await w.client.create(Site, site("a"));
    await w.pass(89_000);
    expect(passes).toHaveLength(1);
    await w.pass(2_000);
    expect((await readyOf("a"))?.message).toBe("late");
    await w.pass(3_600_000);
    expect(passes).toHaveLength(2);
  });

  it("that is put back during a pass does not put off what it asked for", async () => {
    w = await world({ kinds: [Site] });
    const { clock } = w;
    let passes = 0;
    const it = controller(Site).reconcile({
      observe: (found) => found,
      status(_found, draft, now) {
        passes += 1;
        draft.phase("Pending").condition("Ready", false, "Starting", "waits");
        if (passes > 1) return;
        draft.wake(instant(now + 90_000));
        clock.jump(instant(now - 3_600_000));
      },
    });
    await w.start([it]);
    await w.client.create(Site, site("a"));
    await w.pass(91_000);
    expect(passes).toBe(2);
  });

  it("that a pass takes does not put off what it asked for", async () => {
    w = await world({ kinds: [Site] });
    const { clock } = w;
    const passes: number[] = [];
    const it = controller(Site).reconcile({
      async observe(found) {
        await sleep(clock, 20_000);
        return found;
      },
      status(_found, draft, now) {
        passes.push(now);
        draft.phase("Pending").condition("Ready", false, "Starting", "waits");
        draft.wake(instant((passes[0] ?? now) + 90_000));
      },
    });
    await w.start([it]);
    await w.client.create(Site, site("a"));
    await w.pass(120_000);
    expect((passes[1] ?? 0) - (passes[0] ?? 0)).toBe(90_000);
  });

  it("that somebody puts an hour forward or back breaks nothing", async () => {
    w = await world({ kinds: [Site] });
    await w.start([siteController()], { replicas: { as: "lease", namespace: "default" } });
    await w.client.create(Site, site("a"));
    await w.until(async () => (await get("a")).status?.phase === "Pending");
    for (const [i, by] of [3_600_000, -7_200_000, 3_600_000].entries()) {
      w.clock.jump(instant(w.clock.now() + by));
      await w.client.create(Site, site(`b${i}`));
      await w.pass(5_000);
    }
    await w.until(async () => (await w.client.list(Site)).items.every(({ status }) => status?.phase === "Pending"));
  });

  it("looks at everything again after the declared while", async () => {
    w = await world({ kinds: [Site] });
    await w.start([
      says(
        () => "x",
        (it) => it.resync(600_000),
      ),
    ]);
    await w.client.create(Site, site("a"));
    await w.pass(3_600_000);
    const passes = w.samples.filter((sample) => sample.is === "pass").length;
    expect(passes).toBeGreaterThanOrEqual(6);
    expect(passes).toBeLessThanOrEqual(8);
    expect(w.writes()).toHaveLength(1);
  });
});
