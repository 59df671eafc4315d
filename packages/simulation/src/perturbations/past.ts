// P8: time travel. The operator comes to a server that has not heard of the latest changes, and sees the past for a while.
import type { Fault } from "../fault.ts";
import { isNoise } from "../history.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import { past } from "../servers/past.ts";
import type { World } from "../world.ts";
import { kindOfTarget, onChange, onRequest } from "./moments.ts";
import { spread } from "./places.ts";

const most = 12;
/**
 * How it comes there, and how long the server lags. After a reconnect a client that knows more waits for a server that is only
 * slow; after a long while it takes it for one that was put back.
 */
const ways = [
  { as: "restart", by: 20_000 },
  { as: "reconnect", by: 3_000 },
  { as: "reconnect", by: 40_000 },
] as const;

/** The changes that it sees, by their number among all that count. */
function changesIn({ changes, watched }: Reference): { readonly change: number; readonly isEnd: boolean }[] {
  return changes
    .filter(({ key }) => !isNoise(key))
    .map(({ key, type }, i) => ({ key, change: i + 1, isEnd: type === "DELETED" }))
    .filter(({ key }) => watched.some((kind) => key.startsWith(`/${kind}/`)));
}

export const travels: readonly Perturbation[] = [
  {
    id: "P8",
    what: "time travel: a reconnect, or a restart, to a server that lags behind",
    *plans(reference): Iterable<Fault> {
      const all = changesIn(reference);
      const [ends, others] = [all.filter(({ isEnd }) => isEnd), all.filter(({ isEnd }) => !isEnd)];
      for (const { change } of [...spread(ends, most), ...spread(others, most)]) {
        for (const back of [1, 4]) {
          if (back <= change) for (const { as, by } of ways) yield { p: "P8", change, back, as, by };
        }
      }
    },
    arm(fault, world) {
      const [n, back, by] = [numberIn(fault, "change"), numberIn(fault, "back"), numberIn(fault, "by")];
      const isRestart = textIn(fault, "as") === "restart";
      const start = world.server.store.revision;
      onChange(world, n, () => {
        const revision = revisionBefore(world, back, start);
        world.clock.after(0, () => travel(world, revision, by, isRestart));
      });
    },
  },
];

/** What the server had come to before the last so many changes. */
function revisionBefore({ history }: World, back: number, start: number): number {
  const changes = history.changes.filter(({ key }) => !isNoise(key));
  const first = changes.at(-back);
  return first === undefined ? start : first.revision - 1;
}

function travel(world: World, revision: number, by: number, isRestart: boolean): void {
  const { clock, network, trace } = world;
  trace.note(clock.now(), "fault", `the operator's server is at revision ${revision} for ${by / 1000} s`);
  world.busyFor(by);
  let isOver = false;
  const caughtUp = new Promise<void>((resolve) => {
    clock.after(by, () => {
      isOver = true;
      resolve();
    });
  });
  const lagging = past(network.server, revision, caughtUp);
  const watched = new Set([...network.streams].map(kindOfTarget));
  onRequest(world, (sent) => {
    if (isOver || sent.method !== "GET" || !watched.has(kindOfTarget(sent))) return undefined;
    return { do: "elsewhere", server: lagging };
  });
  const active = world.processes.filter(({ isAlive, manager }) => isAlive && manager.isActive());
  if (isRestart) for (const process of active) world.crash(process);
  else for (const stream of [...network.streams]) stream.cut();
}
