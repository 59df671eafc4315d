// What must hold at every moment for tests, by their pods; and the rule without which it would not.
import type { Instant, KubeObject, Ms } from "@telltale/kinds";
import { Job, Pod } from "@telltale/kinds/builtin";
import type { Controller } from "@telltale/runtime";
import type { Around, Guard, Look, Safety, Watched } from "@telltale/simulation";
import { findCondition } from "@telltale/status";
import type { Config } from "../src/config.ts";
import { LocustTest, standardConfig } from "../src/index.ts";

const ownerOf = ({ metadata }: KubeObject): string | undefined =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;

/** The pods of masters, each with its test, where that is there to stay. */
function mastersOf(look: Look) {
  const tests = look.list(LocustTest).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const jobs = look.list(Job).filter(({ metadata }) => metadata?.name?.endsWith("-master") === true);
  const pods = look.list(Pod);
  return tests.map((test) => {
    const job = jobs.find((it) => ownerOf(it) === test.metadata.uid);
    return { test, job, pods: job === undefined ? [] : pods.filter((pod) => ownerOf(pod) === job.metadata?.uid) };
  });
}

const runs = ({ metadata, status }: Pod): boolean =>
  status?.phase === "Running" && metadata?.deletionTimestamp === undefined;

/** Who takes away a test, a Job, a pod or what defines them ends a run, or begins another. */
const takers = ["P13", "P18", "P22", "P26", "P27", "P28", "P30", "P31", "P33", "P34"];

const oneRun: Safety = {
  name: "one run for each test",
  // A test that was put back, or comes again, has not run; and a Job that somebody else makes again is a run of theirs.
  except: ["P13", "P18", "P26", "P27", "P28", "P31"],
  watch({ look }: Watched) {
    const begun = new Map<string, string>();
    return () => {
      for (const { test, job } of mastersOf(look)) {
        const { uid = "", name } = test.metadata;
        const now = job?.metadata?.uid;
        const before = begun.get(uid);
        const hasRun = test.status?.phase !== undefined && test.status.phase !== "Pending";
        if (hasRun && before !== undefined && now !== undefined && before !== now)
          return `another one begins for ${name}`;
        if (now !== undefined) begun.set(uid, now);
      }
      return undefined;
    };
  },
};

const noneStopped: Safety = {
  name: "no run that goes on is stopped",
  except: takers,
  watch({ look }: Watched) {
    let before: ReadonlySet<string> = new Set();
    return () => {
      const all = mastersOf(look);
      const stopped = all.find(({ job, pods }) => pods.some(runs) && job?.spec?.suspend === true);
      const gone = all.find(({ test, pods }) => before.has(test.metadata.uid ?? "") && pods.length === 0);
      before = new Set(all.filter(({ pods }) => pods.some(runs)).map(({ test }) => test.metadata.uid ?? ""));
      const found = stopped ?? gone;
      return found === undefined ? undefined : `that of ${found.test.metadata.name}`;
    };
  },
};

/** `Ready` rests on watches, and is at once what they tell (docs/observations.md): the time is that of a pass and a request. */
const promisedAge: Ms = 60_000;

const readyIsThere: Safety = {
  name: "what is said to be Ready has its pod, or had until a minute ago",
  watch({ look, now, undisturbedFor }: Watched) {
    const wrong = new Map<string, Instant>();
    return () => {
      for (const { test, pods } of mastersOf(look)) {
        const { uid = "", name } = test.metadata;
        const { conditions, phase } = test.status ?? {};
        const isSaid = findCondition(conditions, "Ready")?.status === "True" && phase === "Running";
        if (!isSaid || pods.length > 0) {
          wrong.delete(uid);
          continue;
        }
        const since = wrong.get(uid) ?? now();
        wrong.set(uid, since);
        if (Math.min(now() - since, undisturbedFor()) > promisedAge) return `${name} is said to be Ready without a pod`;
      }
      return undefined;
    };
  },
};

/** Of every simulation of tests. */
export const safety: readonly Safety[] = [oneRun, noneStopped, readyIsThere];

/** Whoever deletes the Job of a run ends the run. */
export const endsWithItsJob = <B>(
  operator: (around: Around<B>, config: Config) => readonly Controller[],
): Guard<B> => ({
  name: "a run whose Job is deleted is not begun again",
  breaks: oneRun.name,
  only: ["P30"],
  without: (around) => operator(around, { ...standardConfig, onJobDeleted: "Recreate" }),
});
