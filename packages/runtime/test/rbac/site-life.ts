// The life of a Site from its creation to its end, under a controller that uses everything that a declaration can name.
import { isNotFound, type Transport } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";
import { ConfigMap, Deployment, Node, Secret } from "@telltale/kinds/builtin";
import { text } from "@telltale/status";
import { type Controller, controller, done, waiting } from "../../src/index.ts";
import type { RbacOptions } from "../../src/rbac.ts";
import { deploymentOf, Site, site } from "../site.ts";
import type { World } from "../world.ts";

/** A controller that uses everything that a declaration can name. */
export const everything = (w: World): Controller => {
  let isFirst = true;
  return controller(Site)
    .owns(Deployment)
    .reads(Node)
    .gets(Secret)
    .writes(ConfigMap, "create", "delete")
    .records("example.com/effect")
    .finalize(async (it, hands) => {
      const map = { metadata: { name: `${it.metadata.name}-seen`, namespace: w.namespace } };
      await hands.remove(ConfigMap, map, "Background");
      for (const child of hands.children(Deployment)) await hands.remove(Deployment, child, "Background");
      return hands.children(Deployment).length === 0 ? done : waiting(100);
    })
    .reconcile({
      async observe(it, look) {
        await look.live(Secret, { name: "key", namespace: w.namespace });
        await look.live(Node, { name: "here" });
        return { it, deployment: look.children(Deployment)[0] };
      },
      plan: ({ it }) => deploymentOf(it),
      async act(deployment, hands, { it }) {
        await hands.ensure(Deployment, deployment);
        const map = { metadata: { name: `${it.metadata.name}-seen` } };
        await hands.ensure(ConfigMap, map, { mode: "createOnly", owner: "none" });
        if (it.status?.phase === undefined)
          await hands.once({ op: "Register", probe: async () => "none", call: async () => "registered" });
        if (!isFirst) return;
        isFirst = false;
        // Somebody is faster, once: the status that this pass writes does not fit any more.
        const ref = { name: it.metadata.name ?? "", namespace: w.namespace };
        await w.client.status.patch(Site, ref, { merge: { status: { conditions: [foreign] } } });
      },
      status({ it, deployment }, draft) {
        const ready = deployment?.status?.readyReplicas ?? 0;
        draft.phase("Pending").set({ readyReplicas: ready });
        if (ready >= it.spec.replicas)
          draft.phase("Serving").condition("Ready", true, "AllServing", "Every replica answers");
        else draft.condition("Ready", false, "Starting", text`${ready} of ${it.spec.replicas} replicas answer`);
      },
    });
};

const foreign = {
  type: "Foreign",
  status: "True",
  reason: "Theirs",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

/** All that the controller can do, once; `pause` before the site serves for the second time. */
export async function live(
  w: World,
  options: RbacOptions,
  transport: Transport,
  pause: () => Promise<void> = async () => {},
): Promise<void> {
  const { namespace } = w;
  const ref = { name: "a", namespace };
  const reaches = (phase: "Pending" | "Serving") =>
    w.until(
      async () => (await w.client.get(Site, "a", { namespace })).status?.phase === phase,
      `a site that is ${phase}`,
    );
  const serve = (ready: number) =>
    w.client.status.patch(Deployment, ref, { merge: { status: { replicas: ready, readyReplicas: ready } } });
  const imageOf = ({ spec }: Deployment) => spec?.template.spec?.containers[0]?.image;

  // Page by page: a server that streams lists does not show whether it may list.
  const { controllers, name, namespaces = [], replicas = { as: "one" } } = options;
  const more = { name, namespaces, replicas, transport, lists: "pages", events: "events.k8s.io/v1" } as const;
  const running = await w.start(controllers, more);
  await w.client.create(Site, site("a", {}, namespace));
  await reaches("Pending");
  await serve(1);
  await reaches("Serving");
  await serve(0);
  await reaches("Pending");
  await pause();
  await serve(1);
  await reaches("Serving");
  await w.client.patch(Site, ref, { merge: { spec: { image: "web:2" } } });
  await w.until(async () => imageOf(await w.client.get(Deployment, "a", { namespace })) === "web:2", "a changed child");
  await w.client.delete(Site, ref, { propagation: "Background" });
  for (const kind of [Site, Deployment] as const) {
    const isGone = () => w.client.get<KubeObject>(kind, "a", { namespace }).then(() => false, isNotFound);
    await w.until(isGone, `the end of the ${kind.kind}`);
  }
  await running.stop();
}
