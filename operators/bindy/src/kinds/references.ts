// How objects of ours name each other in a status.
import { Enum, Fields, Nullable, Optional, Text, Time } from "@telltale/kinds";
import { bindcarReasons } from "../reasons.ts";

const objectName = () => Text({ maxLength: 253 });
const apiVersion = () => Text({ maxLength: 317 });
const namespace = () => Text({ maxLength: 63 });

/** Absent or null: not yet. */
export const lastReconciledAt = () => Optional(Nullable(Time()));

export const ClusterReference = Fields({
  apiVersion: apiVersion(),
  kind: Enum(["Bind9Cluster", "Bind9GlobalCluster"]),
  name: objectName(),
  namespace: Optional(namespace()),
});

const zone = {
  apiVersion: apiVersion(),
  kind: Enum(["DNSZone"]),
  name: objectName(),
  namespace: namespace(),
  zoneName: Text({ maxLength: 253 }),
} as const;

/** Of a record: when it was last published is its `lastUpdated`. */
export const SelectingZone = Fields(zone);

/** Two are equal when they differ in `lastReconciledAt` only. */
export const ZoneReference = Fields({ ...zone, lastReconciledAt: lastReconciledAt() });

export const RecordReference = Fields({
  apiVersion: apiVersion(),
  kind: Text({ maxLength: 63 }),
  name: objectName(),
  namespace: namespace(),
  recordName: Optional(Text({ maxLength: 253 })),
  lastReconciledAt: lastReconciledAt(),
});

/** How far a zone has got on one instance. */
export const InstanceReference = Fields({
  apiVersion: apiVersion(),
  kind: Text({ maxLength: 63 }),
  name: objectName(),
  namespace: namespace(),
  status: Enum(["Claimed", "Configured", "Failed", "Unclaimed", "Unknown"], {
    description: "Unknown: a server of it did not say what it has",
  }),
  reason: Optional(
    Enum([...bindcarReasons, "WaitingForPod", "WaitingForTransfer", "NotTransferred", "Differs", "StillThere"], {
      description: "Absent: Configured",
    }),
  ),
  lastReconciledAt: lastReconciledAt(),
  message: Optional(Text({ maxLength: 1024 })),
});
