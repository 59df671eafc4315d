// The rules of status as an admission handler: whoever writes a status, what breaks a rule is refused (feature F6).
import type { Clock } from "@telltale/clock";
import { instant, type Kind, type KubeObject, type Ms } from "@telltale/kinds";
import { checkStep, type Known } from "@telltale/status";
import type { Problem, Verdict } from "./hooks.ts";
import type { AdmissionRequest } from "./request.ts";

export interface StatusRulesOptions {
  /**
   * The user name under which this operator writes. Conditions that the kind does not declare belong to somebody else, and
   * only the operator's own writes are held to leave them alone (rule 60): their owners write here too.
   */
  readonly writer?: string;
  /** What is known about a step besides what was stored: restarted clocks, and where progress shows. */
  readonly known?: (request: AdmissionRequest<KubeObject, "UPDATE">) => Pick<Known, "restamped" | "progress">;
}

/** A flip may keep its time only within this: a second flip in one second does, and writers' clocks differ from ours. */
const skew: Ms = 60_000;

export function statusRules(
  kind: Kind,
  clock: Clock,
  options: StatusRulesOptions,
): (request: AdmissionRequest<KubeObject, "UPDATE">) => Verdict {
  return (request) => {
    const known = { ...options.known?.(request), at: instant(clock.now() - skew) };
    const broken = checkStep(kind, request.oldObject, request.object, known).filter(
      ({ rule }) => rule !== 60 || request.user.username === options.writer,
    );
    const problems = broken.map(
      ({ rule, at, problem }): Problem => ({ field: `status.${at}`, message: `${problem} (status rule ${rule})` }),
    );
    return { denied: problems };
  };
}
