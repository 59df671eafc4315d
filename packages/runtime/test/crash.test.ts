// A crash after every write: whatever the next manager finds, it ends in the same world, with one child and one effect.
import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

interface Outside {
  readonly calls: string[];
  readonly made: Map<string, string>;
}

/** Everything that a pass can write: a finalizer, a record, an effect, a child, a status. */
const everything = (outside: Outside) =>
  controller(Site)
    .owns(ConfigMap)
    .records("example.com/pending")
    .finalize(async (it, hands) => {
      for (const map of hands.children(ConfigMap)) await hands.remove(ConfigMap, map, "Background");
      outside.made.delete(it.metadata.uid ?? "");
      return { as: "done" };
    })
    .reconcile({
      observe: (it, look) => ({ it, maps: look.children(ConfigMap) }),
      async act(_none, hands, { it }) {
        if (!outside.made.has(it.metadata.uid ?? "") || it.status?.phase === undefined) {
          await hands.once({
            op: "Create",
            probe: async () => {
              const id = outside.made.get(it.metadata.uid ?? "");
              return id === undefined ? "none" : { found: id };
            },
            call: async ({ id }) => {
              outside.calls.push(id);
              outside.made.set(it.metadata.uid ?? "", id);
              return id;
            },
          });
        } else hands.settled();
        await hands.ensure(ConfigMap, {
          metadata: { name: `${it.metadata.name}-map` },
          data: { image: it.spec.image },
        });
      },
      status({ maps }, draft) {
        draft.phase("Pending").set({ readyReplicas: maps.length });
        draft.phase("Serving").condition("Ready", true, "AllServing", "Every replica answers");
      },
    });

/** The world without what time and chance decide. */
async function ends(w: EmbeddedWorld): Promise<unknown> {
  const plain = (text: string) =>
    text.replaceAll(
      /"(uid|resourceVersion|creationTimestamp|lastTransitionTime|deletionTimestamp)":"[^"]*"/g,
      '"$1":""',
    );
  const [sites, maps] = [await w.client.list(Site, {}), await w.client.list(ConfigMap, {})];
  return [sites, maps].map(({ items }) =>
    items.map(({ metadata, ...rest }) => {
      const { managedFields: _fields, ...others } = metadata ?? {};
      return plain(JSON.stringify({ metadata: others, ...rest }));
    }),
  );
}

async function run(
  crashAfter: number,
  effect: "lost" | "answered",
): Promise<{ end: unknown; writes: number; outside: Outside }> {
  const w = await world({ kinds: [Site] });
  const outside: Outside = { calls: [], made: new Map() };
  const life = async () => {
    await w.client.create(Site, site("a"));
    await w.pass(60_000);
    await w.client.patch(Site, { name: "a", namespace: "default" }, { merge: { spec: { image: "web:2" } } });
    await w.pass(60_000);
  };
  let writes = 0;
  let current = await w.start([everything(outside)]);
  if (crashAfter > 0) {
    w.server.faults.add({
      match: {
        userAgent: /tester/,
        verbs: ["create", "patch", "update", "delete"],
        nth: (n) => {
          if (n === crashAfter) {
            // Within the request: what it wrote stays, and nobody hears the answer.
            void current.crash().then(async () => {
              current = await w.start([everything(outside)]);
            });
          }
          return n === crashAfter && effect === "lost";
        },
      },
      effect: { resetConnection: true, commit: true },
    });
  }
  await life();
  writes = w.writes().length;
  const end = await ends(w);
  await w.pass(3_600_000);
  expect(w.writes(), "quiet once it has settled").toEqual([]);
  await w.client.delete(Site, { name: "a", namespace: "default" }, { propagation: "Background" });
  await w.pass(60_000);
  expect(await ends(w)).toEqual([[], []]);
  expect(outside.made.size).toBe(0);
  await w.end();
  return { end, writes, outside };
}

describe("a crash", async () => {
  const calm = await run(0, "answered");

  it("is not needed for the reference: one effect, and few writes", () => {
    expect(calm.outside.calls).toHaveLength(1);
    expect(calm.writes).toBe(7);
  });

  for (let n = 1; n <= calm.writes; n += 1) {
    for (const effect of ["lost", "answered"] as const) {
      it(`after write ${n}, its answer ${effect}, ends in the same world with one effect`, async () => {
        const found = await run(n, effect);
        expect(found.end).toEqual(calm.end);
        expect(found.outside.calls).toHaveLength(1);
      });
    }
  }
});
