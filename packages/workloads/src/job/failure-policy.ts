// What a Job's podFailurePolicy makes of a failed pod: the first rule that fits decides. Pure.
import type { Job, Pod } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";

type Policy = NonNullable<NonNullable<Job["spec"]>["podFailurePolicy"]>;
type Rule = Policy["rules"][number];
type OnExitCodes = NonNullable<Rule["onExitCodes"]>;
type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** What a failure means for its Job. */
export type Verdict =
  | { readonly is: "counted" } // towards backoffLimit
  | { readonly is: "ignored" } // as if it had not been
  | { readonly is: "index" } // its index has failed, whatever is left of its limit
  | { readonly is: "job"; readonly message: string }; // the Job has failed

const counted: Verdict = { is: "counted" };

export function judge(pod: Pod, { spec }: Job): Verdict {
  for (const [at, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const why = matching(pod, rule);
    if (why === undefined) continue;
    switch (rule.action) {
      case "Ignore":
        return { is: "ignored" };
      case "FailIndex":
        return { is: "index" };
      case "FailJob":
        return { is: "job", message: `${why} matching FailJob rule at index ${at}` };
      case "Count":
        return counted;
      default: // an action of a later version: this rule says nothing to us
    }
  }
  return counted;
}

/** Why the rule fits, in the words of Kubernetes. */
function matching(pod: Pod, { onExitCodes, onPodConditions }: Rule): string | undefined {
  const who = `${pod.metadata?.namespace ?? ""}/${nameOf(pod)}`;
  if (onExitCodes !== undefined) {
    const containers = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
    const found = containers.find((container) => exits(container, onExitCodes));
    const code = found?.state?.terminated?.exitCode;
    return found === undefined ? undefined : `Container ${found.name} for pod ${who} failed with exit code ${code}`;
  }
  const found = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && (pattern.status || "True") === status),
  );
  return found === undefined ? undefined : `Pod ${who} has condition ${found.type}`;
}

function exits({ name, state }: ContainerStatus, { containerName, operator, values }: OnExitCodes): boolean {
  const code = state?.terminated?.exitCode;
  if (code === undefined || code === 0) return false;
  if (containerName !== undefined && containerName !== name) return false;
  if (operator === "In") return values.includes(code);
  return operator === "NotIn" && !values.includes(code);
}
