// The controller of WorkspaceTemplateApplies: what it watches, and its steps in a row.
import { deepEqual, type Instant, type KindRef, type KubeObject, plus } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type Gate, type Look, type MapLook, type Source } from "@telltale/runtime";
import type { Draft } from "@telltale/status";
import type { Config } from "../config.ts";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import type { Workspace } from "../kinds/workspace.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { WorkspaceTemplateApply, type WorkspaceTemplateApplyStatus } from "../kinds/workspace-template-apply.ts";
import { type ApplyRef, labels, labelValue, managers } from "../names.ts";
import { pauseOf } from "../pause.ts";
import { anyCluster, type ServerKinds } from "../server.ts";
import { act } from "./act.ts";
import { linkOf, nameOf, workspacesOf } from "./dependencies.ts";
import { eventsOf } from "./events.ts";
import { finalize } from "./finalize.ts";
import { observe, templateOf } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import { refOf, type Taken, type World } from "./world.ts";

export interface ApplyOptions {
  readonly config: Pick<Config, "allowedSecretNamespaces" | "concurrency" | "watchFilter">;
  readonly kinds: ServerKinds;
  /** Changes of Clusters: an apply is paused with its Cluster. */
  readonly source?: Source;
}

const byTemplate = "template";
const byLink = "link";
const byWait = "wait";
const byLabel = "label";

export function workspaceTemplateApplies({ config, kinds, source }: ApplyOptions): Controller {
  const senses = {
    Workspace: kinds.Workspace,
    allowed: config.allowedSecretNamespaces,
    filter: config.watchFilter,
    taken: new Map<string, Taken>(),
    unanswered: new Map<string, Instant>(),
  };
  const Cluster = anyCluster(kinds);
  const declared = controller(WorkspaceTemplateApply, "workspacetemplateapply")
    .on("generation", "deletion", "labels", "annotations", "finalizers", "ownerReferences")
    .gate((apply, look) => selected(apply, config.watchFilter, look))
    .gate((apply, look) => paused(apply, look.where(Cluster, byLabel, clusterOf(apply))[0]))
    .watches(kinds.Workspace, ({ old, new: next }, look) => [...linked(old, look), ...linked(next, look)], {
      label: labels.applyName,
      changed: isNews,
    })
    .watches(WorkspaceTemplate, ({ old, new: next }, look) => using(next ?? old, look), {
      changed: (a, b) =>
        a.metadata.generation !== b.metadata.generation || !deepEqual(a.metadata.labels, b.metadata.labels),
    })
    .watches(WorkspaceTemplateApply, ({ old, new: next }, look) => waiting(next ?? old, look), {
      changed: (a, b) => a.metadata.generation !== b.metadata.generation,
    })
    .index(WorkspaceTemplateApply, byTemplate, (apply) => [nameOf(templateOf(apply))])
    .index(WorkspaceTemplateApply, byLink, (apply) => [linkOf(refOf(apply))])
    .index(WorkspaceTemplateApply, byWait, (apply) => workspacesOf(apply).map(nameOf))
    .reads(Cluster)
    .index(Cluster, byLabel, ({ metadata }) => [`${metadata.namespace}/${labelValue(metadata.name ?? "")}`])
    .gets(Secret)
    .writes(kinds.Workspace, "create", "patch", "delete")
    .finalize((apply, hands, draft) => finalize(apply, hands, draft, senses))
    .events("none")
    .status({ as: "apply", fieldManager: managers.workspace })
    .workers(config.concurrency)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.2 })
    .resync(36_000_000);
  const filtered = config.watchFilter === undefined ? declared : declared.reads(...owningKinds);
  return (source === undefined ? filtered : filtered.hears(source)).reconcile<World, Plan>({
    observe: (apply, look) => observe(apply, look, senses),
    plan,
    act: (planned, hands, world) => act(planned, hands, world, senses),
    status,
    after({ world, before, status: after }, hands) {
      const [was, is] = [before ?? {}, after] as readonly WorkspaceTemplateApplyStatus[];
      for (const { type, reason, message } of eventsOf(world, was ?? {}, is ?? {})) hands.event(type, reason, message);
    },
  });
}

/** Whether it is this process's business: an apply of one of our objects is, when that object is. */
function selected(
  { metadata }: WorkspaceTemplateApply,
  filter: string | undefined,
  look: Look,
): "go" | "ignore" | { readonly again: number } {
  if (filter === undefined || metadata.labels?.[labels.watchFilter] === filter) return "go";
  const owner = metadata.ownerReferences?.find(({ controller: is }) => is === true);
  const kind = owningKinds.find((it) => it.kind === owner?.kind);
  if (owner === undefined || kind === undefined) return "ignore";
  const found = look.get<KubeObject>(kind, { namespace: metadata.namespace ?? "", name: owner.name });
  if (found === undefined) return { again: 10_000 };
  return found.metadata?.labels?.[labels.watchFilter] === filter ? "go" : "ignore";
}

const owningKinds: readonly KindRef[] = [CAPTCluster, CAPTControlPlane];

/** Its Cluster, by the label: that may be too short for the name. */
const clusterOf = ({ metadata }: WorkspaceTemplateApply): string =>
  `${metadata.namespace}/${metadata.labels?.[labels.clusterName] ?? ""}`;

type PauseInput = Parameters<typeof pauseOf>[1];

/** Nothing is done, not even cleaned up, and only this is said. */
function paused(apply: WorkspaceTemplateApply, cluster: PauseInput): Gate<typeof WorkspaceTemplateApply> {
  const why = pauseOf(apply, cluster);
  if (why === undefined) return "go";
  return {
    only(_apply, draft: Draft<typeof WorkspaceTemplateApply>, now) {
      draft.aside().condition("Paused", true, "Paused", why).wake(plus(now, 300_000));
    },
  };
}

/** All but how far a run is. */
const isNews = (a: Workspace, b: Workspace): boolean =>
  a.metadata.generation !== b.metadata.generation ||
  a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp ||
  !deepEqual(a.metadata.labels, b.metadata.labels) ||
  !deepEqual(a.metadata.annotations, b.metadata.annotations) ||
  !deepEqual(a.metadata.ownerReferences, b.metadata.ownerReferences) ||
  !deepEqual(a.status?.conditions, b.status?.conditions);

/** The applies that a Workspace leads back to, and those that wait for them. */
function* linked(workspace: Workspace | undefined, look: MapLook): Iterable<ApplyRef> {
  const { [labels.applyNamespace]: namespace = "", [labels.applyName]: name = "" } = workspace?.metadata.labels ?? {};
  for (const apply of look.where(WorkspaceTemplateApply, byLink, `${namespace}/${name}`)) {
    yield refOf(apply);
    yield* waiting(apply, look);
  }
}

const using = (template: WorkspaceTemplate | undefined, look: MapLook): readonly ApplyRef[] => {
  const { namespace = "", name = "" } = template?.metadata ?? {};
  return look.where(WorkspaceTemplateApply, byTemplate, nameOf({ namespace, name })).map(refOf);
};

/** Who waits for an apply, directly or for one that does: a cycle may end anywhere in it. */
function waiting(apply: WorkspaceTemplateApply | undefined, look: MapLook): readonly ApplyRef[] {
  const found = new Map<string, ApplyRef>();
  const walk = (name: string) => {
    for (const it of look.where(WorkspaceTemplateApply, byWait, name).map(refOf)) {
      if (found.has(nameOf(it))) continue;
      found.set(nameOf(it), it);
      walk(nameOf(it));
    }
  };
  if (apply !== undefined) walk(nameOf(refOf(apply)));
  return [...found.values()];
}
