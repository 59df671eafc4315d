// Conditions as values: said by pure functions, and held to the vocabulary of their kind by the compiler.
import type { ConditionStatus, ConditionsOf, Kind, ReasonFor, SettableType } from "@telltale/kinds";
import type { NewCondition, SafeText } from "@telltale/status";

export type TypeOf<K extends Kind> = SettableType<ConditionsOf<K>>;
export type Said<K extends Kind, T extends TypeOf<K> = TypeOf<K>> = NewCondition<T>;

/** `const say = saying<typeof CAPTCluster>()`, then `say("VPCFailed", "False", "NotFailed", text...)`. */
export const saying =
  <K extends Kind>() =>
  <T extends TypeOf<K>, S extends ConditionStatus>(
    type: T,
    status: S,
    reason: ReasonFor<ConditionsOf<K>, T, S>,
    message: SafeText,
  ): NewCondition<T> => ({ type, status, reason, message });
