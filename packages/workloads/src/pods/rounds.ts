// Deciding and doing in turns within one pass: what goes at once makes room for what is to come, and no event will tell.
import type { Instant } from "@telltale/kinds";
import type { StatusValue } from "@telltale/runtime";

/** How the rounds of a pass ended, beside the world itself. */
export interface Rounded {
  /** What could not be done, in words. */
  readonly failure?: string;
  /** There is more to do, and other objects wait. */
  readonly isUnfinished?: boolean;
}

/** More than any honest plan needs: something undoes what is done, and gets no more of this pass. */
const most = 5;

/** `plan` says undefined where there is nothing to do. */
export async function inRounds<W extends Rounded, P>(
  begun: W,
  plan: (world: W) => P | undefined,
  act: (todo: P, world: W) => Promise<W>,
): Promise<W> {
  let world = begun;
  let todo = plan(world);
  for (let round = 0; todo !== undefined; round += 1) {
    if (round === most) return { ...world, isUnfinished: true };
    world = await act(todo, world);
    if (world.failure !== undefined) return world;
    todo = plan(world);
  }
  return world;
}

/** When the next pass is wanted, given when something is due anyway. */
export function nextPass(
  { failure, isUnfinished }: Rounded,
  due: Instant | undefined,
  now: Instant,
): Pick<StatusValue<never>, "wakeAt" | "retry"> {
  const wakeAt = isUnfinished === true ? now : due;
  return { ...(wakeAt === undefined ? {} : { wakeAt }), ...(failure === undefined ? {} : { retry: true }) };
}
