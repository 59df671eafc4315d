// The controllers of the eight kinds of records: one declaration for all. They say what became of a record; bringing it to
// servers is the zone's work (8.6).
import { type Ms, parseTime } from "@telltale/kinds";
import {
  type Controller,
  controller,
  done,
  type Finalized,
  gaveUp,
  type Hands,
  type MapLook,
  type Name,
  waiting,
} from "@telltale/runtime";
import type { Draft } from "@telltale/status";
import { flipsOf } from "../announce.ts";
import { type DNSRecord, DNSZone, type RecordKind, recordKinds } from "../kinds/index.ts";
import { beingDeleted } from "../messages.ts";
import { fieldManager } from "../names.ts";
import type { Ledger } from "../zone/ledger.ts";
import { isGone, status, type World } from "./status.ts";

export function records(ledger: Ledger): readonly Controller[] {
  return recordKinds.map((kind) => recordsOf(kind, ledger));
}

/** What goes on without its data having been seen to go: the next publication leaves it out in any case. */
const limit: Ms = 300_000;
const again: Ms = 5_000;

function recordsOf(kind: RecordKind, ledger: Ledger): Controller {
  // All eight say the same things of themselves; only their specs differ, and those are read by `dataOf`.
  const declared = controller(kind as unknown as (typeof recordKinds)[0])
    .gate(({ spec }: { readonly spec?: unknown }) => (spec === undefined ? "ignore" : "go"))
    .watches(DNSZone, ({ old, new: next }) => ofZone(kind, old, next), { changed: () => false })
    .hears(ledger.records(kind))
    .finalize(async (record, hands, draft) => finalize(record, hands, draft, ledger))
    .status({ as: "patch", fieldManager })
    .events("none")
    .workers(4)
    .backoff({ first: 1_000, longest: 30_000, jitter: 0.1 });
  return declared.reconcile<World>({
    observe: (record, look) => observe(record as DNSRecord, look, ledger),
    status,
    after({ before, status: after }, hands) {
      for (const { type, reason, message } of flipsOf(before ?? {}, after ?? {})) {
        (hands as Hands<(typeof recordKinds)[0]>).event(type, reason, message);
      }
    },
  });
}

function observe(record: DNSRecord, look: MapLook, ledger: Ledger): World {
  const ref = record.status?.zoneRef;
  const zone = ref === undefined ? undefined : look.get(DNSZone, { namespace: ref.namespace, name: ref.name });
  const report = zone === undefined ? undefined : ledger.of(zone.metadata.uid ?? "");
  return { record, zone, report };
}

async function finalize(
  record: DNSRecord,
  hands: Hands,
  draft: Draft<(typeof recordKinds)[0]>,
  ledger: Ledger,
): Promise<Finalized> {
  if (isGone(observe(record, hands, ledger))) return done;
  const since = parseTime(record.metadata.deletionTimestamp) ?? hands.now;
  if (hands.now >= since + limit) return gaveUp("its data may still be on a server that cannot be reached");
  draft.condition("Ready", false, "Progressing", beingDeleted(record.kind, record.metadata.name ?? ""));
  return waiting(again);
}

/** A zone that appears or is gone is news for those that it has; all else the ledger tells. */
function* ofZone(kind: RecordKind, old: DNSZone | undefined, next: DNSZone | undefined): Iterable<Name> {
  for (const it of (next ?? old)?.status?.records ?? []) {
    if (it.kind === kind.kind) yield { namespace: it.namespace, name: it.name };
  }
}
