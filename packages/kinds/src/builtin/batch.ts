// The kinds of `batch/v1`.
import type * as batch from "kubernetes-types/batch/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "batch", version: "v1" };

export const CronJob = builtin<batch.CronJob>()({
  ...v1,
  kind: "CronJob",
  shortNames: ["cj"],
  categories: ["all"],
  status: true,
});
export type CronJob = batch.CronJob;

export const Job = builtin<batch.Job>()({ ...v1, kind: "Job", categories: ["all"], status: true });
export type Job = batch.Job;
