// What must hold at every moment for names, zones and servers, by what the nameservers answer; and the rule without which it would not.
import type { Condition, Instant, KubeObject, Ms, Resource } from "@telltale/kinds";
import type { Controller } from "@telltale/runtime";
import type { Around, Guard, Look, Safety, Watched } from "@telltale/simulation";
import type { World } from "../src/instance/world.ts";
import { ARecord, Bind9Cluster, Bind9Instance, DNSZone } from "../src/kinds/index.ts";
import type { SimulatedMachines } from "./machines.ts";

type On = Watched<SimulatedMachines>;

const isGoing = ({ metadata }: KubeObject): boolean => metadata?.deletionTimestamp !== undefined;

interface Name {
  readonly record: Resource<typeof ARecord>;
  readonly fqdn: string;
  readonly addresses: readonly string[];
}

/** The names of records whose zone and cluster are there to stay. */
function namesOf(look: Look): readonly Name[] {
  const clusters = look.list(Bind9Cluster).filter((it) => !isGoing(it));
  const zones = look
    .list(DNSZone)
    .filter((it) => !isGoing(it) && clusters.some(({ metadata }) => metadata.name === it.spec.clusterRef));
  return look.list(ARecord).flatMap((record) => {
    const { name, ipv4Addresses = [] } = record.spec;
    const zone = isGoing(record) ? undefined : zones.find((it) => selects(it, record));
    return zone === undefined ? [] : [{ record, fqdn: `${name}.${zone.spec.zoneName}.`, addresses: ipv4Addresses }];
  });
}

const selects = ({ spec }: DNSZone, { metadata }: Resource<typeof ARecord>): boolean =>
  spec.recordsFrom?.some(({ selector }) =>
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => metadata.labels?.[key] === value),
  ) ?? false;

const isAnswer = (said: string): boolean => !["REFUSED", "SERVFAIL", "NXDOMAIN", ""].includes(said);

/** Who takes away definitions, namespaces, owners or servers takes the answers with them. */
const takers = ["P18", "P22", "P26", "P27", "P28", "P30", "P31", "P33", "P34"];

const answered: Safety<SimulatedMachines> = {
  name: "a name that was answered once is always answered",
  except: takers,
  watch({ backend, look }: On) {
    let known: ReadonlySet<string> = new Set();
    return () => {
      const said = namesOf(look).map(({ fqdn, record }) => ({
        fqdn,
        uid: record.metadata.uid ?? "",
        is: backend.answers(fqdn, "A").some(isAnswer),
      }));
      const lost = said.find(({ uid, is }) => !is && known.has(uid));
      known = new Set(said.filter(({ uid, is }) => is || known.has(uid)).map(({ uid }) => uid));
      return lost === undefined ? undefined : `no server knows ${lost.fqdn}`;
    };
  },
};

const isReady = (object: KubeObject): boolean => {
  const { metadata, status } = object as KubeObject & {
    readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
  };
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" && status?.observedGeneration === metadata?.generation;
};

/** As old as what a zone is on its servers may be (docs/observations.md). */
const promisedAge: Ms = 305_000;

const readyIsServed: Safety<SimulatedMachines> = {
  name: "what is said to be Ready is answered as it says, or was until 305 seconds ago",
  watch({ backend, look, now, undisturbedFor }: On) {
    const wrong = new Map<string, Instant>();
    return () => {
      for (const { record, fqdn, addresses } of namesOf(look)) {
        const uid = record.metadata.uid ?? "";
        const right = [...addresses].sort().join(" ");
        const isServed = backend.answers(fqdn, "A").some((said) => said.split(" ").sort().join(" ") === right);
        if (isServed || !isReady(record)) {
          wrong.delete(uid);
          continue;
        }
        const since = wrong.get(uid) ?? now();
        wrong.set(uid, since);
        if (Math.min(now() - since, undisturbedFor()) > promisedAge)
          return `${record.metadata.name} is said to be Ready, and no server says ${right} for ${fqdn}`;
      }
      return undefined;
    };
  },
};

/** Which it made itself, and its spec asks for. */
const noneRemoved: Safety<SimulatedMachines> = {
  name: "no server is removed that its cluster asks for",
  // P13: somebody else removes one, to make it again.
  except: ["P13", ...takers],
  watch({ look }: On) {
    let before: readonly Bind9Instance[] = [];
    return () => {
      const now = look.list(Bind9Instance);
      const standing = new Set(now.filter((it) => !isGoing(it)).map(({ metadata }) => metadata.uid));
      const clusters = look.list(Bind9Cluster).filter((it) => !isGoing(it));
      const isWanted = ({ metadata: { name = "" }, spec: { clusterRef, role } }: Bind9Instance) => {
        const cluster = clusters.find((it) => it.metadata.name === clusterRef);
        const ordinal = Number(name.split("-").at(-1));
        return cluster !== undefined && ordinal < (cluster.spec[role]?.replicas ?? 0);
      };
      const gone = before.find((it) => !isGoing(it) && !standing.has(it.metadata.uid) && isWanted(it));
      before = now;
      return gone === undefined ? undefined : gone.metadata.name;
    };
  },
};

/** Of every simulation of nameservers. */
export const safety: readonly Safety<SimulatedMachines>[] = [answered, readyIsServed, noneRemoved];

/** Where nothing else stops any: one server of a cluster is replaced at a time, and the next one when that one answers. */
export const fewDown: Safety<SimulatedMachines> = {
  name: "never more than one server that does not answer",
  watch({ backend, look }: On) {
    let most = 0;
    return () => {
      const [first] = namesOf(look);
      if (first === undefined) return undefined;
      const answers = backend.answers(first.fqdn, "A").filter(isAnswer).length;
      most = Math.max(most, answers);
      return answers < most - 1 ? `${answers} of ${most} answer for ${first.fqdn}` : undefined;
    };
  },
};

/** A server waits until the others of its cluster have come back before it is replaced. */
export const waitsForOthers = (
  operator: (around: Around<SimulatedMachines>) => readonly Controller[],
): Guard<SimulatedMachines> => ({
  name: "one server of a cluster is replaced at a time",
  breaks: fewDown.name,
  only: ["P36"],
  without: (around) =>
    operator(around).map((it) => {
      const { observe } = it.steps;
      if (it.kind !== Bind9Instance) return it;
      // Who is on the way out is waited for by nobody.
      const alone: typeof observe = async (object, look) => {
        const world = (await observe(object, look)) as World;
        const siblings = world.siblings.map(({ instance, deployment }) => ({
          instance: { ...instance, metadata: { ...instance.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
          deployment,
        }));
        return { ...world, siblings };
      };
      return { ...it, steps: { ...it.steps, observe: alone } };
    }),
});
