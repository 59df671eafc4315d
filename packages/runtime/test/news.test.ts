// Somebody changes an object while a pass over it is under way: its own writes tell, and it begins again.
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, expect, it } from "vitest";
import { controller, done, doneAndTold, type Hands, waiting } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let w: EmbeddedWorld;
afterEach(() => w.end());

/** Somebody asks for another image in the middle of the first pass; what is said is what the pass saw. */
async function edited(act: (hands: Hands<typeof Site>) => Promise<void>): Promise<readonly string[]> {
  w = await world({ kinds: [Site] });
  const said: string[] = [];
  let isEdited = false;
  const sites = controller(Site)
    .records("example.com/pending")
    .reconcile({
      observe: (it) => it,
      async act(_none, hands, it) {
        if (!isEdited) {
          isEdited = true;
          await w.client.patch(Site, { name: "a", namespace: "default" }, { merge: { spec: { image: "web:2" } } });
        }
        if (it.status?.phase === undefined) await act(hands as Hands<typeof Site>);
        return it;
      },
      status({ spec }, draft) {
        said.push(spec.image);
        draft.phase("Pending").phase("Serving").condition("Ready", true, "AllServing", "Every replica answers");
      },
    });
  await w.start([sites]);
  await w.client.create(Site, site("a"));
  await w.pass(60_000);
  return said;
}

it("a pass whose own annotation shows that it is about something else now says nothing of what it saw", async () => {
  const said = await edited((hands) => hands.annotate({ "example.com/note": "x" }));
  expect(new Set(said)).toEqual(new Set(["web:2"]));
});

it("an effect is not begun for what somebody has changed meanwhile, and leaves no record", async () => {
  const begun: string[] = [];
  const records: (string | undefined)[] = [];
  const said = await edited(async (hands) => {
    await hands.once({
      op: "Create",
      probe: async () => {
        records.push("a record that nothing came of");
        return "none";
      },
      call: async ({ attempt }) => begun.push(`attempt ${attempt}`),
    });
  });
  expect(new Set(said)).toEqual(new Set(["web:2"]));
  expect([begun, records]).toEqual([["attempt 1"], []]);
});

it("a finalizer whose own annotation shows another status than it knew writes none over it", async () => {
  w = await world({ kinds: [Site] });
  const ref = { name: "a", namespace: "default" };
  let isTold = false;
  const sites = controller(Site)
    .finalize(async (it, hands, draft) => {
      draft.condition("Ready", false, "Starting", it.status?.phase === undefined ? "late" : "in time");
      if (!isTold) {
        isTold = true;
        await w.client.status.patch(Site, ref, { merge: { status: { phase: "Serving" } } });
      }
      await hands.annotate({ "example.com/note": "x" });
      return waiting(60_000);
    })
    .reconcile({ observe: (it) => it, status: () => {} });
  await w.client.create(Site, { ...site("a"), metadata: { ...site("a").metadata, finalizers: ["example.com/site"] } });
  await w.client.delete(Site, ref, { propagation: "Background" });
  await w.start([sites]);
  await w.pass(1_000);
  const { conditions, phase } = (await w.client.get(Site, "a", ref)).status ?? {};
  expect([phase, conditions?.[0]?.message]).toEqual(["Serving", "in time"]);
});

it("what a pass made is news to it when a server that was put back had not got it, and has", async () => {
  w = await world({ kinds: [Site] });
  const seen: number[] = [];
  const sites = controller(Site)
    .writes(ConfigMap, "create")
    // Whose it is cannot be told of one that is gone.
    .watches(ConfigMap, ({ new: made }) => (made === undefined ? [] : [{ name: "a", namespace: "default" }]))
    .reconcile({
      observe: (_, look) => look.list(ConfigMap).length,
      async act(_none, hands, count) {
        if (count > 0) return count;
        const made = await hands.create(ConfigMap, { metadata: { name: "made", namespace: "default" } });
        const { store } = manager.cache.of(ConfigMap);
        store.replace([], "1", { trust: "server" });
        queueMicrotask(() => store.saw("ADDED", made));
        return 0;
      },
      status(count, draft) {
        seen.push(count);
        draft.phase("Pending").phase("Serving").condition("Ready", true, "AllServing", "Every replica answers");
      },
    });
  const { manager } = await w.start([sites]);
  await w.client.create(Site, site("a"));
  await w.pass(60_000);
  expect(seen.at(-1)).toBe(1);
});

it("what is asked for while an object is cleaned up is cleaned up as well before it is let go", async () => {
  w = await world({ kinds: [Site] });
  const cleaned: string[] = [];
  const sites = controller(Site)
    .finalize(async ({ spec, metadata }) => {
      cleaned.push(spec.image);
      const ref = { name: metadata.name ?? "", namespace: "default" };
      if (cleaned.length === 1) await w.client.patch(Site, ref, { merge: { spec: { image: "web:2" } } });
      return done;
    })
    .reconcile({
      observe: (it) => it,
      status: (_it, draft) => void draft.phase("Pending").condition("Ready", false, "Starting", "seen"),
    });
  await w.start([sites]);
  await w.client.create(Site, { ...site("a"), metadata: { ...site("a").metadata, finalizers: ["example.com/site"] } });
  await w.client.delete(Site, { name: "a", namespace: "default" }, { propagation: "Background" });
  await w.pass(60_000);
  expect(cleaned).toEqual([site("a").spec.image, "web:2"]);
  expect((await w.client.list(Site)).items).toEqual([]);
});

it("the last word on an object that others hold is written, and before our finalizer goes", async () => {
  w = await world({ kinds: [Site] });
  const sites = controller(Site)
    .finalize(async (_it, _hands, draft) => {
      draft.phase("Pending").condition("Ready", false, "Starting", "all that it made is gone");
      return doneAndTold;
    })
    .reconcile({ observe: (it) => it, status: () => {} });
  const finalizers = ["example.com/site", "example.com/others"];
  await w.client.create(Site, { ...site("a"), metadata: { ...site("a").metadata, finalizers } });
  await w.client.delete(Site, { name: "a", namespace: "default" }, { propagation: "Background" });
  await w.start([sites]);
  await w.pass(60_000);
  const { metadata, status } = await w.client.get(Site, "a", { namespace: "default" });
  expect(metadata.finalizers).toEqual(["example.com/others"]);
  expect(status?.conditions?.[0]?.message).toBe("all that it made is gone");
});
