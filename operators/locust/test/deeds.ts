// What people and others do to the test of a stage, each in one word.
import { formatTime } from "@telltale/kinds";
import { Job } from "@telltale/kinds/builtin";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { namespace, type Stage, type StageOptions, stage } from "./stage.ts";

export type Role = "master" | "worker";

export const demo = { name: "demo", namespace };
const jobOf = (role: Role) => ({ name: `demo-${role}`, namespace });

/** A test whose resources are made. */
export async function pending(options: StageOptions = {}): Promise<Stage> {
  const on = await stage(options);
  await on.make();
  return on;
}

/** A test whose workers and master run, and nobody has connected. */
export async function running(options: StageOptions = {}): Promise<Stage> {
  const on = await pending(options);
  on.tell({ connectedWorkers: 0, isLoaded: false });
  await on.job("worker", { active: 3, startTime: formatTime(on.clock.now()) });
  await on.job("master", { active: 1, startTime: formatTime(on.clock.now()) });
  return on;
}

/** The status of a Job, without a pass after it. */
export const put = (on: Stage, role: Role, status: NonNullable<Job["status"]>) =>
  on.client.status.patch(Job, jobOf(role), { merge: { status } });
export const remove = (on: Stage, role: Role) => on.client.delete(Job, jobOf(role), { propagation: "Background" });
/** From now on it does not go away when it is deleted. */
export const hold = (on: Stage, role: Role) =>
  on.client.patch(Job, jobOf(role), { merge: { metadata: { finalizers: ["example.test/hold"] } } });
export const release = (on: Stage, role: Role) =>
  on.client.patch(Job, jobOf(role), { merge: { metadata: { finalizers: null } } });
export const edit = (on: Stage, spec: object) => on.client.patch(LocustTest, demo, { merge: { spec } });
export const suspend = (on: Stage, is: boolean) =>
  on.client.patch(Job, jobOf("master"), { merge: { spec: { suspend: is } } });
export const stopped = async (on: Stage) =>
  (await on.jobs()).filter(({ spec }) => spec?.suspend === true).map(({ metadata }) => metadata?.name);

/** A worker whose image cannot be pulled. */
export function stickWorker(on: Stage): Promise<void> {
  const state = { waiting: { reason: "ImagePullBackOff" } };
  const container = { name: "demo-worker", image: "", imageID: "", ready: false, restartCount: 0, state };
  return on.pod("worker", "w1", { phase: "Pending", containerStatuses: [container] });
}
