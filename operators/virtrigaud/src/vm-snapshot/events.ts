// What happened to a snapshot, as Kubernetes Events (8.3).
import type { VMSnapshotStatus } from "../kinds/index.ts";
import type { SnapshotHands } from "./act.ts";
import type { World } from "./world.ts";

export function tell({ told, rest }: World, after: VMSnapshotStatus, hands: SnapshotHands): void {
  if (after.phase === told.phase || rest === undefined) return;
  if (after.phase === "Ready" && told.phase !== "Expired" && rest.is === "ready") {
    hands.event("Normal", "SnapshotReady", "Snapshot created successfully");
  }
  if (after.phase === "Failed") hands.event("Warning", "SnapshotFailed", after.message ?? "");
}
