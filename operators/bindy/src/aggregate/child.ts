// What a cluster says of one of its instances: copied from the instance's own word (7.4). Pure.
import type { ConditionStatus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { childInstanceSays as says } from "../messages.ts";
import {
  bindcarReasons,
  REASON_ALL_READY,
  REASON_CONFIGURATION_INVALID,
  REASON_FAILED_CREATE,
  REASON_NO_CHILDREN,
  REASON_NOT_PROBED,
  REASON_PARTIALLY_READY,
  REASON_PODS_CRASHING,
  REASON_PODS_PENDING,
  REASON_PROGRESS_DEADLINE_EXCEEDED,
  REASON_PROGRESSING,
  REASON_READY,
} from "../reasons.ts";
import type { ChildView } from "./child-view.ts";

export interface ChildSaid {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: SafeText;
}

export function childCondition(child: ChildView): ChildSaid {
  const { name, pods, ready, isLeaving, freshness, generation } = child;
  if (isLeaving) return progressing("False", says.beingDeleted(name));
  // Nothing is known of its newest spec.
  if (freshness === "stale") return progressing("Unknown", says.stale(name, pods, generation));
  if (ready === undefined) return progressing("False", says.progressing(name, pods));
  const { status, reason } = ready;
  if (reason === REASON_ALL_READY) return { status, reason: REASON_READY, message: says.ready(name, pods) };
  return { status, reason, message: messageOf(child, reason) };
}

const progressing = (status: ConditionStatus, message: SafeText): ChildSaid => ({
  status,
  reason: REASON_PROGRESSING,
  message,
});

function messageOf({ name, pods, phrase, ready, message = text`` }: ChildView, reason: string): SafeText {
  switch (reason) {
    case REASON_PARTIALLY_READY:
    case REASON_PROGRESSING:
      return says.progressing(name, pods);
    case REASON_PODS_PENDING:
      return says.pending(name, pods);
    case REASON_PODS_CRASHING:
      return says.crashing(name, pods);
    case REASON_NO_CHILDREN:
      return says.noPods(name);
    case REASON_PROGRESS_DEADLINE_EXCEEDED:
      return says.deadlineExceeded(name, pods);
    case REASON_NOT_PROBED:
      return says.notProbed(name, pods);
    case REASON_FAILED_CREATE:
      return says.failedCreate(name, pods, message);
    case REASON_CONFIGURATION_INVALID:
      return says.invalid(name);
    default:
      return isBindcar(reason) && phrase !== undefined
        ? says.bindcar(name, phrase, pods)
        : ready?.status === "Unknown"
          ? says.unknown(name, pods)
          : says.noneReady(name, pods);
  }
}

const isBindcar = (reason: string): boolean => bindcarReasons.some((it) => it === reason);
