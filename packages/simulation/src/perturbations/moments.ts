// When a fault happens: at the n-th event of a kind that reaches the operator, or after the n-th change on the server.
import { type Change, isNoise } from "../history.ts";
import type { Line, LineVerdict, Sent, Stream, Verdict } from "../network.ts";
import type { World } from "../world.ts";

/** Of a request or a stream: `apps/deployments`. */
export const kindOfTarget = ({ target: { group, resource } }: Pick<Stream, "target">): string => `${group}/${resource}`;

/** What becomes of the n-th event of a kind. */
export function onEvent(
  world: World,
  kind: string,
  event: number,
  verdict: (stream: Stream, line: Line) => LineVerdict | undefined,
): void {
  let count = 0;
  world.network.rules.unshift({
    line(stream, line) {
      if (kindOfTarget(stream) !== kind) return undefined;
      count += 1;
      return count === event ? verdict(stream, line) : undefined;
    },
  });
}

/** As soon as the n-th change is written that counts. Whoever acts on the server does so a moment later. */
export function onChange(world: World, n: number, act: (change: Change) => void): void {
  let count = 0;
  const stop = world.history.listen((change) => {
    if (isNoise(change.key)) return;
    count += 1;
    if (count < n) return;
    stop();
    act(change);
  });
}

/** For as long as it has a verdict. */
export function onRequest(world: World, verdict: (sent: Sent) => Verdict | undefined): void {
  world.network.rules.unshift({ request: verdict });
}
