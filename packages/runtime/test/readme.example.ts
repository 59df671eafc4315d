import { findConnection, httpTransport } from "@telltale/client";
import { systemClock } from "@telltale/clock";
import { conditions, defineKind, Fields, Int32, no, positive, yes } from "@telltale/kinds";
import { Deployment } from "@telltale/kinds/builtin";
import { controller, manager } from "@telltale/runtime";

export const Site = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: Fields({ replicas: Int32() }),
  status: Fields({ readyReplicas: Int32() }),
  conditions: conditions({
    Ready: positive({
      means: "Every replica answers",
      reasons: { AllServing: yes("It does"), Starting: no("Replicas are starting", "wait; if it lasts, look at the pods") },
    }),
  }),
});

export const site = controller(Site)
  .owns(Deployment)
  .reconcile({
    observe: (it, look) => ({ it, deployment: look.children(Deployment)[0] }),
    plan: ({ it }) => ({
      metadata: { name: it.metadata.name ?? "" },
      spec: {
        replicas: it.spec.replicas,
        selector: { matchLabels: { site: it.metadata.name ?? "" } },
        template: {
          metadata: { labels: { site: it.metadata.name ?? "" } },
          spec: { containers: [{ name: "web", image: "nginx" }] },
        },
      },
    }),
    act: async (deployment, hands) => {
      await hands.ensure(Deployment, deployment);
    },
    status({ it, deployment }, draft) {
      const ready = deployment?.status?.readyReplicas ?? 0;
      draft.set({ readyReplicas: ready });
      if (ready >= it.spec.replicas) draft.condition("Ready", true, "AllServing", "Every replica answers");
      else draft.condition("Ready", false, "Starting", "Replicas are starting");
    },
  });

export async function main(signal: AbortSignal): Promise<void> {
  const transport = httpTransport(await findConnection({ clock: systemClock }));
  await manager({ name: "sites", transport, controllers: [site] }).run(signal);
  await transport.close();
}
