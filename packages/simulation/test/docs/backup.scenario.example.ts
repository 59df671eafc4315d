import type { Scenario } from "@telltale/simulation";
import { Backup, backups } from "./backup.example.ts";

export const nightly: Scenario = {
  name: "nightly",
  kinds: [Backup],
  operator: () => [backups],
  apply: [{ apiVersion: Backup.apiVersion, kind: Backup.kind, metadata: { name: "nightly", namespace: "default" } }],
};
