// Which version runs, and whether another one is on its way (CP-12). Pure.
import { shownText, textIn } from "../chain.ts";
import { revisionOf } from "../provider/words.ts";
import { fullVersion, isLower } from "../version.ts";
import { isCurrent } from "../workspace-class.ts";
import { isInitialized, type World } from "./world.ts";

export interface Rollout {
  readonly is: "still" | "rolling" | "refused";
  /** The version that runs, where it is known: `v1.31.0`. */
  readonly version?: string;
  /** The revision that was last seen applied, and the one that is wanted. */
  readonly applied?: string;
  readonly wanted?: string;
}

export function rolloutOf(world: World): Rollout {
  const { it, chain } = world;
  const { workspace, class: is } = chain;
  const stored = it.status?.workspaceTemplateStatus?.lastAppliedRevision;
  const wanted = revisionOf(chain);
  const isApplied = is === "Available" && workspace !== undefined && isCurrent(workspace) && hasVersion(world);
  const applied = isApplied ? (wanted ?? stored) : stored;
  const version = versionOf(world, isApplied);
  const known = {
    ...(version === undefined ? {} : { version }),
    ...(applied === undefined ? {} : { applied }),
    ...(wanted === undefined ? {} : { wanted }),
  };
  if (isDowngrade(world)) return { is: "refused", ...known };
  const isRolling = isInitialized(it) && applied !== undefined && wanted !== undefined && applied !== wanted;
  return { is: isRolling ? "rolling" : "still", ...known };
}

/** Nothing is taken back: a version below the one that runs is not rendered. */
export const isDowngrade = ({ it }: Pick<World, "it">): boolean =>
  it.status?.version !== undefined && isLower(it.spec.version, it.status.version);

/** What the run says, else what was asked of it, once that is applied. */
function versionOf(world: World, isApplied: boolean): string | undefined {
  const { it, chain } = world;
  const told = toldVersion(world);
  const stored = it.status?.version;
  if (told !== undefined) return fullVersion(told);
  const { apply } = chain;
  // An apply that has not been looked at since it changed may stand for another version.
  const isSeen = apply !== undefined && (apply.status?.observedGeneration ?? 0) >= (apply.metadata.generation ?? 0);
  if (!isApplied || !isSeen) return stored;
  return fullVersion(apply.spec.variables?.["kubernetes_version_full"] ?? it.spec.version) ?? stored;
}

/** What is no version says nothing: a run that is only simulated has no real one to tell. */
function toldVersion({ chain }: World): string | undefined {
  const told = textIn(chain.secret, "cluster_version") ?? shownText(chain, "cluster_version");
  return told !== undefined && fullVersion(told) !== undefined ? told : undefined;
}

/** Older providers do not say which spec they ran: then the run's own version has to be the one that was asked for. */
function hasVersion(world: World): boolean {
  const { workspace, apply } = world.chain;
  if ((workspace?.status?.observedGeneration ?? -1) >= 0) return true;
  const told = toldVersion(world);
  const asked = apply?.spec.variables?.["kubernetes_version"];
  return told === undefined || asked === undefined || fullVersion(told)?.startsWith(`v${asked}.`) === true;
}
