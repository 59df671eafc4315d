// Conditions that several kinds have, with their reasons, and how conditions are written (2.2, 5).
import { age, conditionColumn } from "@telltale/kinds";
import { because } from "../meanings.ts";
import { bindcarReasons } from "../reasons.ts";

/** Five fields, keyed by type; `Ready` first, then children by number, then what others wrote. */
export const written = { shape: "plain", max: 512, maxMessage: 1024, default: [] } as const;

/** What may be wrong with a pod, and so with the instance that it is of. */
export const podTrouble = because(["False"], ["Progressing", "PodsPending", "PodsCrashing", ...bindcarReasons]);
/** What keeps an instance from being made or from getting on, beside its pods. */
export const instanceTrouble = because(
  ["False"],
  ["PartiallyReady", "NoChildren", "FailedCreate", "ProgressDeadlineExceeded", "ConfigurationInvalid"],
);
/** The state of a pod on a node that is lost is unknown, and that of one whose Bindcar has not answered. */
export const notReady = {
  ...because(["False", "Unknown"], ["NotReady"]),
  ...because(["Unknown"], ["NotProbed"]),
};

export const ready = () => conditionColumn("Ready", "Ready");
/** Shown with `-o wide`. */
export const reason = () => ({ ...conditionColumn("Reason", "Ready", "reason"), priority: 1 });
/** The last columns of every kind. */
export const tail = () => [reason(), age()];
