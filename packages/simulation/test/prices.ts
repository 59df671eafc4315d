// Shops that wait for a price list which a person makes: what is told of one kind decides about another.
import { instant, type KubeObject, type Ms, parseTime } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import type { Scenario } from "../src/index.ts";
import { Shop, shop } from "./shop.ts";

export type Way =
  | "sound" // it is woken when the list comes
  | "deaf" // it looks at the list, and is not told when it comes
  | "impatient" // it gives up for good when there is none after a minute
  | "suspicious"; // what is old when it is first seen is taken for abandoned, for good

const lists: KubeObject & { readonly data: object } = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "prices", namespace: "default" },
  data: { bread: "2" },
};

export const pricedShops = (way: Way = "sound"): Scenario => ({
  name: "shops",
  kinds: [Shop],
  given: [{ ...lists, metadata: { name: "old-prices", namespace: "default" } }],
  apply: [lists, shop("corner")],
  operator: () => [pricedController(way)],
});

const minute: Ms = 60_000;

function pricedController(way: Way): Controller {
  const corner = { namespace: "default", name: "corner" };
  const declared = controller(Shop);
  return (way === "deaf" ? declared.reads(ConfigMap) : declared.watches(ConfigMap, () => [corner])).reconcile({
    observe: (it, look) => ({ it, prices: look.get(ConfigMap, { ...corner, name: "prices" }) }),
    status({ it, prices }, draft, now) {
      const made = parseTime(it.metadata.creationTimestamp) ?? now;
      const isLate = way === "impatient" && prices === undefined && now > made + minute;
      const isOld = way === "suspicious" && it.status?.phase === undefined && now > made + minute / 3;
      const isGivenUp = it.status?.tills === -1 || isLate || isOld;
      draft.phase("Closed").set({ tills: isGivenUp ? -1 : 0 });
      if (prices === undefined || isGivenUp) draft.condition("Ready", false, "Furnishing", "There are no prices");
      else draft.phase("Open").condition("Ready", true, "Open", "There are prices");
      if (way === "impatient" && prices === undefined && !isGivenUp) draft.wake(instant(made + minute + 1));
    },
  });
}
