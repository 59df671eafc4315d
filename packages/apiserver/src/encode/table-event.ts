// Rows of events. Both kinds say the same in other words.
import type { Instant } from "@telltale/kinds";
import { at, type Json } from "../json.ts";
import { age } from "./age.ts";
import { count, nameOf, unknown, words } from "./cells.ts";
import { columns } from "./columns.ts";
import type { TableForm } from "./table.ts";

export const eventForms: Readonly<Record<string, TableForm>> = {
  "/Event": eventForm("involvedObject", "message", "source", "firstTimestamp", "lastTimestamp", "count"),
  "events.k8s.io/Event": eventForm(
    "regarding",
    "note",
    "deprecatedSource",
    "deprecatedFirstTimestamp",
    "deprecatedLastTimestamp",
    "deprecatedCount",
  ),
};

function eventForm(about: string, said: string, source: string, first: string, last: string, times: string): TableForm {
  return {
    columns: columns(
      "Last Seen | Type | Reason | Object | Subobject* | Source* | Message | First Seen* | Count* | Name:string/name*",
    ),
    row: (o, now) => {
      const began = since([at(o, first), at(o, "eventTime")], now);
      const again = since([at(o, "series", "lastObservedTime"), at(o, last)], now);
      const object = at(o, about);
      const kind = words(object, "kind").toLowerCase();
      const name = words(object, "name");
      return [
        again === unknown ? began : again,
        words(o, "type"),
        words(o, "reason"),
        kind === "" && name === "" ? "" : name === "" ? kind : `${kind}/${name}`,
        words(object, "fieldPath"),
        [
          words(o, source, "component") || words(o, "reportingComponent") || words(o, "reportingController"),
          words(o, source, "host") || words(o, "reportingInstance"),
        ]
          .filter((part) => part !== "")
          .join(", "),
        words(o, said).trim(),
        began,
        at(o, "series", "count") ?? (count(o, times) || 1),
        nameOf(o),
      ];
    },
  };
}

/** The age of the first moment that is there. */
function since(moments: readonly (Json | undefined)[], now: Instant): string {
  return age(
    moments.find((moment) => typeof moment === "string"),
    now,
  );
}
