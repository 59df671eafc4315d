// The end of a zone: it goes from every server that has it, and whoever speaks of it stops to (8.5). A server that cannot be
// reached holds it up for five minutes, and no longer.
import type { Ms } from "@telltale/kinds";
import { parseTime } from "@telltale/kinds";
import { done, type Finalized, gaveUp, waiting } from "@telltale/runtime";
import type { Draft } from "@telltale/status";
import type { DNSZone } from "../kinds/index.ts";
import { beingDeleted } from "../messages.ts";
import { clear, type Tools } from "./act.ts";
import { release, unlist, type ZoneHands } from "./marks.ts";
import { observe } from "./observe.ts";
import { withdraw } from "./withdraw.ts";
import { uidOf, type World } from "./world.ts";

const limit: Ms = 300_000;
const again: Ms = 5_000;

export async function finalize(
  zone: DNSZone,
  hands: ZoneHands,
  draft: Draft<typeof DNSZone>,
  tools: Tools,
): Promise<Finalized> {
  draft.condition("Ready", false, "Progressing", beingDeleted(zone.kind, zone.metadata.name ?? ""));
  const world = observe(zone, hands);
  // One that never had the name has nothing anywhere: what is there is its owner's.
  const left = world.owners.length > 0 ? [] : await remaining(world, hands, tools);
  const since = parseTime(zone.metadata.deletionTimestamp) ?? hands.now;
  if (left.length > 0 && hands.now < since + limit) return waiting(again);
  if (left.length > 0)
    hands.event(
      "Warning",
      "ZoneCleanupSkipped",
      `The zone may still be on ${left.length} pod(s) that cannot be reached`,
    );
  for (const record of [...world.records, ...world.released]) await release(record, zone, hands);
  for (const instance of world.listing) await unlist(instance, zone, hands);
  tools.ledger.forget(uidOf(zone));
  clear(tools.memory.forget(uidOf(zone)), tools);
  return left.length > 0 ? gaveUp(`the zone on ${left.length} pod(s)`) : done;
}

/** The pods that may still have it. */
function remaining(world: World, hands: ZoneHands, { bindcar }: Tools): Promise<readonly string[]> {
  const { targets, former } = world;
  return withdraw([...targets.primaries, ...targets.secondaries, ...former], world, hands, bindcar);
}
