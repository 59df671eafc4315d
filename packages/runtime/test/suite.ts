// What controllers do, whatever the server: run by `controllers.test.ts` on the embedded one and by
// `controllers.real.test.ts` on a real kube-apiserver.
import { type Client, isNotFound } from "@telltale/client";
import { plus } from "@telltale/kinds";
import { ConfigMap, Deployment } from "@telltale/kinds/builtin";
import { Failed, text } from "@telltale/status";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { controller, done, gaveUp, pausedBy, waiting } from "../src/index.ts";
import { type EnsureContext, ensure } from "../src/write/ensure.ts";
import { Site, siteController, site as siteIn } from "./site.ts";
import type { World } from "./world.ts";

export function controllers(open: () => Promise<World>): void {
  let w: World;
  beforeEach(async () => {
    w = await open();
  });
  afterEach(() => w.end());

  const ref = (name: string) => ({ name, namespace: w.namespace });
  const site = (name: string, spec: Partial<Site["spec"]> = {}) => siteIn(name, spec, w.namespace);
  const get = (name: string) => w.client.get(Site, name, { namespace: w.namespace });
  const readyOf = ({ status }: Site) => status?.conditions?.find(({ type }) => type === "Ready");
  const passes = () => w.samples.filter((sample) => sample.is === "pass").length;
  const serving = (name: string, ready: number) =>
    w.client.status.patch(Deployment, ref(name), { merge: { status: { replicas: ready, readyReplicas: ready } } });
  const background = { propagation: "Background" } as const;

  /** A controller that only tells what it saw. */
  const plain = (saw: (it: Site) => unknown = () => {}) =>
    controller(Site).reconcile({
      async observe(it) {
        await saw(it);
        return it;
      },
      status: (it, draft) => {
        draft.phase("Pending").condition("Ready", false, "Starting", text`image ${it.spec.image}`);
      },
    });

  describe("a pass", () => {
    it("makes the child, tells how it stands, and follows the child with one write each", async () => {
      await w.client.create(Site, site("a"));
      await w.start([siteController()]);
      await w.until(async () => (await get("a")).status?.phase === "Pending");
      const child = await w.client.get(Deployment, "a", { namespace: w.namespace });
      expect(child.metadata?.ownerReferences?.[0]).toMatchObject({ kind: "Site", name: "a", controller: true });
      expect(w.writes()).toHaveLength(2);
      await serving("a", 1);
      await w.until(async () => (await get("a")).status?.phase === "Serving");
      expect(w.writes()).toHaveLength(1);
    });

    it("is not set off by its own writes", async () => {
      await w.client.create(Site, site("a"));
      await w.start([siteController()]);
      await w.until(async () => (await get("a")).status?.phase === "Pending");
      await w.pass(300);
      expect(passes()).toBe(1);
    });

    it("writes nothing when nothing changed", async () => {
      await w.client.create(Site, site("a"));
      await w.start([siteController()]);
      await w.until(async () => (await get("a")).status?.phase === "Pending");
      w.writes();
      await w.client.patch(Site, ref("a"), { merge: { metadata: { labels: { a: "b" } } } });
      await w.until(() => passes() === 2);
      await w.pass(300);
      expect(w.writes()).toEqual([]);
    });

    it("comes again when the object changed while it ran, and sees the change", async () => {
      await w.client.create(Site, site("a", { image: "old" }));
      const seen: string[] = [];
      await w.start([
        plain(async (it) => {
          seen.push(it.spec.image);
          if (seen.length === 1) await w.client.patch(Site, ref("a"), { merge: { spec: { image: "new" } } });
        }),
      ]);
      await w.until(async () => readyOf(await get("a"))?.message === "image new");
      expect(seen.slice(0, 2)).toEqual(["old", "new"]);
      expect((await get("a")).status?.observedGeneration).toBe(2);
    });

    it("never runs twice at a time for one object", async () => {
      await w.client.create(Site, site("a"));
      let running = 0;
      let most = 0;
      let count = 0;
      await w.start([
        plain(async (it) => {
          running += 1;
          most = Math.max(most, running);
          count += 1;
          if (count < 5) await w.client.patch(Site, ref("a"), { merge: { spec: { image: `${it.spec.image}x` } } });
          running -= 1;
        }),
      ]);
      await w.until(() => count >= 5);
      expect(most).toBe(1);
    });

    it("leaves a foreign condition alone", async () => {
      await w.client.create(Site, site("a"));
      const foreign = {
        type: "Foreign",
        status: "True",
        reason: "Theirs",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      await w.client.status.patch(Site, ref("a"), { merge: { status: { conditions: [foreign] } } });
      await w.start([siteController()]);
      await w.until(async () => readyOf(await get("a")) !== undefined);
      await serving("a", 1);
      await w.until(async () => readyOf(await get("a"))?.status === "True");
      expect((await get("a")).status?.conditions).toContainEqual(foreign);
    });

    it("derives anew when somebody was faster, and loses nothing of theirs", async () => {
      await w.client.create(Site, site("a"));
      const foreign = {
        type: "Foreign",
        status: "True",
        reason: "Theirs",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      let first = true;
      await w.start([
        plain(async () => {
          if (!first) return;
          first = false;
          await w.client.status.patch(Site, ref("a"), { merge: { status: { conditions: [foreign] } } });
        }),
      ]);
      await w.until(async () => readyOf(await get("a")) !== undefined);
      expect((await get("a")).status?.conditions).toContainEqual(foreign);
      expect(w.lines.filter(({ level }) => level === "error")).toEqual([]);
    });

    it("does not write to an object that was made anew under the same name", async () => {
      const old = await w.client.create(Site, site("a", { image: "old" }));
      let first = true;
      const seen: string[] = [];
      await w.start([
        plain(async (it) => {
          seen.push(it.spec.image);
          if (!first) return;
          first = false;
          await w.client.delete(Site, ref("a"), { ...background, uid: old.metadata.uid ?? "" });
          await w.client.create(Site, site("a", { image: "new" }));
        }),
      ]);
      await w.until(async () => readyOf(await get("a"))?.message === "image new");
      expect(seen).toContain("new");
    });
  });

  describe("a failure", () => {
    it("in one object's pass is told on it, tried again, and does not keep others from theirs", async () => {
      for (const name of ["good", "bad", "fine"]) await w.client.create(Site, site(name));
      let broken = true;
      await w.start([
        plain((it) => {
          if (broken && it.metadata.name === "bad") throw new Error("token=abc went wrong");
        }),
      ]);
      await w.until(async () => readyOf(await get("bad"))?.reason === "ReconcileFailed");
      await w.until(async () => readyOf(await get("fine"))?.reason === "Starting");
      await w.until(async () => readyOf(await get("good"))?.reason === "Starting");
      expect(readyOf(await get("bad"))?.message).not.toContain("abc");
      expect(w.lines.some(({ level, fields }) => level === "error" && fields["name"] === "bad")).toBe(true);
      broken = false;
      await w.until(async () => readyOf(await get("bad"))?.reason === "Starting");
    });

    it("that is declared has its own reason and comes back as its class says", async () => {
      await w.client.create(Site, site("a"));
      let tries = 0;
      await w.start([
        plain(() => {
          tries += 1;
          if (tries < 3) throw new Failed({ class: "transient", reason: "Starting", message: text`not yet` });
        }),
      ]);
      await w.until(async () => readyOf(await get("a"))?.message === "image web:1");
      expect(tries).toBe(3);
    });

    it("too often in a row is one for good", async () => {
      await w.client.create(Site, site("a", { image: "bad" }));
      let tries = 0;
      const it = controller(Site)
        .attempts(3)
        .backoff({ first: 10, longest: 100, jitter: 0 })
        .reconcile({
          observe(found) {
            tries += 1;
            if (found.spec.image === "bad") throw new Error("no");
            return found;
          },
          status: (_found, draft) => {
            draft.phase("Pending").condition("Ready", false, "Starting", "seen");
          },
        });
      await w.start([it]);
      await w.until(() => tries === 3);
      await w.pass(1_000);
      expect(tries).toBe(3);
      await w.client.patch(Site, ref("a"), { merge: { spec: { image: "good" } } });
      await w.until(async () => readyOf(await get("a"))?.message === "seen");
    });

    it("for good waits until the spec changes", async () => {
      await w.client.create(Site, site("a", { image: "bad" }));
      let tries = 0;
      await w.start([
        plain((it) => {
          tries += 1;
          if (it.spec.image === "bad")
            throw new Failed({ class: "invalid", reason: "Starting", message: text`no such image` });
        }),
      ]);
      await w.until(async () => readyOf(await get("a"))?.message === "no such image");
      await w.pass(1_000);
      expect(tries).toBe(1);
      await w.client.patch(Site, ref("a"), { merge: { spec: { image: "good" } } });
      await w.until(async () => readyOf(await get("a"))?.message === "image good");
    });
  });

  describe("a gate", () => {
    it("that ignores an object lets nothing be written, not even a finalizer", async () => {
      await w.client.create(Site, site("a"));
      await w.client.create(Site, site("b"));
      const gated = siteControllerWith((it) => (it.metadata.name === "a" ? "ignore" : "go"));
      await w.start([gated]);
      await w.until(async () => readyOf(await get("b")) !== undefined);
      expect(w.writes().filter((line) => line.includes("/sites/a"))).toEqual([]);
      expect((await get("a")).metadata.finalizers).toBeUndefined();
    });

    it("can put off an object that nobody tells of, and nothing is written meanwhile", async () => {
      await w.client.create(Site, site("a"));
      let asked = 0;
      const gated = siteControllerWith(() => {
        asked += 1;
        return asked < 4 ? { again: 200 } : "go";
      });
      await w.start([gated]);
      await w.until(async () => asked >= 3);
      expect(w.writes().filter((line) => line.includes("/sites/a"))).toEqual([]);
      await w.until(async () => readyOf(await get("a"))?.message === "seen");
    });

    it("can let only some things be said, and nothing follows", async () => {
      followed.length = 0;
      await w.client.create(Site, site("a"));
      await w.start([
        siteControllerWith(() => ({
          only: (_it, draft) => {
            draft.phase("Pending").condition("Ready", false, "Starting", "held back");
          },
        })),
      ]);
      await w.until(async () => readyOf(await get("a"))?.message === "held back");
      expect(followed).toEqual([]);
      await expect(w.client.get(Deployment, "a", { namespace: w.namespace })).rejects.toSatisfy(isNotFound);
    });
  });

  describe("a pause", () => {
    it("holds an object as it is, says so, and lets it go again", async () => {
      await w.client.create(Site, site("a"));
      const held = pausedBy<typeof Site>("example.com/paused", {
        value: "true",
        say: (_it, draft) => {
          draft.phase("Pending").condition("Ready", false, "Starting", "paused");
        },
      });
      await w.start([siteControllerWith(held)]);
      await w.until(async () => readyOf(await get("a"))?.message === "seen");
      await w.client.patch(Site, ref("a"), { merge: { metadata: { annotations: { "example.com/paused": "true" } } } });
      await w.until(async () => readyOf(await get("a"))?.message === "paused");
      await w.client.patch(Site, ref("a"), { merge: { metadata: { annotations: { "example.com/paused": "no" } } } });
      await w.until(async () => readyOf(await get("a"))?.message === "seen");
    });
  });

  /** What followed a status. */
  const followed: string[] = [];
  const siteControllerWith = (gate: Parameters<ReturnType<typeof controller<typeof Site>>["gate"]>[0]) =>
    controller(Site)
      .owns(Deployment)
      .gate(gate)
      .finalize(async () => done)
      .reconcile({
        observe: (it) => it,
        status: (_it, draft) => {
          draft.phase("Pending").condition("Ready", false, "Starting", "seen");
        },
        after: ({ world }) => void followed.push(world.metadata.name ?? ""),
      });

  describe("the end of an object", () => {
    type Ending = Parameters<ReturnType<typeof controller<typeof Site>>["finalize"]>;
    const ending = (finalize: Ending[0], limit?: number, more: Ending[1] = {}) =>
      controller(Site)
        .finalize(finalize, limit === undefined ? more : { ...more, limit })
        .reconcile({
          observe: (it) => it,
          status: (_it, draft) => {
            draft.phase("Pending").condition("Ready", false, "Starting", "seen");
          },
        });
    const isGone = async (name: string) => {
      try {
        await get(name);
        return false;
      } catch (error) {
        return isNotFound(error);
      }
    };

    it("waits until it is cleaned up, tells of it meanwhile, and keeps the finalizers of others", async () => {
      await w.client.create(Site, {
        ...site("a"),
        metadata: { ...site("a").metadata, finalizers: ["example.com/other"] },
      });
      let isClean = false;
      await w.start([
        ending(async (_it, _hands, draft) => {
          draft.condition("Ready", false, "Starting", "going away");
          return isClean ? done : waiting(50);
        }),
      ]);
      await w.until(async () => (await get("a")).metadata.finalizers?.includes("example.com/site") === true);
      await w.client.delete(Site, ref("a"), background);
      await w.until(async () => readyOf(await get("a"))?.message === "going away");
      isClean = true;
      await w.until(async () => (await get("a")).metadata.finalizers?.join() === "example.com/other");
      await w.client.patch(Site, ref("a"), { merge: { metadata: { finalizers: null } } });
      await w.until(() => isGone("a"));
    });

    it("takes off the finalizers of former versions as well, and honours one of them alone", async () => {
      const former = ["example.com/old-site"];
      const finalizers = [...former, "example.com/other"];
      await w.client.create(Site, { ...site("a"), metadata: { ...site("a").metadata, finalizers } });
      await w.client.delete(Site, ref("a"), background);
      let cleaned = 0;
      await w.start([
        ending(
          async () => {
            cleaned += 1;
            return done;
          },
          undefined,
          { former },
        ),
      ]);
      await w.until(async () => (await get("a")).metadata.finalizers?.join() === "example.com/other");
      expect(cleaned).toBe(1);
      await w.client.patch(Site, ref("a"), { merge: { metadata: { finalizers: null } } });
      await w.until(() => isGone("a"));
    });

    it("is never let go by a failure", async () => {
      await w.client.create(Site, site("a"));
      let isBroken = true;
      let tries = 0;
      await w.start([
        ending(async () => {
          tries += 1;
          if (isBroken) throw new Error("cannot clean up");
          return done;
        }),
      ]);
      await w.until(async () => (await get("a")).metadata.finalizers !== undefined);
      await w.client.delete(Site, ref("a"), background);
      await w.until(() => tries >= 2);
      expect((await get("a")).metadata.finalizers).toEqual(["example.com/site"]);
      expect(readyOf(await get("a"))?.reason).toBe("ReconcileFailed");
      isBroken = false;
      await w.until(() => isGone("a"));
    });

    it("comes all the same when cleaning up is given up, or takes too long", async () => {
      for (const name of ["a", "b"]) await w.client.create(Site, site(name));
      await w.start([ending(async (it) => (it.metadata.name === "a" ? gaveUp("a volume") : waiting(100)), 1_000)]);
      await w.until(async () => (await get("a")).metadata.finalizers !== undefined);
      await w.until(async () => (await get("b")).metadata.finalizers !== undefined);
      await w.client.delete(Site, ref("a"), background);
      await w.client.delete(Site, ref("b"), background);
      await w.until(() => isGone("a"));
      await w.until(() => isGone("b"));
      expect(w.lines.filter(({ message }) => message === "cleaning up was given up")).toHaveLength(2);
    });
  });

  describe("a child", () => {
    const maps = (data: (it: Site) => Record<string, string>, mode: "apply" | "createOnly" | "hash" = "apply") => {
      const outcomes: string[] = [];
      const it = controller(Site)
        .owns(ConfigMap)
        .reconcile({
          observe: (site) => site,
          plan: (site) => ({ metadata: { name: `${site.metadata.name}-map` }, data: data(site) }),
          act: async (map, hands) => {
            outcomes.push((await hands.ensure(ConfigMap, map, { mode })).as);
          },
          status: (_site, draft) => {
            draft.phase("Pending").condition("Ready", false, "Starting", text`${outcomes.at(-1) ?? ""}`);
          },
        });
      return { outcomes, controller: it };
    };
    const mapOf = (name: string) => w.client.get(ConfigMap, `${name}-map`, { namespace: w.namespace });

    it("is made, left alone while it is as it should be, and changed with what is wanted", async () => {
      await w.client.create(Site, site("a"));
      const { outcomes, controller: it } = maps(({ spec }) => ({ image: spec.image }));
      await w.start([it]);
      await w.until(() => outcomes.length === 1);
      await w.client.patch(Site, ref("a"), { merge: { metadata: { labels: { x: "y" } } } });
      await w.until(() => outcomes.length === 2);
      await w.client.patch(Site, ref("a"), { merge: { spec: { image: "web:2" } } });
      await w.until(() => outcomes.length === 3);
      expect(outcomes).toEqual(["created", "unchanged", "updated"]);
      expect((await mapOf("a")).data).toEqual({ image: "web:2" });
    });

    it("is put right when somebody changed it, and loses what is no longer wanted", async () => {
      await w.client.create(Site, site("a", { image: "first" }));
      const { controller: it } = maps(({ spec }) => ({ a: "1", [spec.image]: "x" }));
      await w.start([it]);
      await w.until(async () => Object.keys((await mapOf("a").catch(() => ({ data: {} }))).data ?? {}).length === 2);
      await w.client.patch(ConfigMap, ref("a-map"), { merge: { data: { a: "2" } } });
      await w.until(async () => (await mapOf("a")).data?.["a"] === "1");
      await w.client.patch(Site, ref("a"), { merge: { spec: { image: "other" } } });
      await w.until(async () => Object.keys((await mapOf("a")).data ?? {}).join() === "a,other");
    });

    it("made once is left to others from then on", async () => {
      await w.client.create(Site, site("a"));
      const { outcomes, controller: it } = maps(() => ({ a: "1" }), "createOnly");
      await w.start([it]);
      await w.until(() => outcomes.length === 1);
      await w.client.patch(ConfigMap, ref("a-map"), { merge: { data: { a: "2" } } });
      await w.until(() => outcomes.length === 2);
      expect(outcomes).toEqual(["created", "unchanged"]);
      expect((await mapOf("a")).data).toEqual({ a: "2" });
    });

    it("of somebody else's with the same name is not touched", async () => {
      await w.client.create(ConfigMap, { metadata: ref("a-map"), data: { mine: "yes" } });
      await w.client.create(Site, site("a"));
      const { outcomes, controller: it } = maps(() => ({ a: "1" }));
      await w.start([it]);
      await w.until(() => outcomes.length === 1);
      expect(outcomes).toEqual(["foreign"]);
      expect((await mapOf("a")).data).toEqual({ mine: "yes" });
    });

    describe("that the cache does not show as it is", () => {
      const wanted = { metadata: { name: "a-map" }, data: { a: "1" } };
      const theirs = () => w.client.create(ConfigMap, { metadata: ref("a-map"), data: { a: "theirs" } });
      /** Brings it about as somebody would who sees only `seen`. `meanwhile`: after it was looked for. */
      const ensured = async (owner: Site, seen: ConfigMap | undefined, meanwhile = async () => {}) => {
        const get: Client["get"] = async (...args) => {
          const found = await w.client.get(...args).catch((error) => ({ error }));
          await meanwhile();
          if ("error" in found) throw found.error;
          return found;
        };
        const cx: EnsureContext = {
          client: { ...w.client, get },
          fieldManager: "test",
          signal: new AbortController().signal,
          owner: { kind: Site, object: owner },
          cached: () => seen,
          wrote() {},
          found() {},
          applied: new WeakSet(),
          beforeCreate: async () => {},
        };
        return (await ensure<ConfigMap>(cx, ConfigMap, wanted, {})).as;
      };
      const made = async () => {
        const owner = await w.client.create(Site, site("a"));
        expect(await ensured(owner, undefined)).toBe("created");
        const child = await mapOf("a");
        await w.client.delete(ConfigMap, ref("a-map"), background);
        return { owner, child: { ...child, data: { a: "another" } } };
      };

      it("and whose name somebody else has by now is not touched", async () => {
        const { owner, child } = await made();
        await theirs();
        expect(await ensured(owner, child)).toBe("foreign");
        expect((await mapOf("a")).data).toEqual({ a: "theirs" });
      });

      it("and that is gone by now is made again", async () => {
        const { owner, child } = await made();
        expect(await ensured(owner, child)).toBe("created");
        expect((await mapOf("a")).metadata?.uid).not.toBe(child.metadata?.uid);
      });

      it("and whose name somebody takes just before it is made is not touched", async () => {
        const owner = await w.client.create(Site, site("a"));
        let isFirst = true;
        const meanwhile = async () => {
          if (isFirst) await theirs();
          isFirst = false;
        };
        expect(await ensured(owner, undefined, meanwhile)).toBe("foreign");
        expect((await mapOf("a")).data).toEqual({ a: "theirs" });
      });
    });

    it("that is still going away is waited for, and made again", async () => {
      const made = await w.client.create(Site, site("a"));
      const { outcomes, controller: it } = maps(() => ({ a: "1" }));
      await w.client.create(ConfigMap, {
        metadata: {
          ...ref("a-map"),
          finalizers: ["example.com/held"],
          ownerReferences: [
            { apiVersion: Site.apiVersion, kind: "Site", name: "a", uid: made.metadata.uid ?? "", controller: true },
          ],
        },
      });
      await w.client.delete(ConfigMap, ref("a-map"), background);
      await w.start([it]);
      await w.until(() => outcomes.includes("terminating"));
      await w.client.patch(ConfigMap, ref("a-map"), { merge: { metadata: { finalizers: null } } });
      await w.until(() => outcomes.at(-1) === "created");
    });

    it("keeps a field that is ours at its creation only as others leave it", async () => {
      await w.client.create(Site, site("a", { replicas: 1 }));
      const seen: string[] = [];
      const it = controller(Site)
        .owns(Deployment)
        .reconcile({
          observe: (found) => found,
          async act(_none, hands, found) {
            const labels = { site: "a" };
            const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: found.spec.image }] } };
            const wanted = { metadata: { name: "a" }, spec: { selector: { matchLabels: labels }, template } };
            seen.push((await hands.ensure(Deployment, wanted, { atCreation: { spec: { replicas: 1 } } })).as);
          },
          status: (_found, draft) => {
            draft.phase("Pending").condition("Ready", false, "Starting", "seen");
          },
        });
      await w.start([it]);
      await w.until(() => seen.length === 1);
      await w.client.scale.patch(Deployment, ref("a"), { merge: { spec: { replicas: 3 } } });
      await w.until(() => seen.length === 2);
      await w.client.patch(Site, ref("a"), { merge: { spec: { image: "web:2" } } });
      await w.until(async () => {
        const { spec } = await w.client.get(Deployment, "a", { namespace: w.namespace });
        return spec?.template.spec?.containers[0]?.image === "web:2";
      });
      expect((await w.client.get(Deployment, "a", { namespace: w.namespace })).spec?.replicas).toBe(3);
    });

    it("that is removed is gone from the cache at once", async () => {
      await w.client.create(Site, site("a"));
      const counts: number[] = [];
      const it = controller(Site)
        .owns(ConfigMap)
        .reconcile({
          observe: (_site, look) => look.children(ConfigMap),
          async act(_none, hands, found) {
            await hands.ensure(ConfigMap, { metadata: { name: "one" } });
            for (const map of found) await hands.remove(ConfigMap, map, "Background");
            counts.push(hands.children(ConfigMap).length);
          },
          status: (_found, draft) => {
            draft.phase("Pending").condition("Ready", false, "Starting", "seen");
          },
        });
      await w.start([it]);
      await w.until(() => counts.length === 1);
      await w.client.patch(Site, ref("a"), { merge: { metadata: { labels: { x: "y" } } } });
      await w.until(() => counts.length === 2);
      expect(counts).toEqual([1, 0]);
      const told = w.samples.flatMap((it) => (it.is === "ensure" ? it.outcome : []));
      expect(told).toEqual(["created", "unchanged", "deleted"]);
    });
  });

  describe("an effect outside", () => {
    const clinic = (outside: { calls: string[]; made: Set<string> }, fail: { after?: boolean } = {}) =>
      controller(Site)
        .records("example.com/pending")
        .reconcile({
          observe: (it) => it,
          async act(_none, hands, it) {
            if (it.status?.readyReplicas === 7) return;
            await hands.once({
              op: "Create",
              probe: async ({ id }) => (outside.made.has(id) ? { found: id } : "none"),
              call: async ({ id, attempt }) => {
                outside.calls.push(`${attempt}`);
                outside.made.add(id);
                if (fail.after === true) {
                  fail.after = false;
                  throw new Error("no answer");
                }
                return id;
              },
            });
          },
          status: (_it, draft) => {
            draft.phase("Pending").set({ readyReplicas: 7 }).condition("Ready", false, "Starting", "made");
          },
        });

    it("is recorded before it is done, and the record goes with the status", async () => {
      await w.client.create(Site, site("a"));
      const outside = { calls: [] as string[], made: new Set<string>() };
      await w.start([clinic(outside)]);
      await w.until(async () => (await get("a")).status?.readyReplicas === 7);
      await w.until(async () => (await get("a")).metadata.annotations?.["example.com/pending"] === undefined);
      const writes = w.writes();
      expect(
        writes.map((line) =>
          line.includes("/status") ? "status" : line.includes('"op":"remove"') ? "clear" : "record",
        ),
      ).toEqual(["record", "status", "clear"]);
      expect(outside.calls).toEqual(["1"]);
    });

    it("whose answer was lost is found again, not done twice", async () => {
      await w.client.create(Site, site("a"));
      const outside = { calls: [] as string[], made: new Set<string>() };
      await w.start([clinic(outside, { after: true })]);
      await w.until(async () => (await get("a")).status?.readyReplicas === 7);
      expect(outside.calls).toEqual(["1"]);
      expect(outside.made.size).toBe(1);
    });

    it("that goes on keeps its record, which counts the attempts, until it is settled", async () => {
      await w.client.create(Site, site("a"));
      const attempts: number[] = [];
      const it = controller(Site)
        .records("example.com/pending")
        .reconcile({
          observe: (it) => it,
          async act(_none, hands, { status }) {
            const call = async ({ attempt }: { readonly attempt: number }) => attempts.push(attempt);
            if (attempts.length < 2)
              await hands.once({ op: "Create", probe: async () => "none", call, goesOn: () => true });
            else if (status?.readyReplicas === 2) hands.settled();
          },
          status: (_it, draft, now) => {
            draft
              .phase("Pending")
              .set({ readyReplicas: attempts.length })
              .condition("Ready", false, "Starting", "made");
            draft.wake(plus(now, 1_000));
          },
        });
      await w.start([it]);
      await w.until(() => attempts.length === 2);
      expect(attempts).toEqual([1, 2]);
      await w.until(async () => (await get("a")).metadata.annotations?.["example.com/pending"] === undefined);
    });
  });

  describe("a manager", () => {
    it("that stops sends nothing any more, and another goes on where it was", async () => {
      await w.client.create(Site, site("a"));
      const first = await w.start([siteController()]);
      await w.until(async () => (await get("a")).status?.phase === "Pending");
      await first.stop();
      w.writes();
      await serving("a", 1);
      await w.pass(300);
      expect(w.writes()).toEqual([]);
      await w.start([siteController()]);
      await w.until(async () => (await get("a")).status?.phase === "Serving");
      expect(w.writes()).toHaveLength(1);
    });

    it("tells in words what keeps it from being ready, and nothing once it is", async () => {
      const running = await w.start([siteController()]);
      await w.until(() => running.manager.troubles().length === 0);
      expect(running.manager.isActive()).toBe(true);
    });
  });
}
