// How a network or a control plane says its conditions. Pure.
import { type Condition, type Instant, type Ms, plus } from "@telltale/kinds";
import type { NewCondition, SafeText } from "@telltale/status";
import type { Trouble } from "../trouble.ts";
import { isUnpaused, type ProviderWorld } from "./world.ts";

/** What takes conditions: the draft of a status. */
interface Speaker<T extends string> {
  state(it: NewCondition<T>, options: { readonly restamp: boolean }): unknown;
  keep(...types: T[]): unknown;
  without(...types: T[]): unknown;
}

interface Speech<T extends string> {
  readonly said: readonly NewCondition<T>[];
  readonly gone: readonly T[];
  /** Every type that is always there. */
  readonly all: readonly T[];
  /** Those whose times are clocks. */
  readonly clocks: readonly T[];
  /** The one that is True while its clock runs. */
  readonly making: T;
  readonly isReset: boolean;
  /** It was ready once: no clock runs. */
  readonly isOver: boolean;
}

export function speak<T extends string>(world: ProviderWorld, draft: Speaker<T>, speech: Speech<T>): void {
  const { said, gone, all, clocks, making, isReset, isOver } = speech;
  const isAnew = isUnpaused(world) && !isOver;
  for (const it of said) {
    const { type, status } = it;
    // The clock of creation begins with the network.
    const runs = type === "InfrastructureReady" || status === (type === making ? "True" : "False");
    // CC-4, CP-4 and 11.3: a person let it begin anew, so clocks do too.
    draft.state(it, { restamp: clocks.includes(type) && (isReset || (isAnew && runs)) });
  }
  draft.without(...gone);
  const spoken = new Set<string>([...said.map(({ type }) => type), ...gone]);
  // What is not spoken of holds for the generation that was read, as it did before.
  draft.keep(...all.filter((type) => !spoken.has(type)));
}

/** How soon is asked again where nobody answers. */
const soon: Ms = 30_000;

interface Forgetful<T extends string> {
  condition(type: T, status: "Unknown", reason: "RequestFailed", message: SafeText): unknown;
  aside(): unknown;
  wake(at: Instant): unknown;
}

interface Forgotten {
  readonly it: { readonly status?: { readonly conditions?: readonly Condition[] } };
  readonly trouble?: Trouble;
}

/** Nobody has answered for so long that nothing of it holds any more: what was True among these is not known. */
export function forget<T extends string>(
  { it, trouble }: Forgotten,
  draft: Forgetful<T>,
  types: readonly T[],
  now: Instant,
): void {
  if (trouble === undefined) return;
  const stored: readonly Condition[] = it.status?.conditions ?? [];
  const isOpen = (type: string) => stored.some((one) => one.type === type && one.status !== "False");
  draft.aside();
  for (const type of types) if (isOpen(type)) draft.condition(type, "Unknown", "RequestFailed", trouble.message);
  draft.wake(plus(now, Math.max(soon, trouble.retryAfter ?? 0)));
}
