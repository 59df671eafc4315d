// The controller of VMImages: what it watches, and its steps in a row. It alone has images prepared, and alone writes their status.
import { Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook } from "@telltale/runtime";
import { names } from "@telltale/status";
import { Provider, VirtualMachine, VMImage } from "../kinds/index.ts";
import { annotations, fieldManager } from "../names.ts";
import { isConnected } from "../reachable.ts";
import { type Crossing, type Name, resolve } from "../references.ts";
import { act } from "./act.ts";
import { isPrepared } from "./entry.ts";
import { entryFromMessage } from "./entry-from-message.ts";
import { byImage, byMachineProvider, byProvider, imageOf, isToBeMade, observe, providersOf } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import type { Tools } from "./send.ts";
import { say, status } from "./status.ts";
import type { World } from "./world.ts";

export interface VMImageOptions extends Tools {
  readonly crossing: Crossing;
  readonly workers: number;
}

/** Machines come by the hundred, and each pass asks the provider how far it is: not more often than this. */
const spacing = 1_000;

export function vmImages({ crossing, workers, ...tools }: VMImageOptions): Controller {
  return controller(VMImage, "vmimage")
    .on("generation", "deletion", "labels", "annotations", "status")
    .gate((image, look) => {
      const { annotations: notes, deletionTimestamp } = image.metadata;
      if (notes?.[annotations.paused] !== "true" || deletionTimestamp !== undefined) return "go";
      return {
        only(it, draft, now) {
          say(observe(it, look, crossing), draft, now);
          draft.set({ message: "Paused" });
        },
      };
    })
    .watches(VirtualMachine, ({ old, new: next }) => [...wantedBy(old), ...wantedBy(next)], { changed: isNews })
    .index(VirtualMachine, byImage, (vm) => wantedBy(vm).map(keyOf))
    .index(VirtualMachine, byMachineProvider, (vm) => (wantedBy(vm).length === 0 ? [] : [keyOf(providerOf(vm))]))
    .watches(Provider, ({ old, new: next }, look) => around(next ?? old, look), { changed: isOtherProvider })
    .index(VMImage, byProvider, providersOf)
    .gets(Secret)
    .records(annotations.pendingOp)
    .gone((image, event) => {
      const left = leftovers(image);
      if (left !== undefined) event("Warning", "PreparedImageRetained", left);
    })
    .events("none")
    .status({ as: "patch", fieldManager })
    .workers(workers)
    .spacing(spacing)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
    .resync(36_000_000)
    .reconcile<World, Plan>({
      observe: (image, look) => observe(image, look, crossing),
      plan,
      act: (planned, hands, world) => act(planned, hands, world, tools),
      status,
    });
}

/** What was prepared stays where it is: no call takes it away. */
function leftovers({ status: last }: VMImage): string | undefined {
  const entries = Object.entries(last?.providerStatus ?? {}).filter(([, entry]) => isPrepared(entryFromMessage(entry)));
  if (entries.length === 0) return undefined;
  const places = entries.map(([key, { id, path }]) => `${path ?? id ?? "the image"} on provider ${key}`);
  return `what was prepared stays: ${names(places, { max: 10 })}`;
}

const keyOf = ({ namespace, name }: Name): string => `${namespace}/${name}`;

const wantedBy = (vm: VirtualMachine | undefined): readonly Name[] =>
  vm === undefined || !isToBeMade(vm) ? [] : [imageOf(vm) ?? []].flat();

const providerOf = ({ metadata, spec }: VirtualMachine): Name => resolve(spec.providerRef, metadata.namespace ?? "");

const isNews = (a: VirtualMachine, b: VirtualMachine): boolean => wishOf(a) !== wishOf(b);

/** What a machine wants where, in one line. */
const wishOf = (vm: VirtualMachine): string =>
  wantedBy(vm)
    .map((image) => `${keyOf(image)} on ${keyOf(providerOf(vm))}`)
    .join();

/** Whether a provider can be asked now, or could be before; and whom it lets in. */
const isOtherProvider = (a: Provider, b: Provider): boolean => viewOf(a) !== viewOf(b);

const viewOf = ({ metadata, spec, status: now }: Provider): string =>
  JSON.stringify([
    spec.type,
    spec.runtime.service?.tls,
    now?.runtime?.phase,
    now?.runtime?.endpoint,
    now?.reportedCapabilities !== undefined,
    now?.reportedCapabilities?.supportsImageImport,
    now?.conditions?.some(({ type }) => type === "CapabilitiesReported"),
    now === undefined ? undefined : isConnected({ status: now }),
    metadata.annotations?.[annotations.allowedNamespaces],
  ]);

/** The images that a provider counts for: those of the machines that are to be made on it, and those that name it. */
function* around(provider: Provider | undefined, look: MapLook): Iterable<Name> {
  const { namespace = "", name = "" } = provider?.metadata ?? {};
  const key = `${namespace}/${name}`;
  for (const { metadata } of look.where(VMImage, byProvider, key)) {
    yield { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
  }
  for (const vm of look.where(VirtualMachine, byMachineProvider, key)) yield* wantedBy(vm);
}
