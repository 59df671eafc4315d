// Which trees a person asks for who names none: custom resources, and what runs pods. Pure.
import { isBuiltIn } from "../view/fold.ts";
import type { TreeNode } from "./forest.ts";

const workloads = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"]);

export const isShown = ({ apiVersion, kind }: TreeNode): boolean => !isBuiltIn(apiVersion) || workloads.has(kind);
