// What a pass sees of one test: its resources, their pods, what the master says, and what became of making them.
import type { Job, Pod, Service } from "@telltale/kinds/builtin";
import { appliedGenerationAnnotation, appliedSpecHashAnnotation } from "../build/index.ts";
import type { Config, Role } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import type { TelemetryView } from "../telemetry/view.ts";
import type { Complaint } from "./pod-health.ts";

/** An object under the name that one of ours has. */
export type Found<T> =
  | { readonly is: "absent" }
  | { readonly is: "ours"; readonly object: T }
  | { readonly is: "leaving"; readonly object: T; readonly of: "this" | "earlier" } // whose: this test's, or one's of its name
  | { readonly is: "foreign"; readonly object: T };

export interface World {
  readonly test: LocustTest;
  readonly config: Config;
  readonly service: Found<Service>;
  readonly master: Found<Job>;
  readonly worker: Found<Job>;
  /** Jobs as they were when they were deleted, where that was seen. */
  readonly last: Readonly<Partial<Record<Role, Job>>>;
  readonly pods: Readonly<Record<Role, readonly Pod[]>>;
  /** Why pods cannot start, or a Job cannot create any, by its uid: from their newest Event. An empty one: no Event says it. */
  readonly complaints: ReadonlyMap<string, Complaint>;
  /** Why Events could not be read, where one was needed. */
  readonly unreadEvents?: string | undefined;
  /** Why the server's word on the test's objects could not be had. Then nothing else here is known. */
  readonly unread?: string;
  /** The newest one. */
  readonly masterPod: Pod | undefined;
  /** The newest master pod is another one than before. */
  readonly isMasterReplaced: boolean;
  readonly telemetry: TelemetryView;
  /** Rules that the spec breaks, in words. */
  readonly invalid: readonly string[];
  /** Of the spec as it is now. */
  readonly hash: string;
  readonly making: Making;
}

/** What became of making resources in this pass. */
export interface Making {
  readonly created: readonly Named[];
  /** A test that ran was begun again. */
  readonly isAgain?: boolean;
  /** Where it stopped. */
  readonly failure?: Named & { readonly cause: string; readonly isHopeless: boolean };
  /** A Job that must make no more load could not be stopped. */
  readonly isLeft?: boolean;
  /** What was not there when the pass began. */
  readonly missing: readonly Part[];
}

export type Part = "service" | Role;

export const parts: readonly Part[] = ["service", "master", "worker"];

export interface Named {
  readonly kind: "Service" | "Job";
  readonly name: string;
}

export const nothingMade: Making = { created: [], missing: [] };

export const objectOf = <T>(found: Found<T>): T | undefined => (found.is === "ours" ? found.object : undefined);

/** Not there, or not for long. */
export const isMissing = (found: Found<unknown>): boolean =>
  found.is === "absent" || (found.is === "leaving" && found.of === "this");

/** A Job that is gone, or that somebody deletes: as it was last seen. */
export function lastOf(world: Pick<World, Role | "last">, role: Role): Job | undefined {
  const found = world[role];
  return found.is === "leaving" && found.of === "this" ? found.object : world.last[role];
}

/** What all resources were made from, where all of them are there. */
export function madeFrom({ service, master, worker }: World): Made | undefined {
  const [first, ...others] = [objectOf(service), objectOf(master), objectOf(worker)].map(
    (it) => it?.metadata?.annotations,
  );
  const hash = first?.[appliedSpecHashAnnotation];
  const generation = first?.[appliedGenerationAnnotation];
  if (hash === undefined || others.some((it) => it?.[appliedSpecHashAnnotation] !== hash)) return undefined;
  return { hash, generation: Number(generation) };
}

export interface Made {
  readonly hash: string;
  readonly generation: number;
}
