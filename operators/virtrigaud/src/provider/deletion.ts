// The end of a provider: machines leave it first, unless somebody insists; then everything that was made for it goes.
import { Deployment, Service } from "@telltale/kinds/builtin";
import { done, type Finalized, type Hands, waiting } from "@telltale/runtime";
import { type Draft, text } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";
import type { Links } from "../link/links.ts";
import { annotations } from "../names.ts";
import { ownOf, referringNow, referringTo } from "./observe.ts";
import { runtimeName } from "./runtime-names.ts";
import type { ProviderSettings } from "./settings.ts";

export async function finalize(
  it: Provider,
  hands: Hands<typeof Provider>,
  draft: Draft<typeof Provider>,
  { links, settings }: { readonly links: Pick<Links, "drop">; readonly settings: ProviderSettings },
): Promise<Finalized> {
  const { name = "", namespace = "" } = it.metadata;
  const { message: _before, ...runtime } = it.status?.runtime ?? {};
  draft.set({ runtime: { ...runtime, mode: "Remote", phase: "Stopping", message: "The Provider is being deleted" } });
  const known = referringTo(it, hands, settings);
  // Whoever needs it would wait for it for ever: the last look is at the server itself.
  const users = (known.length > 0 ? known : await referringNow(it, hands, settings)).length;
  const isForced = it.metadata.annotations?.[annotations.forceDelete] === "true";
  if (users > 0 && !isForced) {
    draft.condition("Ready", false, "InUse", text`${users} VirtualMachines still reference this provider`);
    return waiting(30_000);
  }
  if (users > 0) {
    const message = `Deleted by force: ${users} VirtualMachines still reference this provider, and nobody manages them`;
    hands.event("Warning", "ForceDeleted", message);
  }
  const place = { namespace, name: runtimeName(it) };
  const deployment = ownOf(it, hands.get(Deployment, place));
  const service = ownOf(it, hands.get(Service, place));
  if (deployment !== undefined) await hands.remove(Deployment, deployment, "Background");
  if (service !== undefined) await hands.remove(Service, service, "Background");
  links.drop(namespace, name);
  return done;
}
