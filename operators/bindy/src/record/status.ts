// What a record says of itself: whose it is, and what became of it there (5.6, 8.6). Pure.
import { formatTime, type Instant } from "@telltale/kinds";
import type { Draft } from "@telltale/status";
import type { ARecord, DNSRecord, DNSZone } from "../kinds/index.ts";
import { recordSays } from "../messages.ts";
import { nextLook } from "../moments.ts";
import type { RecordResult, ZoneReport } from "../zone/ledger.ts";
import { addressesOf, dataOf, type RecordData, recordHash, typeOf } from "./data.ts";

export interface World {
  readonly record: DNSRecord;
  /** The zone that has it, where there is one. */
  readonly zone: DNSZone | undefined;
  /** What that one came to. Undefined: nobody knows yet. */
  readonly report: ZoneReport | undefined;
}

/** All eight kinds say the same things of themselves. */
type RecordDraft = Draft<typeof ARecord>;

export function status({ record, zone, report }: World, draft: RecordDraft, now: Instant): void {
  const isReady = say({ record, zone, report }, draft, now);
  draft.wake(nextLook(isReady, now));
}

/** True where it is served. */
function say({ record, zone, report }: World, draft: RecordDraft, now: Instant): boolean {
  const read = dataOf(record);
  const no = (): false => false;
  if (read.is === "refused") {
    draft.condition("Ready", false, "InvalidRecordData", recordSays.invalid(read.field, read.why));
    return no();
  }
  const ref = record.status?.zoneRef;
  if (ref === undefined) {
    draft.condition("Ready", false, "NotSelected", recordSays.notSelected());
    return no();
  }
  if (zone === undefined) {
    draft.condition("Ready", false, "ZoneNotFound", recordSays.zoneNotFound(ref)).unset("zoneRef", "zone");
    return no();
  }
  switch (report?.publication.is) {
    case undefined:
      return keep(record, draft);
    case "nowhere":
      draft.condition("Ready", false, "ZoneNotConfigured", recordSays.zoneNotConfigured(report.publication.why));
      return no();
    case "mirrored":
      draft.condition("Ready", false, "NoPrimaryInstances", recordSays.noPrimaries());
      return no();
    case "refused":
      draft.condition("Ready", false, "ReconcileFailed", recordSays.failed(report.publication.why));
      return no();
    case "published":
      return published(
        record,
        read.data,
        report.publication.records.get(record.metadata.uid ?? ""),
        ref.zoneName,
        draft,
        now,
      );
  }
}

function published(
  record: DNSRecord,
  data: RecordData,
  result: RecordResult | undefined,
  zone: string,
  draft: RecordDraft,
  now: Instant,
): boolean {
  const hash = recordHash(record);
  // The zone has not come to it yet, or to what it says now.
  if (result === undefined || (result.is === "served" && result.hash !== hash)) return keep(record, draft);
  if (result.is === "rejected") {
    const { reason, message } = result.rejection;
    draft.condition("Ready", false, reason, message);
    return false;
  }
  if (result.is === "unknown") {
    draft.condition("Ready", "Unknown", result.reason, recordSays.unanswered(zone, result.why));
    return false;
  }
  if (result.is === "failed") {
    draft.condition("Ready", false, "ReconcileFailed", recordSays.failed(result.why));
    return false;
  }
  const addresses = addressesOf(data);
  draft
    .condition("Ready", true, "ReconcileSucceeded", recordSays.added(typeOf(record), zone))
    .set({ recordHash: hash, publishedName: result.name, ...(addresses !== undefined && { addresses }) });
  if (record.status?.recordHash !== hash) draft.set({ lastUpdated: formatTime(now) });
  return true;
}

/** Nothing is known that was not before. */
function keep(record: DNSRecord, draft: RecordDraft): boolean {
  const { status: stored } = record;
  const { status, reason } = stored?.conditions?.find(({ type }) => type === "Ready") ?? {};
  // Somebody else may have said so.
  const isOurs =
    status !== undefined && status !== "Unknown" && (status === "True") === (reason === "ReconcileSucceeded");
  // That the data of before are served says nothing of what the record says now: it speaks for no newer generation.
  if (isOurs && status === "True" && stored?.recordHash !== recordHash(record)) draft.aside();
  if (isOurs) draft.keep("Ready");
  else draft.condition("Ready", false, "Progressing", "The zone has not been published with it yet");
  return isOurs && status === "True";
}

/** Whether nothing of a record that is being deleted is left in its zone, as far as anybody can tell. */
export function isGone({ record, zone, report }: World): boolean {
  if (record.status?.zoneRef === undefined || zone === undefined) return true;
  const { publication } = report ?? {};
  if (publication?.is === "nowhere" || publication?.is === "mirrored") return true;
  return publication?.is === "published" && publication.isWhole && !publication.records.has(record.metadata.uid ?? "");
}
