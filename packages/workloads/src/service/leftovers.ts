// Endpoints whose Service is gone. They have no owner reference, so nobody else takes them away. Those that somebody made by
// hand stay.
import { Endpoints, Service } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import { endpointController, endpointsManagedBy } from "./endpoints.ts";

interface World {
  readonly endpoints: Endpoints;
  readonly service: Service | undefined;
}

export function leftoverEndpoints(): Controller {
  return controller(Endpoints, "leftover-endpoints")
    .watches(Service, ({ old, new: next }) => {
      const { namespace = "", name = "" } = old?.metadata ?? {};
      return next === undefined ? [{ namespace, name }] : [];
    })
    .writes(Endpoints, "delete")
    .gate((it) => (it.metadata?.labels?.[endpointsManagedBy] === endpointController ? "go" : "ignore"))
    .reconcile<World>({
      async observe(endpoints, look) {
        const { namespace = "", name = "" } = endpoints.metadata ?? {};
        const place = { namespace, name };
        // What the cache does not have may only be not seen yet.
        return { endpoints, service: look.get(Service, place) ?? (await look.live(Service, place)) };
      },
      async act(_plan, hands, { endpoints, service }) {
        if (service === undefined) await hands.remove(Endpoints, endpoints, "Background");
      },
      status: () => ({ status: undefined }),
    });
}
