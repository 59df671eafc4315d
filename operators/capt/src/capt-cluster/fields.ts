// The fields of a CAPTCluster's status, beside its conditions. What a row does not speak of stays as it is stored. Pure.
import { shownOutput, textIn } from "../chain.ts";
import { formatEndpoint } from "../endpoint.ts";
import { domainsFrom, reshaped, shaped } from "../failure-domains.ts";
import type { CAPTCluster, CAPTClusterStatus, FailureDomains } from "../kinds/capt-cluster.ts";
import { failureFields } from "../provider/decide.ts";
import { revisionFields, revisionOf } from "../provider/words.ts";
import { type FieldsOf, present } from "../status-fields.ts";
import { existingVpcId } from "../validate/vpc-source.ts";
import { isCurrent } from "../workspace-class.ts";
import { type Made, verdictOf } from "./decide.ts";
import { endpointOf, hasEndpointStep } from "./endpoint-step.ts";
import type { Sketch } from "./sketch.ts";
import { applyNameOf, type World } from "./world.ts";

type Fields = FieldsOf<typeof CAPTCluster>;

export function fieldsOf(world: World, decision: Made): Fields {
  return { lastResetToken: verdictOf(world).nextToken, ...spoken(world, decision) };
}

function spoken(world: World, decision: Made): Fields {
  const { it } = world;
  const { seen } = decision;
  const vpcId = seen.vpcId === undefined ? {} : { vpcId: seen.vpcId };
  if (decision.is === "failed") return { ...vpcId, ...belowFields(world, seen) };
  const isKept = seen.row === "C1" || seen.row === "C2";
  return {
    ready: decision.is === "going" ? readyOf(seen, it.status?.ready ?? false) : false,
    ...(decision.is === "going" && seen.ready === true ? { initialization: { provisioned: true } } : {}),
    ...failureFields(decision),
    ...vpcId,
    ...(isKept ? {} : { ...belowFields(world, seen), failureDomains: domains(world, seen) }),
    ...(hasEndpointStep(seen.row) ? endpointFields(world) : {}),
  };
}

function readyOf({ ready }: Sketch, stored: boolean): boolean | undefined {
  if (ready === "unknown") return undefined;
  return ready === "keep" ? stored : ready;
}

/** What is said of the apply and its Workspace: nothing of a network that was there before. */
function belowFields(world: World, seen: Sketch): Fields {
  const { it, chain } = world;
  if (existingVpcId(it.spec) !== undefined || it.spec.vpcTemplateRef === undefined) {
    if (seen.row !== "C3") return {};
    return { vpcWorkspaceName: undefined, workspaceTemplateApplyName: undefined, workspaceTemplateStatus: undefined };
  }
  return {
    ...(chain.workspaceName === undefined ? {} : { vpcWorkspaceName: chain.workspaceName }),
    workspaceTemplateApplyName: applyNameOf(it),
    workspaceTemplateStatus: templateStatus(world),
  };
}

function templateStatus(world: World): CAPTClusterStatus["workspaceTemplateStatus"] {
  const { apply, workspace, workspaceName, class: is } = world.chain;
  const { lastAppliedRevision: before, lastAppliedTime } = world.it.status?.workspaceTemplateStatus ?? {};
  const isApplied = is === "Available" && workspace !== undefined && isCurrent(workspace);
  return present({
    ...revisionFields(world, isApplied ? (revisionOf(world.chain) ?? before) : before),
    workspaceName,
    lastAppliedTime: apply?.status?.lastAppliedTime ?? lastAppliedTime,
  });
}

function domains({ it, chain, shape }: World, { row }: Sketch): FailureDomains | undefined {
  const stored = it.status?.failureDomains;
  if (row === "C3") return undefined;
  if (row !== "C11") return reshaped(stored, shape);
  const found = domainsFrom((name) => textIn(chain.secret, name) ?? shownOutput(chain, name));
  if (found.is === "malformed") return reshaped(stored, shape);
  return found.is === "none" ? undefined : shaped(found.domains, shape);
}

function endpointFields(world: World): Fields {
  const found = endpointOf(world);
  return { controlPlaneEndpoint: found, endpoint: found === undefined ? undefined : formatEndpoint(found) };
}
