// A small operator with two children and something outside: what the simulation itself is tried on.
import { conditions, defineKind, Fields, Int32, no, phases, positive, type Resource, Text, yes } from "@telltale/kinds";
import { ConfigMap, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, done } from "@telltale/runtime";
import { text } from "@telltale/status";
import type { Scenario } from "../src/index.ts";

export const Shop = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Shop",
  spec: Fields({ tills: Int32({ minimum: 0, maximum: 100 }), motto: Text() }),
  status: Fields({ tills: Int32() }),
  phases: phases({ Closed: ["Open"], Open: ["Closed"] }),
  conditions: conditions({
    Ready: positive({
      means: "The shop is open",
      reasons: {
        Open: yes("The shop is open"),
        Furnishing: no("Something is missing", "wait"),
      },
    }),
  }),
  finalizer: "example.com/shop",
});
export type Shop = Resource<typeof Shop>;

export const shopController = (): Controller =>
  controller(Shop)
    .owns(ConfigMap, Service)
    .finalize(async (_shop, hands) => {
      for (const map of hands.children(ConfigMap)) await hands.remove(ConfigMap, map, "Background");
      return done;
    })
    .reconcile({
      observe: (shop, look) => ({ shop, map: look.children(ConfigMap)[0], service: look.children(Service)[0] }),
      async act(_, hands, { shop }) {
        const name = shop.metadata.name ?? "";
        await hands.ensure(ConfigMap, { metadata: { name }, data: { motto: shop.spec.motto } });
        await hands.ensure(Service, { metadata: { name }, spec: { ports: [{ port: 80 }], selector: { shop: name } } });
      },
      status({ shop, map, service }, draft) {
        draft.phase("Closed").set({ tills: shop.spec.tills });
        if (map !== undefined && service !== undefined)
          draft.phase("Open").condition("Ready", true, "Open", text`The shop is open with ${shop.spec.tills} tills`);
        else draft.condition("Ready", false, "Furnishing", "Something is missing");
      },
    });

export const shop = (name: string, spec: Partial<Shop["spec"]> = {}): Shop => ({
  apiVersion: Shop.apiVersion,
  kind: Shop.kind,
  metadata: { name, namespace: "default" },
  spec: { tills: 1, motto: "open always", ...spec },
});

export const shopScenario = (controllers: () => readonly Controller[] = () => [shopController()]): Scenario => ({
  name: "shops",
  kinds: [Shop],
  operator: controllers,
  apply: [shop("corner")],
  people: [
    {
      at: 5000,
      what: "another motto",
      act: (client) =>
        client.patch(
          Shop,
          { namespace: "default", name: "corner" },
          { merge: { spec: { motto: "closed on Sundays" } } },
        ),
    },
  ],
});
