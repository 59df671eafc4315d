// Fields of objects that are no children: claimed by server-side apply, in the name that the controller writes in.
import { isConflict } from "@telltale/client";
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, expect, it } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let w: EmbeddedWorld;
afterEach(() => w.end());

const at = (name: string) => ({ name, namespace: "default" });
const managersOf = (map: ConfigMap) =>
  (map.metadata?.managedFields ?? []).map(({ manager, operation }) => `${operation} ${manager}`);

/** A controller that claims a label of a ConfigMap, as it is told. */
function claiming(claim: { uid?: string; force?: boolean; label?: string }, outcomes: string[]) {
  return controller(Site)
    .writes(ConfigMap, "create", "patch")
    .status({ as: "patch", fieldManager: "surveyor" })
    .reconcile({
      observe: (found) => found,
      async act(_none, hands) {
        const { uid, force = false, label = "a" } = claim;
        const metadata = { ...at("m"), labels: { site: label }, ...(uid === undefined ? {} : { uid }) };
        try {
          await hands.apply(ConfigMap, { metadata }, { force });
          outcomes.push("applied");
        } catch (error) {
          outcomes.push(isConflict(error) ? "conflict" : String(error));
        }
      },
      status: (_found, draft) => {
        draft.phase("Pending").condition("Ready", false, "Starting", "seen");
      },
    });
}

it("what is claimed is written in the controller's name, and what others said there is theirs", async () => {
  w = await world({ kinds: [Site] });
  const made = await w.client.create(ConfigMap, { metadata: { ...at("m"), labels: { site: "b" } }, data: { k: "v" } });
  const outcomes: string[] = [];
  await w.client.create(Site, site("a"));
  const uid = made.metadata?.uid ?? "";
  const first = await w.start([claiming({ uid }, outcomes)]);
  await w.pass(2_000);
  expect(outcomes).toEqual(["conflict"]);
  await first.stop();
  await w.start([claiming({ uid, force: true }, outcomes)]);
  await w.pass(2_000);
  const map = await w.client.get(ConfigMap, "m", { namespace: "default" });
  expect([map.metadata?.labels, map.data]).toEqual([{ site: "a" }, { k: "v" }]);
  expect(managersOf(map)).toContain("Apply surveyor");
});

it("under a uid none is made where that object is gone", async () => {
  w = await world({ kinds: [Site] });
  const outcomes: string[] = [];
  await w.client.create(Site, site("a"));
  await w.start([claiming({ uid: "11111111-2222-4333-8444-555555555555", force: true }, outcomes)]);
  await w.pass(2_000);
  expect(outcomes).not.toContain("applied");
  await expect(w.client.get(ConfigMap, "m", { namespace: "default" })).rejects.toThrow();
});

it("without a uid it is made", async () => {
  w = await world({ kinds: [Site] });
  const outcomes: string[] = [];
  await w.client.create(Site, site("a"));
  await w.start([claiming({}, outcomes)]);
  await w.pass(2_000);
  expect(outcomes).toEqual(["applied"]);
  expect((await w.client.get(ConfigMap, "m", { namespace: "default" })).metadata?.labels).toEqual({ site: "a" });
});
