export {
  type AccessAnswer,
  type AccessCheck,
  type AccessQuestion,
  type AdmissionInputs,
  type Denial,
  evaluateCondition,
  evaluateConditions,
  evaluatePolicy,
  type MatchCondition,
  type Verdict,
} from "./admission.ts";
export {
  Budget,
  type Compiled,
  type CompileErrors,
  compile,
  type Environment,
  isCompiled,
  loadCel,
  type Result,
} from "./engine.ts";
export { validateBinding, validateConditions, validatePolicy } from "./policy-validation.ts";
export { type CheckOptions, checkRules, type RuleResult } from "./rule-check.ts";
export { type CompiledRules, compileRules } from "./rules.ts";
export { type Type, typeName, typeOf } from "./types.ts";
export { type Value, view } from "./values.ts";
