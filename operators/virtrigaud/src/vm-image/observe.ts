// Reads what a pass has to know of one image: who wants it where, and what is remembered of earlier passes. From the cache alone.
import type { Look } from "@telltale/runtime";
import { lengthOr } from "../durations.ts";
import { Provider, VirtualMachine, type VMImage } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { type Crossing, isOpenTo, type Name, providerKey, providerOfKey, resolve } from "../references.ts";
import { toldAll, vmImageProblems } from "../validate/index.ts";
import { flightOf, remember } from "./memory.ts";
import { sourceOf } from "./source.ts";
import type { Pair, Rules, World } from "./world.ts";

/** Machines that do not exist yet, by the `namespace/name` of their image and of their provider; images by their providers. */
export const byImage = "image of a machine to be made";
export const byMachineProvider = "provider of a machine to be made";
export const byProvider = "provider of an image";

export function observe(image: VMImage, look: Look, crossing: Crossing): World {
  const { now } = look;
  const source = sourceOf(image.spec);
  const rules = rulesOf(image);
  const pairs = pairsOf(image, look, crossing);
  return {
    image,
    now,
    problem: toldAll(vmImageProblems(image)),
    source,
    rules,
    pairs,
    memory: remember(image, source, rules, pairs, now),
    finding: { is: "nothing" },
  };
}

function rulesOf({ spec: { prepare = {} } }: VMImage): Rules {
  const { onMissing = "Import", retries = 3, timeout, force = false, validateChecksum = true } = prepare;
  return {
    onMissing,
    retries,
    timeout: lengthOr(timeout, 1_800_000),
    isForced: force,
    validatesChecksum: validateChecksum,
  };
}

function pairsOf(image: VMImage, look: Look, crossing: Crossing): readonly Pair[] {
  const { namespace = "", name = "" } = image.metadata;
  const wanted = new Set<string>();
  const want = (provider: Name, by: string) => {
    const isHome = provider.namespace === by || crossing.isFree;
    if (isHome || isOpenTo(look.get(Provider, provider), by)) wanted.add(providerKey(namespace, provider));
  };
  for (const vm of look.where(VirtualMachine, byImage, `${namespace}/${name}`)) {
    const home = vm.metadata.namespace ?? "";
    if (home !== namespace && !crossing.isFree && !isOpenTo(image, home)) continue;
    want(resolve(vm.spec.providerRef, home), home);
  }
  for (const provider of askedFor(image)) want(provider, namespace);
  const keys = new Set([...wanted, ...knownKeys(image)]);
  return [...keys].sort().map((key) => {
    const place = providerOfKey(namespace, key);
    return {
      key,
      isWanted: wanted.has(key),
      provider: place === undefined ? undefined : look.get(Provider, place),
    };
  });
}

/** The providers that a person wants it on before anybody needs it. */
function askedFor({ metadata }: VMImage): readonly Name[] {
  const list = metadata.annotations?.[annotations.prepareOn] ?? "";
  return list.split(",").flatMap((key) => providerOfKey(metadata.namespace ?? "", key.trim()) ?? []);
}

/** The providers that its status speaks of. */
function knownKeys({ status }: VMImage): readonly string[] {
  const flight = flightOf(status?.prepareTaskRef);
  return [...Object.keys(status?.providerStatus ?? {}), ...(flight === undefined ? [] : [flight.key])];
}

/** `namespace/name` of every provider that matters to an image by itself. */
export function providersOf(image: VMImage): readonly string[] {
  const known = knownKeys(image).flatMap((key) => providerOfKey(image.metadata.namespace ?? "", key) ?? []);
  return [...new Set([...askedFor(image), ...known].map(({ namespace, name }) => `${namespace}/${name}`))];
}

/** Whether a machine is still to be made: only then does it want its image. */
export const isToBeMade = ({ metadata, status }: VirtualMachine): boolean =>
  (status?.id ?? "") === "" && metadata.deletionTimestamp === undefined && metadata.labels?.[labels.adopted] !== "true";

export function imageOf({ metadata, spec }: VirtualMachine): Name | undefined {
  return spec.imageRef === undefined ? undefined : resolve(spec.imageRef, metadata.namespace ?? "");
}
