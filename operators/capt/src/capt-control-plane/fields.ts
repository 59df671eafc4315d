// The fields of a CAPTControlPlane's status, beside its conditions. What a row does not speak of stays as it is stored. Pure.
import { canonicalJson } from "@telltale/kinds";
import { waitingFor } from "../chain.ts";
import { formatEndpoint } from "../endpoint.ts";
import type { CAPTControlPlane, CAPTControlPlaneStatus } from "../kinds/capt-control-plane.ts";
import { failureFields } from "../provider/decide.ts";
import { revisionFields } from "../provider/words.ts";
import { shownOutputs } from "../runner/outputs.ts";
import { type FieldsOf, present } from "../status-fields.ts";
import { readyOf } from "../workspace-class.ts";
import { type Made, verdictOf } from "./decide.ts";
import { areSecretsReady, isOpen } from "./parts.ts";
import { rolloutOf } from "./rollout.ts";
import type { Sketch } from "./sketch.ts";
import { applyNameOf, isInitialized, type World } from "./world.ts";

type Fields = FieldsOf<typeof CAPTControlPlane>;

export function fieldsOf(world: World, decision: Made): Fields {
  const { it } = world;
  const { seen } = decision;
  const token = { lastResetToken: verdictOf(world).nextToken };
  if (decision.is === "failed") return { ...token, ...belowFields(world) };
  const isGoing = decision.is === "going";
  const ready = isGoing && seen.why === undefined;
  const initialized = isInitialized(it) || ready;
  // Whether it is still there is not known: that is not "no" either.
  const isUnknown = isGoing && seen.why?.status === "Unknown";
  return {
    ...token,
    ready: isUnknown ? undefined : ready,
    initialized,
    ...(initialized ? { initialization: { controlPlaneInitialized: true } } : {}),
    ...failureFields(decision),
    externalManagedControlPlane: true,
    workspaceTemplateApplyName: applyNameOf(it),
    ...belowFields(world),
    ...plane(world, seen),
  };
}

/** What is known of a control plane that answers: kept while it does not. */
function plane(world: World, seen: Sketch): Fields {
  const { it, chain } = world;
  const { endpoint } = seen;
  const isSeen = chain.class === "Available" && chain.secret !== undefined;
  const { version } = rolloutOf(world);
  return {
    secretsReady: isOpen(world) ? areSecretsReady(world, endpoint) : isInitialized(it) ? undefined : false,
    ...(version === undefined ? {} : { version, versions: [{ version }] }),
    ...(isSeen && endpoint.is === "found"
      ? { controlPlaneEndpoint: endpoint.endpoint, endpoint: formatEndpoint(endpoint.endpoint) }
      : {}),
  };
}

function belowFields(world: World): Fields {
  const { it, chain } = world;
  const { workspace, class: is, apply } = chain;
  const stored = it.status?.workspaceTemplateStatus;
  // Nothing has been applied yet, and nothing is remembered.
  if (apply === undefined && workspace === undefined && stored === undefined) return {};
  const { applied } = rolloutOf(world);
  const isWaiting = is === "None" && waitingFor(chain) !== undefined;
  const given = workspace?.status?.atProvider?.outputs;
  const shown = given === undefined ? undefined : shownOf(given);
  const texts = shown === undefined ? stored?.outputs : textsOf(shown);
  return {
    workspaceTemplateStatus: present({
      ...revisionFields(world, applied),
      state: is === "None" ? (isWaiting ? "Waiting" : "Pending") : is,
      outputs: texts,
    }),
    ...(workspace === undefined ? {} : { workspaceStatus: workspaceStatus(world, shown) }),
  };
}

function workspaceStatus({ chain }: World, outputs: Shown | undefined): CAPTControlPlaneStatus["workspaceStatus"] {
  const ready = chain.workspace === undefined ? undefined : readyOf(chain.workspace);
  const checksum = chain.workspace?.status?.atProvider?.checksum;
  const atProvider = present({ checksum, outputs });
  return present({
    ready: ready?.status === "True",
    state: ready?.reason,
    atProvider: Object.keys(atProvider).length === 0 ? undefined : atProvider,
  });
}

type Shown = Readonly<Record<string, unknown>>;

/** Once more by our own rules: whoever ran the Workspace may have others. */
const shownOf = (outputs: Shown): Shown =>
  shownOutputs(
    Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, { value, isSensitive: false }])),
  );

const textsOf = (outputs: Shown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, typeof value === "string" ? value : canonicalJson(value)]),
  );
