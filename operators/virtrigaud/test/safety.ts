// What must hold at every moment for machines and their sets, by what their host has; and the rules without which it would not.
import type { Instant, KubeObject, Ms } from "@telltale/kinds";
import type { Guard, Look, Safety, Watched } from "@telltale/simulation";
import { findCondition } from "@telltale/status";
import { VirtualMachine, VMSet } from "../src/kinds/index.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import type { Machine } from "../src/simulated/machine.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { decide } from "../src/virtual-machine/decide.ts";
import { vmSets } from "../src/vm-set/controller.ts";
import { plan } from "../src/vm-set/plan.ts";
import { sensesOf } from "./simulated-world.ts";

interface Hosting {
  readonly host: SimulatedHost;
}
type On = Watched<Hosting>;

/** As old as `Ready` of a machine may be (docs/observations.md): 2 minutes, and the time that one question may take. */
const promisedAge: Ms = 120_000 + 30_000;

const works = ({ power, isGoing }: Machine): boolean => power === "On" && !isGoing;
const uidOf = ({ metadata }: KubeObject): string => metadata?.uid ?? "";

/** Those that nobody has asked to go. */
const wanted = (look: Look): ReadonlyMap<string, VirtualMachine> =>
  new Map(
    look
      .list(VirtualMachine)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((vm) => [uidOf(vm), vm]),
  );

const oneEach: Safety<Hosting> = {
  name: "one machine for each VirtualMachine",
  watch:
    ({ backend }: On) =>
    () => {
      const all = Map.groupBy(
        backend.host.machines.filter(({ isGoing }) => !isGoing),
        ({ requestId }) => requestId,
      );
      for (const [uid, found] of all)
        if (uid !== "" && found.length > 1) return `${found.map(({ id }) => id).join(" and ")} were made for ${uid}`;
      return undefined;
    },
};

/** Of those that somebody else has taken away nothing is said: the host tells who was asked to. */
const noneTaken: Safety<Hosting> = {
  name: "no machine that runs goes without being asked for",
  watch({ backend: { host }, look }: On) {
    let asked = 0;
    let before: readonly Machine[] = [];
    let running = new Set<string>();
    return () => {
      const calls = host.asked("delete");
      const after = host.machines;
      const isWanted = wanted(look);
      const taken = calls
        .slice(asked)
        .flatMap(({ request }) => before.find(({ id }) => id === request.id && running.has(id)) ?? [])
        .find(({ id, requestId }) => isWanted.has(requestId) && !after.some((it) => it.id === id && !it.isGoing));
      asked = calls.length;
      before = after;
      running = new Set(after.filter(works).map(({ id }) => id));
      return taken === undefined ? undefined : `${taken.id} of ${isWanted.get(taken.requestId)?.metadata.name}`;
    };
  },
};

const readyIsThere: Safety<Hosting> = {
  name: "what is said to be Ready is there and on, or was until two minutes and a half ago",
  watch({ backend: { host }, look, now, undisturbedFor }: On) {
    /** Since when it is not so. */
    const wrong = new Map<string, Instant>();
    return () => {
      const there = new Map(host.machines.map((it) => [it.id, it]));
      for (const vm of look.list(VirtualMachine)) {
        const { status, spec } = vm;
        const machine = there.get(status?.id ?? "");
        const isReady = findCondition(status?.conditions, "Ready")?.status === "True";
        const isOn = spec.powerState !== undefined && spec.powerState !== "On" ? true : machine?.power === "On";
        if (!isReady || (machine !== undefined && isOn)) {
          wrong.delete(uidOf(vm));
          continue;
        }
        const since = wrong.get(uidOf(vm)) ?? now();
        wrong.set(uidOf(vm), since);
        if (Math.min(now() - since, undisturbedFor()) > promisedAge)
          return `${vm.metadata.name} is said to be Ready, and its host has ${machine?.power ?? "nothing"}`;
      }
      return undefined;
    };
  },
};

/** Of every simulation with a host. */
export const safety: readonly Safety<Hosting>[] = [oneEach, noneTaken, readyIsThere];

/** The machines of a set that nobody deletes, by their names. */
const fleetsOf = (look: Look) =>
  look
    .list(VMSet)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((set) => ({ set, isIts: (name: string) => name.startsWith(`${set.metadata.name}-`) }));

/** Nothing else stops any: those that have run and do not are down by the roll-out. */
const fewDown: Safety<Hosting> = {
  name: "never more machines down than maxUnavailable",
  watch({ backend: { host }, look }: On) {
    const seen = new Set<string>();
    return () => {
      const on = host.machines.filter(works).map(({ name }) => name);
      for (const name of on) seen.add(name);
      for (const { set, isIts } of fleetsOf(look)) {
        const down = [...seen].filter((name) => isIts(name) && !on.includes(name));
        const most = Number(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1);
        if (down.length > most) return `${down.join(" and ")} of ${set.metadata.name} are down, and ${most} may be`;
      }
      return undefined;
    };
  },
};

/** What a set takes away is of an older template than its own. */
const noneReplaced: Safety<Hosting> = {
  name: "no machine that runs and is as its set wants it is taken away",
  watch({ backend: { host }, look }: On) {
    let before = new Map<string, VirtualMachine>();
    return () => {
      const now = wanted(look);
      const on = new Set(host.machines.filter(works).map(({ requestId }) => requestId));
      const fleets = fleetsOf(look);
      const gone = [...before].find(([uid, { metadata, spec }]) => {
        const fleet = fleets.find(({ isIts }) => isIts(metadata.name ?? ""));
        const image = fleet?.set.spec.template.spec.imageRef?.name;
        return !now.has(uid) && on.has(uid) && image !== undefined && spec.imageRef?.name === image;
      });
      before = new Map(now);
      return gone === undefined ? undefined : `${gone[1].metadata.name}, with image ${gone[1].spec.imageRef?.name}`;
    };
  },
};

export const fleetSafety: readonly Safety<Hosting>[] = [...safety, fewDown, noneReplaced];

/** Who has no id looks for a machine of its name before it makes one. */
export const lookedForFirst: Guard<Hosting> = {
  name: "a machine is looked for before it is made",
  breaks: oneEach.name,
  only: ["P38"],
  without({ clock, random, backend: { host } }) {
    const next: typeof decide = (world) => decide({ ...world, heard: { ...world.heard, listed: [] } });
    return [virtualMachines({ senses: sensesOf(clock, random, host), workers: 10, next })];
  },
};

/** Only a machine that is known to be down is replaced without budget: of one that cannot be asked nobody knows. */
export const knownToBeDown: Guard<Hosting> = {
  name: "a machine of which nothing is known is taken to run",
  breaks: fewDown.name,
  only: ["P36"],
  without({ clock, random, backend: { host } }) {
    const planned: typeof plan = ({ members, ...world }, update) =>
      plan(
        { ...world, members: members.map((it) => (it.state === "unknown" ? { ...it, state: "down" } : it)) },
        update,
      );
    return [vmSets({ planned }), virtualMachines({ senses: sensesOf(clock, random, host), workers: 10 })];
  },
};
