// What a pass does for a CaptMachine: its apply, and the id that Cluster API knows the machine by. Pure.
import { canonicalJson } from "@telltale/kinds";
import { shownText } from "../../chain.ts";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import type { WorkspaceTemplateApply } from "../../kinds/workspace-template-apply.ts";
import { inherited } from "../gate.ts";
import { applyPlace, templatePlace, type World } from "./world.ts";

export interface Plan {
  readonly apply?: Pick<WorkspaceTemplateApply, "metadata" | "spec">;
  /** To be set, once. */
  readonly providerID?: string;
}

export function plan({ it, chain, hasTemplate, trouble }: World): Plan {
  if (trouble !== undefined) return {};
  const isMade = chain.apply !== undefined || hasTemplate;
  const found = chain.class === "Available" ? shownText(chain, "provider_id") : undefined;
  const isNew = (it.spec.providerID ?? "") === "" && found !== undefined;
  return {
    ...(chain.isForeign || !isMade ? {} : { apply: applyFor(it) }),
    ...(isNew ? { providerID: found } : {}),
  };
}

export function applyFor(it: CaptMachine): Pick<WorkspaceTemplateApply, "metadata" | "spec"> {
  const { instanceType, nodeGroupRef, labels, tags } = it.spec;
  return {
    metadata: { ...applyPlace(it), labels: inherited(it) },
    spec: {
      templateRef: templatePlace(it),
      variables: {
        instance_type: instanceType,
        node_group: nodeGroupRef.name,
        labels: canonicalJson(labels ?? {}),
        tags: canonicalJson(tags ?? {}),
      },
    },
  };
}
