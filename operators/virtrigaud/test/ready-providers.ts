// What stands in for the controller of Providers where only machines are looked at: every Provider is running, and stays while a
// machine refers to it.
import type { Controller } from "@telltale/runtime";
import { controller, done, waiting } from "@telltale/runtime";
import { Provider, VirtualMachine } from "../src/kinds/index.ts";

const inCluster = ({ metadata: { name, namespace } }: Provider): string => `${name}.${namespace}.svc:9443`;

type Reported = NonNullable<Provider["status"]>["reportedCapabilities"];

export function readyProviders(
  endpointOf: (it: Provider) => string = inCluster,
  reportedCapabilities?: Reported,
): readonly Controller[] {
  const ready = controller(Provider, "ready-providers")
    .reads(VirtualMachine)
    .finalize(
      async ({ metadata }, hands) => {
        const { items } = await hands.server.list(VirtualMachine);
        return items.some(({ spec }) => spec.providerRef.name === metadata.name) ? waiting(10_000) : done;
      },
      { quiet: true },
    )
    .reconcile({
      observe: (it) => it,
      status(it, draft) {
        draft.set({ healthy: true, runtime: { phase: "Running", endpoint: endpointOf(it) } });
        if (reportedCapabilities !== undefined) draft.set({ reportedCapabilities });
        draft.condition("Ready", true, "ProviderHealthy", "Provider is healthy and ready");
      },
    });
  return [ready];
}
