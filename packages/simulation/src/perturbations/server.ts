// P14, P31: the server itself is another one: older, or put back to what a backup holds.
import type { Ms } from "@telltale/kinds";
import type { Fault } from "../fault.ts";
import { isNoise } from "../history.ts";
import type { Server } from "../network.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import { ignoringStreamedLists, withoutBookmarks, withoutStreamedLists } from "../servers/skewed.ts";
import type { World } from "../world.ts";
import { onChange, onRequest } from "./moments.ts";
import { spread } from "./places.ts";

const most = 10;

const skews: Readonly<Record<string, (server: Server) => Server>> = {
  "no streamed lists": withoutStreamedLists,
  "never heard of streamed lists": ignoringStreamedLists,
  "no bookmarks": withoutBookmarks,
  "neither streamed lists nor bookmarks": (server) => withoutStreamedLists(withoutBookmarks(server)),
};

/** From the last thing that is lost to the restore: what was said by then has been heard. */
const until: Ms = 200;
/** By then everybody has noticed that the server went back, and people do again what was lost. */
const redone: Ms = 60_000;

export const servers: readonly Perturbation[] = [
  {
    id: "P14",
    what: "an older server: no bookmarks, no streamed lists",
    *plans(): Iterable<Fault> {
      for (const has of Object.keys(skews)) yield { p: "P14", has };
    },
    arm(fault, world) {
      const has = textIn(fault, "has");
      const skew = skews[has];
      if (skew === undefined)
        throw new TypeError(`fault P14: has is ${has}; give one of ${Object.keys(skews).join(", ")}`);
      const server = skew(world.network.server);
      onRequest(world, ({ method, target }) =>
        method === "GET" && target.name === undefined ? { do: "elsewhere", server } : undefined,
      );
    },
  },
  {
    id: "P31",
    what: "etcd is restored from a backup: what was written since has not happened",
    // Who makes children once does not make those again that the backup has not got.
    expects: (_fault, { leaves = [] }) => (leaves.length > 0 ? "own" : "same"),
    alone: true, // versions that count anew cannot be told from those of a server that lags
    *plans({ changes }): Iterable<Fault> {
      const count = changes.filter(({ key }) => !isNoise(key)).length;
      const places = Array.from({ length: count - 1 }, (_, i) => i + 2);
      for (const change of spread(places, most)) {
        for (const lost of [1, 3]) {
          if (lost < change) for (const versions of ["back", "on"]) yield { p: "P31", change, lost, versions };
        }
      }
    },
    arm(fault, world) {
      const [n, lost] = [numberIn(fault, "change"), numberIn(fault, "lost")];
      const versions = textIn(fault, "versions");
      let backup: Backup | undefined;
      onChange(world, n - lost, () => {
        backup = { snapshot: world.server.snapshot(), length: world.history.length };
      });
      // Of two backups the second may be of a life that the first has undone.
      world.watch({
        restored() {
          backup = undefined;
        },
      });
      onChange(world, n, () => {
        world.busyFor(until);
        world.clock.after(until, () => {
          if (backup !== undefined) restore(world, backup, versions === "back");
        });
      });
    },
  },
];

/** By then everybody who follows the server has asked where it is. */
const unseen = 3_000;

interface Backup {
  readonly snapshot: ReturnType<World["server"]["snapshot"]>;
  /** How much had been written. */
  readonly length: number;
}

/** `isBack`: versions are counted anew. Else they go on far behind the last, as whoever restores etcd should see to. */
function restore(world: World, { snapshot, length }: Backup, isBack: boolean): void {
  const { server, trace, clock, network } = world;
  const { revision } = server.store;
  trace.note(clock.now(), "fault", `the server is put back from revision ${revision} to ${snapshot.revision}`);
  server.restore(snapshot);
  network.break();
  if (isBack) {
    // One whose versions have caught up before anybody asked cannot be told from one that was never put back.
    const asked = clock.now() + unseen;
    onRequest(world, ({ write }) =>
      write !== undefined && clock.now() < asked && server.store.revision + 2 > revision
        ? { do: "refuse", status: 503 }
        : undefined,
    );
  } else {
    server.store.setRevision(revision + 1000);
    server.compact();
  }
  world.restored();
  world.busyFor(redone);
  clock.after(redone, () => {
    // Also what was done since: who made it anew to delete it deletes it anew.
    const lost = world.deeds.filter(({ until, who }) => until > length && who !== "fault");
    world.busyFor(lost.length * 1000);
    for (const [i, { what, act, who }] of lost.entries())
      clock.after(i * 1000, () => world.do(`${what}, again`, act, who));
  });
}
