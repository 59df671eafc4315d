// What stands in for the controller of Providers where only machines are looked at: every Provider is running, and stays while a
// machine refers to it.
import type { Controller } from "@telltale/runtime";
import { controller, done, waiting } from "@telltale/runtime";
import { Provider, VirtualMachine } from "../src/kinds/index.ts";

export function readyProviders(at?: string): readonly Controller[] {
  const ready = controller(Provider, "ready-providers")
    .reads(VirtualMachine)
    .finalize(
      async ({ metadata }, hands) => {
        const users = hands.list(VirtualMachine).filter(({ spec }) => spec.providerRef.name === metadata.name);
        return users.length === 0 ? done : waiting(10_000);
      },
      { quiet: true },
    )
    .reconcile({
      observe: (it) => it,
      status(it, draft) {
        const { namespace = "", name = "" } = it.metadata;
        draft.set({ healthy: true, runtime: { phase: "Running", endpoint: at ?? `${name}.${namespace}.svc:9443` } });
        draft.condition("Ready", true, "ProviderHealthy", "Provider is healthy and ready");
      },
    });
  return [ready];
}
