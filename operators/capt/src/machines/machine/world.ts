// What a pass knows of one CaptMachine.
import type { Chain, Place } from "../../chain.ts";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import { machineApplyName } from "../../names.ts";

export interface World {
  readonly it: CaptMachine;
  readonly chain: Chain;
  readonly hasTemplate: boolean;
}

export const applyPlace = ({ metadata }: CaptMachine): Place => ({
  namespace: metadata.namespace ?? "",
  name: machineApplyName(metadata.name ?? ""),
});

export const templatePlace = ({ metadata, spec }: CaptMachine): Place => ({
  namespace: spec.workspaceTemplateRef.namespace ?? metadata.namespace ?? "",
  name: spec.workspaceTemplateRef.name,
});
