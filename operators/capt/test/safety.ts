// What must hold at every moment for Workspaces, by the runs that there are; and the rule without which it would not.
import type { Instant, KubeObject, Ms } from "@telltale/kinds";
import type { Guard, Look, Safety, Watched } from "@telltale/simulation";
import { findCondition } from "@telltale/status";
import { Workspace } from "../src/kinds/workspace.ts";
import { workspaceRunner } from "../src/runner/index.ts";
import { revisionOf } from "../src/runner/inputs.ts";
import type { Begun, Cloud } from "./cloud.ts";

type On = Watched<Cloud>;

/** Where the operator lives, and keeps the state of runs. */
export const home = "capt-system";

/** Says it of the runs that have begun since it was last asked. */
const ofEach =
  (found: (begun: Begun, look: Look) => string | undefined): Safety<Cloud>["watch"] =>
  ({ backend, look }: On) => {
    let seen = 0;
    return () => {
      const fresh = backend.begun.slice(seen);
      seen = backend.begun.length;
      return fresh.map((it) => found(it, look)).find((it) => it !== undefined);
    };
  };

const oneRun: Safety<Cloud> = {
  name: "one run of a Workspace at a time",
  watch: ofEach(({ order: { workspace, operation }, beside }) =>
    beside === 0 ? undefined : `${operation} of ${workspace.name} begins while another run goes on`,
  ),
};

const oneApply: Safety<Cloud> = {
  name: "what is made is not applied again",
  watch: ofEach(({ order: { workspace, operation, inputs, stored } }) => {
    const { revision } = JSON.parse(stored?.text ?? "{}") as { readonly revision?: unknown };
    return operation === "apply" && revision === revisionOf(inputs) ? `${workspace.name} is applied again` : undefined;
  }),
};

const noneDestroyed: Safety<Cloud> = {
  name: "nothing is destroyed that is asked for",
  // The server does not know of the deletion any more.
  except: ["P31"],
  watch: ofEach(({ order: { uid, operation, workspace } }, look) => {
    if (operation !== "destroy") return undefined;
    const asked = look.list(Workspace).find(({ metadata }) => metadata.uid === uid);
    return asked === undefined || asked.metadata.deletionTimestamp !== undefined ? undefined : workspace.name;
  }),
};

/** As old as the last good run may be (docs/observations.md). */
const promisedAge: Ms = 1_800_000;

const readyIsMade: Safety<Cloud> = {
  name: "what is said to be Ready was made, or was until half an hour ago",
  watch({ backend, look, now, undisturbedFor }: On) {
    const wrong = new Map<string, Instant>();
    return () => {
      for (const it of look.list(Workspace)) {
        const { uid = "", name } = (it as KubeObject).metadata ?? {};
        const isReady = findCondition(it.status?.conditions, "Ready")?.status === "True";
        if (!isReady || backend.has(uid)) {
          wrong.delete(uid);
          continue;
        }
        const since = wrong.get(uid) ?? now();
        wrong.set(uid, since);
        if (Math.min(now() - since, undisturbedFor()) > promisedAge)
          return `${name} is said to be Ready, and is not there`;
      }
      return undefined;
    };
  },
};

export const safety: readonly Safety<Cloud>[] = [oneRun, oneApply, noneDestroyed, readyIsMade];

/** A run outlives the process that began it: whoever comes next follows it to its end. */
export const followed: Guard<Cloud> = {
  name: "a run that an earlier process began is followed",
  breaks: oneRun.name,
  only: ["P1", "P2", "P35"],
  without: ({ clock, random, backend }) => {
    const engine = { ...backend.engine(), left: async () => undefined };
    return [workspaceRunner({ engine, clock, random, namespace: home }).controller];
  },
};
