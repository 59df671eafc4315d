// A failure that stays until a person acts (11), and a timeout that ends by itself under the other policy (9.5). Pure.
import type { Condition } from "@telltale/kinds";
import { failureState, findCondition } from "@telltale/status";
import { annotations } from "./names.ts";

/** What a timeout does: `terminal` stops everything until a reset, `degraded` is over when what was waited for arrives. */
export type TimeoutPolicy = "terminal" | "degraded";

/** What is remembered of a failure. */
export type Standing =
  | { readonly is: "well" }
  | { readonly is: "failed"; readonly token: string; readonly message: string } // nothing is done but looking
  | { readonly is: "overdue"; readonly token: string; readonly message: string }; // said, and gone on with

export interface Verdict {
  readonly standing: Standing;
  /** A person asked to begin anew: what is remembered is forgotten, and clocks restart. */
  readonly isReset: boolean;
  /** What `status.lastResetToken` becomes in every write. */
  readonly nextToken: string | undefined;
}

interface Failing {
  readonly metadata: { readonly generation?: number; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly failureReason?: string;
    readonly failureMessage?: string;
    readonly observedGeneration?: number;
    readonly lastResetToken?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** Tokens that a clock sets: what was waited for may still come. */
const timeouts = [
  "VPCReadyTimeout",
  "ControlPlaneTimeout",
  "WorkspaceReadyTimeout",
  "SecretTimeout",
  "InvalidEndpoint",
];
export const isTimeout = (token: string): boolean => timeouts.includes(token);

/** How an object stands. `type` is the condition that says that it failed. */
export function verdictOn({ metadata, status }: Failing, type: "VPCFailed" | "Failed"): Verdict {
  const standing = remembered(status, type);
  const { generation, annotations: notes } = metadata;
  const { resetNow, nextToken } = failureState(
    status,
    {
      ...(generation === undefined ? {} : { generation }),
      ...(notes === undefined ? {} : { annotations: notes }),
    },
    annotations.resetFailure,
    standing.is !== "well",
  );
  return { standing: resetNow ? { is: "well" } : standing, isReset: resetNow, nextToken };
}

function remembered(status: Failing["status"], type: string): Standing {
  const { failureReason, failureMessage, conditions } = status ?? {};
  if (failureReason !== undefined || failureMessage !== undefined) {
    return { is: "failed", token: failureReason ?? "", message: failureMessage ?? "" };
  }
  const said = findCondition(conditions, type);
  if (said?.status !== "True" || !isTimeout(said.reason)) return { is: "well" };
  return { is: "overdue", token: said.reason, message: said.message };
}
