// What a class says of itself: whether its spec can work, which types of providers can do it, and how many machines use it. Pure.
import { formatTime, type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, text } from "@telltale/status";
import type { ProviderType, VMClass, VMClassStatus } from "../kinds/index.ts";
import { silence } from "../reachable.ts";
import { type Support, supportOn } from "./features.ts";
import type { World } from "./world.ts";

export type ClassDraft = Draft<typeof VMClass>;
type Result = NonNullable<VMClassStatus["validationResults"]>[string];

/** How long until it is looked at again although nothing happened. */
export const interval: Ms = 600_000;

export function status(world: World, draft: ClassDraft, now: Instant): void {
  const { vmClass, problem, types, used } = world;
  const results = types.map((type) => [type, supportOn(vmClass.spec, type)] as const);
  const able = results.filter(([, { valid }]) => valid).map(([type]) => type);
  const there = world.providers.filter(({ type }) => able.includes(type));
  const answering = able.filter((able) => there.some(({ type, answers }) => type === able && answers === "yes"));
  const unheard =
    types.length === 0 ? ({ reason: "NoProviders", message: text`there is no Provider` } as const) : silence(there);
  draft.unset("supportedProviders", "validationResults");
  draft.set({
    usedByVMs: used,
    ...(answering.length === 0 ? {} : { supportedProviders: answering }),
    ...(results.length === 0 ? {} : { validationResults: written(world, results, now) }),
  });
  if (problem === undefined) draft.condition("Validated", true, "Valid", "the spec keeps the rules");
  else draft.condition("Validated", false, "Invalid", problem);
  const isUnsupported = types.length > 0 && able.length === 0;
  if (isUnsupported) draft.condition("Supported", false, "Unsupported", unsupported(results));
  else if (unheard !== undefined) draft.condition("Supported", "Unknown", unheard.reason, unheard.message);
  else draft.condition("Supported", true, "Valid", text`supported by ${answering.join(", ")}`);
  if (problem !== undefined) draft.condition("Ready", false, "Invalid", problem);
  else if (isUnsupported) draft.condition("Ready", false, "Unsupported", unsupported(results));
  else if (unheard !== undefined) draft.condition("Ready", "Unknown", unheard.reason, unheard.message);
  else draft.condition("Ready", true, "Valid", "machines of this class can be made");
  draft.wake(plus(now, interval));
}

const unsupported = (results: readonly (readonly [ProviderType, Support])[]) =>
  text`${results.map(([, { message = "" }]) => message).join("; ")}`;

/** What is found again as it was keeps the time at which it was found. */
function written(
  { vmClass: { metadata, status: before = {} } }: World,
  results: readonly (readonly [ProviderType, Support])[],
  now: Instant,
): Record<string, Result> {
  const isNew = before.observedGeneration !== metadata.generation;
  return Object.fromEntries(
    results.map(([type, { valid, message, warnings }]) => {
      const old = before.validationResults?.[type];
      const isSame =
        old !== undefined && old.valid === valid && old.message === message && same(old.warnings ?? [], warnings);
      const lastValidated = isSame && !isNew ? old.lastValidated : undefined;
      const result: Result = {
        valid,
        ...(message === undefined ? {} : { message }),
        ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
        lastValidated: lastValidated ?? formatTime(now),
      };
      return [type, result];
    }),
  );
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);
