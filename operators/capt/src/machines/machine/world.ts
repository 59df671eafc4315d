// What a pass knows of one CaptMachine.
import type { Chain, Place } from "../../chain.ts";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import { machineApplyName } from "../../names.ts";
import type { Trouble } from "../../trouble.ts";

export interface World {
  readonly it: CaptMachine;
  readonly chain: Chain;
  readonly hasTemplate: boolean;
  /** A request failed: what stands below it is not known. */
  readonly trouble?: Trouble;
  /** And so it has for too long. */
  readonly isBlind?: boolean;
}

/** Whether it ran once. */
export const isProvisioned = ({ status }: CaptMachine): boolean => status?.initialization?.provisioned === true;

export const applyPlace = ({ metadata }: CaptMachine): Place => ({
  namespace: metadata.namespace ?? "",
  name: machineApplyName(metadata.name ?? ""),
});

export const templatePlace = ({ metadata, spec }: CaptMachine): Place => ({
  namespace: spec.workspaceTemplateRef.namespace ?? metadata.namespace ?? "",
  name: spec.workspaceTemplateRef.name,
});
