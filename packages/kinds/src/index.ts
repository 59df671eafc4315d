export { builtin } from "./builtin-kind.ts";
export { age, type Column, type ColumnType, column, conditionColumn, type ScalePaths, wide } from "./columns.ts";
export * from "./conditions.ts";
export { type ConversionWebhook, type CrdOptions, toCrd } from "./crd.ts";
export { applyDefaults } from "./defaults.ts";
export { DeclarationError } from "./errors.ts";
export {
  bugReason,
  type FailureClass,
  type FailureEffect,
  type FailureTable,
  failureClasses,
  standardFailures,
} from "./failures.ts";
export { referencesOf, troublesOf } from "./guide.ts";
export { evaluate, type JsonPath, parsePath, type Step } from "./jsonpath.ts";
export {
  type ConditionsOf,
  defineKind,
  type GuardOf,
  type Kind,
  type KindDeclaration,
  type KindObject,
  type PhaseOf,
  type SpecOf,
  type StatusFields,
  type StatusOf,
} from "./kind.ts";
export { markdownTable } from "./markdown.ts";
export { type FitOptions, findMisfit, type Misfit, misfit } from "./misfit.ts";
export {
  type Condition,
  type ConditionStatus,
  deepFreeze,
  type KindRef,
  type KubeObject,
  type Naming,
  type ObjectMeta,
  type Resource,
  type Scope,
} from "./object.ts";
export {
  type Finality,
  type GuardedArrow,
  type PhaseOptions,
  type Phases,
  phases,
  reachablePhases,
  refuseMove,
  when,
} from "./phases.ts";
export { type Amounts, amountsIn, growth, only, quantityOf, sum, written } from "./quota/amounts.ts";
export { type PodResources, podResources } from "./quota/pod-resources.ts";
export { inScopes } from "./quota/scopes.ts";
export {
  canGrow,
  type GroupResource,
  isIgnored,
  namesCounted,
  overdueAt,
  resourcesCounted,
  unspecified,
  usageOf,
} from "./quota/usage.ts";
export { referenceOf } from "./reference.ts";
export * from "./schema.ts";
export { reasonPattern, typePattern, unobserved } from "./status-schema.ts";
export { type Structural, schemaAt, structuralOf } from "./structural.ts";
export { canonicalJson, deepEqual, fnv1a32, safeEncode, sha256Hex } from "./values/canonical.ts";
export { type Cron, nextRun, parseCron, previousRun } from "./values/cron.ts";
export { formatGoDuration, parseGoDuration, parseSpan } from "./values/duration.ts";
export { grants } from "./values/grant.ts";
export { resolveIntOrPercent } from "./values/int-or-string.ts";
export {
  formatSelector,
  type LabelSelector,
  matchesRequirements,
  matchesSelector,
  parseLabelSelector,
  type Requirement,
} from "./values/label-selector.ts";
export { boundedName, isDnsLabel, isDnsSubdomain, isQualifiedName } from "./values/names.ts";
export {
  compareQuantity,
  formatQuantity,
  isQuantity,
  parseQuantity,
  type Quantity as ParsedQuantity,
  type QuantityFormat,
  quantityToBytes,
  toMebibytes,
  toNumber,
} from "./values/quantity.ts";
export { formatMicroTime, formatTime, type Instant, instant, type Ms, parseTime, plus } from "./values/time.ts";
export { compareApiVersions, compareVersions } from "./values/version.ts";
export { convert, type Version, type VersionedObject, version } from "./versions.ts";
