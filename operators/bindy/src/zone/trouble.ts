// What is said of a server that a zone cannot be brought to.
import type { SafeText } from "@telltale/status";
import { isSilent, saysOf, type UpdateTrouble } from "../dns-update/outcome.ts";
import { meaningOf } from "../http-errors.ts";
import {
  type BindcarReason,
  REASON_BINDCAR_NOT_IMPLEMENTED,
  REASON_BINDCAR_UNREACHABLE,
  REASON_RNDC_AUTHENTICATION_FAILED,
  REASON_ZONE_NOT_FOUND,
  type UnansweredReason,
} from "../reasons.ts";
import type { ServerTrouble } from "./primaries.ts";

export interface Said<R> {
  readonly reason: R;
  readonly message: SafeText;
}

/** It has said no. Of Bindcar's answer it depends on the question whether it did. */
export const isRefusal = (trouble: ServerTrouble): boolean =>
  trouble.at === "answered" || (trouble.at === "update" && !isSilent(trouble));

/** Of a server that refused: `Differs` where it has something else for that. */
export const refusalIn = (trouble: ServerTrouble, zone: string): Said<BindcarReason | "Differs"> =>
  trouble.at === "update"
    ? { reason: reasonOf(trouble), message: saysOf(trouble, zone) }
    : meaningOf({ trouble, zone });

/** Of a server of which it is not known what it has. One that has said what it lacks, or has instead, is none of these. */
export function meaningIn(trouble: ServerTrouble, zone: string): Said<UnansweredReason> {
  const { reason, message } = refusalIn(trouble, zone);
  const isKnown = reason === "Differs" || reason === REASON_ZONE_NOT_FOUND;
  return { reason: isKnown ? REASON_BINDCAR_UNREACHABLE : reason, message };
}

function reasonOf(trouble: UpdateTrouble): BindcarReason | "Differs" {
  if (isSilent(trouble)) return REASON_BINDCAR_UNREACHABLE;
  switch (trouble.why) {
    case "no key":
      return REASON_BINDCAR_NOT_IMPLEMENTED;
    case "key refused":
      return REASON_RNDC_AUTHENTICATION_FAILED;
    case "not authoritative":
      return REASON_ZONE_NOT_FOUND;
    default:
      return "Differs";
  }
}
