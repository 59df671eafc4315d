// The fields of a reconcile's log lines, by which they are found.
import { afterEach, expect, test } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let here: EmbeddedWorld | undefined;
afterEach(async () => here?.end());

const speaking = () =>
  controller(Site, "speaking").reconcile({
    observe(found, look) {
      look.log.info("first");
      look.log.info("second");
      return found;
    },
    status: (_found, draft) => void draft.phase("Pending").condition("Ready", false, "Starting", ""),
  });

test("lines of one reconcile share an id that no other has, also after a restart", async () => {
  here = await world({ kinds: [Site] });
  const first = await here.start([speaking()]);
  for (const name of ["a", "b"]) await here.client.create(Site, site(name));
  await here.pass(1_000);
  await first.stop();
  await here.start([speaking()]);
  await here.pass(1_000);
  const ids = new Map<unknown, string[]>();
  for (const { message, fields } of here.lines) {
    if (message !== "first" && message !== "second") continue;
    expect(fields).toMatchObject({ controller: "speaking", namespace: "default", reconcileID: expect.any(String) });
    ids.set(fields["reconcileID"], [...(ids.get(fields["reconcileID"]) ?? []), `${message} ${fields["name"]}`]);
  }
  expect([...ids.values()].filter(([, second]) => second?.endsWith(" a"))).toEqual([
    ["first a", "second a"],
    ["first a", "second a"],
  ]);
  expect([...ids.values()].every((lines) => lines.length === 2)).toBe(true);
});
