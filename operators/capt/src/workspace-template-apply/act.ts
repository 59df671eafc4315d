// Brings the Workspace about. Whose it is, is asked of the server first: an apply by force would seize somebody else's.
import { ApiError, ConnectionError, isConflict, TimeoutError } from "@telltale/client";
import { type Ms, plus } from "@telltale/kinds";
import { annotationPatch, contains, type Hands } from "@telltale/runtime";
import { Failed, text } from "@telltale/status";
import type { Workspace } from "../kinds/workspace.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { annotations, labels, labelValue } from "../names.ts";
import { refusalOf } from "../refusal.ts";
import { sanitize } from "../sanitize.ts";
import type { Senses } from "./observe.ts";
import { differs, isRetained, lacks, type Plan, type Wanted } from "./plan.ts";
import { ownershipOf, refOf, revisionOn, type World } from "./world.ts";

export type ApplyHands = Hands<typeof WorkspaceTemplateApply>;

export async function act(plan: Plan, hands: ApplyHands, world: World, senses: Senses): Promise<World> {
  if (plan.do !== "apply") return world;
  const { apply, place, taken } = world;
  const live = await hands.live(senses.Workspace, place);
  if (live !== undefined) {
    if (ownershipOf(live, apply) === "foreign") return { ...world, made: { as: "conflict", whose: whoseIs(live) } };
    if (live.metadata.deletionTimestamp !== undefined) return { ...world, workspace: live };
    if (!differs(live, apply, plan.wanted, taken)) return { ...world, workspace: live };
  }
  // What was kept when an apply of this very uid went says that it has gone.
  if (live === undefined || (isRetained(live) && ownershipOf(live, apply) === "ours")) await stillWanted(apply, hands);
  const before = live === undefined ? undefined : revisionOn(live);
  try {
    const workspace = await say(plan.wanted, live, world, hands, senses);
    const as = live === undefined ? "created" : "updated";
    return { ...world, workspace, made: before === plan.wanted.revision ? { as: "nothing" } : { as } };
  } catch (error) {
    if (live === undefined && isUnanswered(error)) expect(apply, hands, senses);
    if (!isRefusal(error)) throw error;
    return { ...world, workspace: live, made: { as: "refused", why: refusalOf(error) } };
  }
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof TimeoutError || (error instanceof ConnectionError && error.sent);

/** A server gives up a request after a minute, unless it was told otherwise. */
const longest: Ms = 60_000;

function expect({ metadata }: WorkspaceTemplateApply, hands: ApplyHands, { unanswered }: Senses): void {
  for (const [uid, until] of unanswered) if (until <= hands.now) unanswered.delete(uid);
  // `now` is when the pass began, and the wait for the answer may have been as long again.
  unanswered.set(metadata.uid ?? "", plus(hands.now, 2 * longest));
}

/** The same would be refused again. A field that the server's definition lacks is answered with 500. */
function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || isConflict(error)) return false;
  return error.code === 422 || error.code === 400 || /field not declared in schema/.test(error.status.message ?? "");
}

/** Without a cluster-wide owner nobody would ever take away what is made for an apply that is gone. */
async function stillWanted(apply: WorkspaceTemplateApply, hands: ApplyHands): Promise<void> {
  const now = await hands.live(WorkspaceTemplateApply, refOf(apply));
  if (now?.metadata.uid === apply.metadata.uid && now?.metadata.deletionTimestamp === undefined) return;
  throw new Failed({ class: "conflict", reason: "Outdated", message: text`the apply is gone or going` });
}

async function say(
  wanted: Wanted,
  live: Workspace | undefined,
  { apply, place, taken: now }: World,
  hands: ApplyHands,
  { Workspace: kind, taken }: Senses,
): Promise<Workspace> {
  const { namespace, name } = refOf(apply);
  const { uid = "" } = apply.metadata;
  const owner = { apiVersion: WorkspaceTemplateApply.apiVersion, kind: WorkspaceTemplateApply.kind, name, uid };
  const document = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      ...place,
      ...(live?.metadata.uid === undefined ? {} : { uid: live.metadata.uid }),
      labels: {
        [labels.applyName]: labelValue(name),
        [labels.applyNamespace]: namespace,
        ...(wanted.filter === undefined ? {} : { [labels.watchFilter]: wanted.filter }),
      },
      annotations: { [annotations.applyUid]: uid, [annotations.revision]: wanted.revision },
      ...(wanted.isOwned ? { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] } : {}),
    },
    spec: wanted.spec,
  };
  // A new one is never made by force: who was faster with the name keeps it.
  const isThere = live !== undefined && !lacks(live, apply, wanted, now);
  let workspace = isThere ? live : await hands.apply(kind, document, { force: live !== undefined });
  if (isRetained(workspace)) {
    workspace = await hands.patch(kind, workspace, annotationPatch(workspace, { [annotations.retained]: undefined }));
  }
  const { uid: key = "", generation } = workspace.metadata;
  if (contains(workspace.spec, wanted.spec)) taken.delete(key);
  else taken.set(key, { revision: wanted.revision, generation });
  return workspace;
}

function whoseIs({ metadata }: Workspace) {
  const { [labels.applyNamespace]: namespace, [labels.applyName]: name } = metadata.labels ?? {};
  if (namespace === undefined || name === undefined) return text`somebody else`;
  return text`WorkspaceTemplateApply ${sanitize(namespace)}/${sanitize(name)}`;
}
