// How a network or a control plane says its conditions. Pure.
import type { NewCondition } from "@telltale/status";
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
