// What the eight kinds of records have in common: name and ttl, status, conditions, columns (3.5).
import {
  type Column,
  column,
  conditions,
  defineKind,
  Fields,
  Optional,
  positive,
  type Rule,
  Text,
  Time,
  type TObject,
  type TProperties,
} from "@telltale/kinds";
import { because } from "../meanings.ts";
import { group, version } from "../names.ts";
import { unansweredReasons } from "../reasons.ts";
import { keepStatus } from "./failures.ts";
import { seconds } from "./fields.ts";
import { Maybe } from "./maybe.ts";
import { patterns } from "./patterns.ts";
import { SelectingZone } from "./references.ts";
import { ready, tail, written } from "./vocabulary.ts";

const common = {
  ttl: Maybe(seconds()),
} as const;

const ownerName = (pattern: string) =>
  Text({ minLength: 1, maxLength: 253, pattern, description: "Within the zone; @ is the zone itself" });

/** The spec of a record: its own fields, and those of all records. */
export function recordSpec<P extends TProperties>(
  fields: P,
  { rules = [], owner = patterns.owner }: { readonly rules?: readonly Rule[]; readonly owner?: string } = {},
) {
  return Fields({ name: ownerName(owner), ...common, ...fields }, { rules });
}

const said = {
  zone: Text({ maxLength: 254, description: "Deprecated: the name of the zone" }),
  zoneRef: SelectingZone,
  recordHash: Text({ maxLength: 64, pattern: "^[0-9a-f]{64}$" }),
  lastUpdated: Time({ description: "When it was last published with another content" }),
  publishedName: Text({ maxLength: 253 }),
} as const;

export const recordStatus = Fields(said);
export const addressStatus = Fields({
  ...said,
  addresses: Optional(Text({ maxLength: 8192, description: "All that are served, with commas between them" })),
});

const vocabulary = conditions(
  {
    Ready: positive({
      means: "Every primary that can be reached serves the record",
      reasons: {
        ...because(["True"], ["ReconcileSucceeded"]),
        ...because(
          ["False"],
          [
            "NotSelected",
            "ZoneNotFound",
            "ZoneNotConfigured",
            "NoPrimaryInstances",
            "ReconcileFailed",
            "RecordConflict",
            "InvalidRecordData",
            "Progressing",
          ],
        ),
        ...because(["Unknown"], unansweredReasons),
      },
    }),
  },
  written,
);

interface Declaration<P extends TProperties> {
  readonly kind: string;
  readonly shortName: string;
  readonly description: string;
  readonly finalizer: string;
  readonly spec: TObject<P>;
  readonly status: typeof recordStatus | typeof addressStatus;
  /** Between Zone and TTL. */
  readonly columns: readonly Column[];
}

export function defineRecord<P extends TProperties>({ shortName, columns, ...declared }: Declaration<P>) {
  return defineKind({
    group,
    version,
    ...declared,
    shortNames: [shortName],
    conditions: vocabulary,
    memory: ["recordHash", "lastUpdated", "publishedName", "zoneRef"],
    failures: keepStatus,
    columns: [
      column("Name", ".spec.name"),
      column("Zone", ".status.zoneRef.zoneName"),
      ...columns,
      column("TTL", ".spec.ttl", "integer"),
      ready(),
      ...tail(),
    ],
  });
}
