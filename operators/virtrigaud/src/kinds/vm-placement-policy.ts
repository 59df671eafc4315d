// VMPlacementPolicy: where machines may go. This is everything that it can say of itself (3.5).
import {
  age,
  column,
  conditions,
  Dictionary,
  defineKind,
  Enum,
  Fields,
  Flag,
  List,
  neutral,
  no,
  Optional,
  positive,
  type Resource,
  type Static,
  Text,
  Time,
  yes,
} from "@telltale/kinds";
import { group, version } from "../names.ts";
import { keepsPhase } from "./failures.ts";
import { count, duration, LocalRef } from "./fields.ts";
import { invalid, reconcileFailed, unanswered, valid } from "./reasons.ts";
import { VMPlacementPolicySpec } from "./vm-placement-policy-spec.ts";

const texts = (maxItems: number) => Optional(List(Text({ maxLength: 1024 }), { maxItems }));

const validationResult = Fields({
  valid: Flag(),
  message: Optional(Text()),
  errors: texts(20),
  warnings: texts(20),
  supportedFeatures: texts(50),
  unsupportedFeatures: texts(50),
  lastValidated: Optional(Time()),
});
export type PolicyValidationResult = Static<typeof validationResult>;

const conflict = Fields({
  policyName: Text({ maxLength: 253 }),
  conflictType: Enum(["hard", "soft", "resource", "security", "affinity"]),
  severity: Optional(Enum(["low", "medium", "high", "critical"])),
  description: Optional(Text({ maxLength: 1024 })),
  resolutionSuggestion: Optional(Text({ maxLength: 1024 })),
});
export type PolicyConflict = Static<typeof conflict>;

const placementStats = Fields({
  totalPlacements: Optional(count()),
  successfulPlacements: Optional(count()),
  failedPlacements: Optional(count()),
  constraintViolations: Optional(count()),
  averagePlacementTime: duration(),
  lastPlacementTime: Optional(Time()),
  placementDistribution: Optional(
    Dictionary(count(), {
      maxProperties: 1000,
      description: "Placements by `host:` or `cluster:`; names beyond the first 999 are counted under `other`",
    }),
  ),
});
export type PlacementStatistics = Static<typeof placementStats>;

const unsupported = {
  Unsupported: no(
    "A type of provider in use cannot keep a hard rule",
    "read status.validationResults; make the rule soft, or use another provider",
  ),
} as const;
const apart = "raise spec.priority of one of the two, or make their lists disjoint";

export const VMPlacementPolicy = defineKind({
  group,
  version,
  kind: "VMPlacementPolicy",
  plural: "vmplacementpolicies",
  shortNames: ["vmpp"],
  description: "Where machines may go.",
  spec: VMPlacementPolicySpec,
  status: Fields({
    usedByVMs: List(LocalRef, { maxItems: 1000 }),
    validationResults: Dictionary(validationResult, { maxProperties: 64, description: "By type of provider" }),
    placementStats,
    conflictingPolicies: List(conflict, { maxItems: 50 }),
  }),
  conditions: conditions({
    Ready: positive({
      means: "It can be kept, and a Provider that it is for answers",
      reasons: {
        ...valid,
        ...invalid,
        ...unsupported,
        ...unanswered,
        Conflicts: no("It cannot be kept together with another policy", `read status.conflictingPolicies; ${apart}`),
        ...reconcileFailed,
      },
    }),
    Validated: positive({ means: "The spec keeps the rules", present: "onceSet", reasons: { ...valid, ...invalid } }),
    Conflicts: neutral({
      means: "Another policy of the namespace contradicts it",
      present: "onceSet",
      reasons: {
        Conflicts: yes("One does", `read status.conflictingPolicies; ${apart}`),
        NoConflicts: no("None does", "nothing to do"),
      },
    }),
    Supported: positive({
      means: "Every type of provider in use can keep its hard rules, and a Provider answers",
      present: "onceSet",
      reasons: { ...valid, ...unsupported, ...unanswered },
    }),
  }),
  memory: ["validationResults", "placementStats", "observedGeneration"],
  failures: keepsPhase,
  maxStatusBytes: 512 * 1024,
  columns: [
    column("Used By VMs", ".status.usedByVMs[*].name"),
    column("Priority", ".spec.priority", "integer"),
    column("Successful", ".status.placementStats.successfulPlacements", "integer"),
    column("Failed", ".status.placementStats.failedPlacements", "integer"),
    age(),
  ],
});
export type { VMPlacementPolicySpec } from "./vm-placement-policy-spec.ts";
export type VMPlacementPolicy = Resource<typeof VMPlacementPolicy>;
export type VMPlacementPolicyStatus = NonNullable<VMPlacementPolicy["status"]>;
