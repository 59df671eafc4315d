// The request whose result is not stored yet (2.9), and how long it may have been on its way.
import type { KubeObject, Ms } from "@telltale/kinds";
import { type EffectRecord, type Look, recordOf } from "@telltale/runtime";
import { annotations } from "./names.ts";

export interface Recorded {
  readonly record: EffectRecord | undefined;
  /** How old it is at least: whoever wrote it may have had another clock. */
  readonly recordAge: Ms;
}

export function recorded(object: KubeObject, look: Pick<Look, "recordAge">): Recorded {
  const record = recordOf(object, annotations.pendingOp);
  return { record, recordAge: record === undefined ? 0 : look.recordAge(record) };
}
