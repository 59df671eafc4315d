// How many pings a connection may send. As gRPC's servers have it: at most one in five seconds while a call is under way, hardly
// one without, and each answer starts the count anew. Pure.
import type { Ms } from "@telltale/kinds";

export interface Pings {
  readonly last?: Ms;
  readonly strikes: number;
  /** Something was sent since the last ping. */
  readonly hasAnswered: boolean;
}

export const noPings: Pings = { strikes: 0, hasAnswered: false };

const leastBetween: Ms = 5_000;
const leastWithoutCalls: Ms = 7_200_000;
const mostStrikes = 2;

export const answered = (pings: Pings): Pings => ({ ...pings, hasAnswered: true });

/** After one more ping. */
export function pinged({ last, strikes, hasAnswered }: Pings, now: Ms, calls: number): Pings {
  if (hasAnswered || last === undefined) return { last: now, strikes: 0, hasAnswered: false };
  const isEarly = now - last < (calls > 0 ? leastBetween : leastWithoutCalls);
  return { last: now, strikes: isEarly ? strikes + 1 : strikes, hasAnswered: false };
}

export const areTooMany = ({ strikes }: Pings): boolean => strikes > mostStrikes;
