import { age, column, conditions, defineKind, Fields, Int32, no, phases, positive, type Resource, yes } from "@telltale/kinds";

export const Site = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: Fields({ replicas: Int32({ minimum: 1, maximum: 10 }) }),
  status: Fields({ readyReplicas: Int32() }),
  phases: phases({ Pending: ["Serving"], Serving: ["Pending"] }),
  conditions: conditions({
    Ready: positive({
      means: "Every replica answers",
      reasons: {
        AllServing: yes("Every replica answers"),
        Starting: no("Replicas are starting", "wait; if it lasts, look at the pods"),
      },
    }),
  }),
  columns: [column("Phase", ".status.phase"), column("Ready", ".status.readyReplicas", "integer"), age()],
});
export type Site = Resource<typeof Site>;

import { instant } from "@telltale/kinds";
import { draft, jsonPatch, text } from "@telltale/status";

export function status(site: Site, ready: number, now = instant(Date.parse("2026-01-01T00:00:00Z"))) {
  const all = ready >= site.spec.replicas;
  const next = draft(Site, site, now).phase("Pending").set({ readyReplicas: ready });
  if (all) next.phase("Serving").condition("Ready", true, "AllServing", "Every replica answers");
  else next.condition("Ready", false, "Starting", text`${ready} of ${site.spec.replicas} replicas answer`);
  return jsonPatch(Site, site, next.finish()); // nothing, when nothing changed
}
