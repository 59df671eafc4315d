// A small kind and its controller: what most tests of the runtime run. A Site wants a Deployment, and tells how it stands.
import {
  age,
  column,
  conditions,
  defineKind,
  Fields,
  Int32,
  no,
  phases,
  positive,
  type Resource,
  Text,
  yes,
} from "@telltale/kinds";
import { Deployment } from "@telltale/kinds/builtin";
import { text } from "@telltale/status";
import { controller } from "../src/index.ts";

export const Site = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: Fields({ replicas: Int32({ minimum: 0, maximum: 100 }), image: Text() }),
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
  columns: [column("Phase", ".status.phase"), age()],
  finalizer: "example.com/site",
});
export type Site = Resource<typeof Site>;

export const deploymentOf = ({ metadata, spec }: Site): Deployment => ({
  metadata: { name: metadata.name ?? "", namespace: metadata.namespace ?? "" },
  spec: {
    replicas: spec.replicas,
    selector: { matchLabels: { site: metadata.name ?? "" } },
    template: {
      metadata: { labels: { site: metadata.name ?? "" } },
      spec: { containers: [{ name: "web", image: spec.image }] },
    },
  },
});

interface World {
  readonly site: Site;
  readonly deployment: Deployment | undefined;
}

export const siteController = () =>
  controller(Site)
    .owns(Deployment)
    .reconcile({
      observe: (site, look): World => ({ site, deployment: look.children(Deployment)[0] }),
      plan: ({ site }) => deploymentOf(site),
      act: async (deployment, hands) => {
        await hands.ensure(Deployment, deployment);
      },
      status({ site, deployment }, draft) {
        const ready = deployment?.status?.readyReplicas ?? 0;
        draft.phase("Pending").set({ readyReplicas: ready });
        if (ready >= site.spec.replicas)
          draft.phase("Serving").condition("Ready", true, "AllServing", "Every replica answers");
        else draft.condition("Ready", false, "Starting", text`${ready} of ${site.spec.replicas} replicas answer`);
      },
    });

export const site = (name: string, spec: Partial<Site["spec"]> = {}, namespace = "default"): Site => ({
  apiVersion: Site.apiVersion,
  kind: Site.kind,
  metadata: { name, namespace },
  spec: { replicas: 1, image: "web:1", ...spec },
});
