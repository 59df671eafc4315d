// What a policy says of itself: whether it can be kept, by whom, against whom, and who uses it (3.5). Pure.
import { deepEqual, formatTime, type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { type Draft, names, type SafeText, text } from "@telltale/status";
import type {
  PolicyConflict,
  PolicyValidationResult,
  VMPlacementPolicy,
  VMPlacementPolicyStatus,
} from "../kinds/index.ts";
import { firstThree } from "../placement/words.ts";
import { silence } from "../reachable.ts";
import { conflictsOf } from "./conflicts.ts";
import { unkept, validated } from "./features.ts";
import { problemsOf } from "./semantics.ts";
import type { ProviderType, World } from "./world.ts";

type PolicyDraft = Draft<typeof VMPlacementPolicy>;
type Results = NonNullable<VMPlacementPolicyStatus["validationResults"]>;

const again: Ms = 600_000;
/** How long the time of a result that stays the same stands. */
const stands: Ms = 3_600_000;

export function status(world: World, draft: PolicyDraft, now: Instant): void {
  const { policy, users, types } = world;
  const problems = problemsOf(policy.spec, users);
  const lacking = types.flatMap((type) => unkept(policy.spec, type).map((path) => ({ type, path })));
  const conflicts = conflictsOf(world);
  draft
    .set({
      usedByVMs: users.slice(0, most).map(({ vm }) => ({ name: vm.metadata.name ?? "" })),
      conflictingPolicies: conflicts,
      validationResults: resultsOf(world, draft, now),
    })
    .wake(plus(now, again));
  validity(problems, draft);
  const unheard =
    types.length === 0
      ? ({ reason: "NoProviders", message: text`there is no Provider` } as const)
      : silence(world.providers);
  support(types, lacking, unheard, draft);
  disagreement(conflicts, draft);
  readiness(problems, lacking, conflicts, unheard, draft);
}

const most = 1_000;

interface Lack {
  readonly type: ProviderType;
  readonly path: string;
}

function validity(problems: readonly SafeText[], draft: PolicyDraft): void {
  if (problems.length === 0) draft.condition("Validated", true, "Valid", "the spec keeps the rules");
  else draft.condition("Validated", false, "Invalid", firstThree(problems));
}

/** Why nobody knows whether it can be kept. */
type Unheard = ReturnType<typeof silence> | { readonly reason: "NoProviders"; readonly message: SafeText };

function support(types: readonly ProviderType[], lacking: readonly Lack[], unheard: Unheard, draft: PolicyDraft): void {
  if (lacking.length > 0) return void draft.condition("Supported", false, "Unsupported", lacks(lacking));
  if (unheard !== undefined) draft.condition("Supported", "Unknown", unheard.reason, unheard.message);
  else draft.condition("Supported", true, "Valid", text`${names(types)} can keep every hard rule`);
}

const lacks = (lacking: readonly Lack[]): SafeText =>
  firstThree(lacking.map(({ type, path }) => text`${type} cannot keep ${path}`));

function disagreement(conflicts: readonly PolicyConflict[], draft: PolicyDraft): void {
  if (conflicts.length === 0) draft.condition("Conflicts", false, "NoConflicts", "no other policy contradicts it");
  else draft.condition("Conflicts", true, "Conflicts", text`it contradicts ${others(conflicts)}`);
}

const others = (conflicts: readonly PolicyConflict[]): SafeText =>
  names([...new Set(conflicts.map(({ policyName }) => policyName))]);

function readiness(
  problems: readonly SafeText[],
  lacking: readonly Lack[],
  conflicts: readonly PolicyConflict[],
  unheard: Unheard,
  draft: PolicyDraft,
): void {
  const worst = conflicts.filter(({ severity }) => severity === "critical");
  if (problems.length > 0) draft.condition("Ready", false, "Invalid", firstThree(problems));
  else if (lacking.length > 0) draft.condition("Ready", false, "Unsupported", lacks(lacking));
  else if (worst.length > 0) {
    draft.condition("Ready", false, "Conflicts", text`it cannot be kept together with ${others(worst)}`);
  } else if (unheard !== undefined) draft.condition("Ready", "Unknown", unheard.reason, unheard.message);
  else draft.condition("Ready", true, "Valid", "Placement policy is valid and ready");
}

function resultsOf({ policy, types }: World, draft: PolicyDraft, now: Instant): Results {
  // What this controller has written there.
  const before = (draft.memory("validationResults") ?? {}) as Results;
  return Object.fromEntries(types.map((type) => [type, timed(validated(policy.spec, type), before[type], now)]));
}

/** The time moves with what is said, and once an hour. */
function timed(
  result: Omit<PolicyValidationResult, "lastValidated">,
  before: PolicyValidationResult | undefined,
  now: Instant,
): PolicyValidationResult {
  const { lastValidated, ...said } = before ?? { valid: false };
  const since = parseTime(lastValidated);
  const isFresh = since !== undefined && now - since < stands && deepEqual(said, result);
  return isFresh && before !== undefined ? before : { ...result, lastValidated: formatTime(now) };
}
