// What a Provider says of itself beside its conditions (3.2): its process, what it can do, what is used.
import { Enum, Fields, Flag, Int32, List, Optional, type Static, Text, Time } from "@telltale/kinds";
import { LocalObjectReference } from "@telltale/kinds/core";
import { bytes, count, percentage, unused } from "./fields.ts";

export const runtimePhases = ["Pending", "Starting", "Running", "Stopping", "Failed"] as const;
export type RuntimePhase = (typeof runtimePhases)[number];

export const providerCapabilities = [
  "VirtualMachines",
  "Snapshots",
  "Cloning",
  "LiveMigration",
  "ConsoleAccess",
  "DiskManagement",
  "NetworkManagement",
  "GPUPassthrough",
  "HighAvailability",
  "Backup",
  "Templates",
] as const;
export type ProviderCapability = (typeof providerCapabilities)[number];

const runtimeStatus = Fields({
  mode: Optional(Enum(["Remote"])),
  endpoint: Optional(Text({ maxLength: 512, description: "host:port of the provider" })),
  serviceRef: Optional(LocalObjectReference()),
  phase: Optional(
    Enum(runtimePhases, {
      description: [
        "Where the process of the provider stands, in one word.",
        "Pending: its objects are not made yet",
        "Starting: its Deployment has no ready pod",
        "Running: at least one pod is ready, or the external endpoint answers",
        "Stopping: it is on its way out",
        "Failed: the configuration cannot work, or the Deployment gave up",
      ].join("\n"),
    }),
  ),
  message: Optional(Text()),
  readyReplicas: Optional(Int32({ minimum: 0, description: "Absent: its Deployment has not been reported on" })),
  availableReplicas: Optional(count()),
});

const names = () => Optional(List(Text({ maxLength: 253 }), { maxItems: 64 }));
const can = () => Optional(Flag());

const reported = Fields({
  supportedDiskTypes: names(),
  supportedExportBackends: names(),
  supportedExportFormats: names(),
  supportedImportBackends: names(),
  supportedImportFormats: names(),
  supportedNetworkTypes: names(),
  supportedTransferModes: names(),
  supportsDiskExpansionOnline: can(),
  supportsDiskExport: can(),
  supportsDiskImport: can(),
  supportsExportCompression: can(),
  supportsImageImport: can(),
  supportsLinkedClones: can(),
  supportsMemorySnapshots: can(),
  supportsReconfigureOnline: can(),
  supportsSnapshots: can(),
});

const usage = (unit: string) =>
  Optional(
    Fields(
      {
        total: Optional(bytes()),
        used: Optional(bytes()),
        available: Optional(bytes()),
        usagePercent: Optional(percentage()),
      },
      { description: `In ${unit}` },
    ),
  );
const counted = () => Optional(bytes());

const resourceUsage = Fields({
  cpu: usage("virtual CPUs"),
  memory: usage("bytes"),
  storage: usage("bytes"),
  network: unused(
    Optional(
      Fields({
        bytesReceived: counted(),
        bytesSent: counted(),
        packetsReceived: counted(),
        packetsSent: counted(),
      }),
    ),
    "it is never set, as no provider tells",
  ),
});

const adoption = Fields({
  discoveredVMs: Optional(count()),
  adoptedVMs: Optional(count()),
  failedAdoptions: Optional(count()),
  lastDiscoveryTime: Optional(Time()),
  message: Optional(Text()),
});

export const ProviderStatusFields = Fields({
  healthy: Flag(),
  lastHealthCheck: Time(),
  runtime: runtimeStatus,
  capabilities: List(Enum(providerCapabilities), { maxItems: providerCapabilities.length }),
  reportedCapabilities: reported,
  version: Text({ maxLength: 128, description: "As spec.runtime.image is tagged: the provider itself is not asked" }),
  connectedVMs: Int32({ minimum: 0, description: "Machines that exist on it" }),
  resourceUsage,
  adoption,
});
export type ReportedCapabilities = Static<typeof reported>;
export type ResourceUsage = Static<typeof resourceUsage>;
export type Adoption = Static<typeof adoption>;
