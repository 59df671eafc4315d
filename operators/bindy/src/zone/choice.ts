// Whose a name is, and whose a record is: the oldest object wins, by what people wrote and not by who was faster (8.5, 12.4). Pure.
import { instant, matchesSelector, parseTime } from "@telltale/kinds";
import { type DNSRecord, DNSZone, specOf } from "../kinds/index.ts";
import { placeOf } from "./targets.ts";

/** The zone that has the name: one that is going away has it until it is gone. */
export function ownerOf(zones: readonly DNSZone[]): DNSZone | undefined {
  return zones.toSorted(byAge)[0];
}

function byAge(a: DNSZone, b: DNSZone): number {
  return bornAt(a) - bornAt(b) || (placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0);
}

const bornAt = ({ metadata }: DNSZone) => parseTime(metadata.creationTimestamp) ?? instant(0);

/** Whether the zone asks for the record. */
export function selects(zone: DNSZone, record: Pick<DNSRecord, "metadata">): boolean {
  if (zone.metadata.namespace !== record.metadata.namespace) return false;
  const { recordsFrom = [] } = specOf(DNSZone, zone);
  return recordsFrom.some(({ selector }) => matchesSelector(selector, record.metadata.labels));
}

/** The records that are this zone's. `rivals`: the other zones of its namespace. */
export function chosen(zone: DNSZone, records: readonly DNSRecord[], rivals: readonly DNSZone[]): readonly DNSRecord[] {
  const older = rivals.filter((it) => it.metadata.deletionTimestamp === undefined && byAge(it, zone) < 0);
  return records.filter((record) => {
    const isHere = record.metadata.deletionTimestamp === undefined && selects(zone, record);
    return isHere && !older.some((rival) => selects(rival, record));
  });
}
