// What stands below one of our objects: its WorkspaceTemplateApply, the Workspace of that, and the Secret with its outputs.
import { Buffer } from "node:buffer";
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { findCondition, isFalse } from "@telltale/status";
import type { Workspace } from "./kinds/workspace.ts";
import { WorkspaceTemplateApply } from "./kinds/workspace-template-apply.ts";
import type { ServerKinds } from "./server.ts";
import { asking } from "./trouble.ts";
import { classify, type WorkspaceClass } from "./workspace-class.ts";

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export interface Chain {
  /** The apply, where there is one that is ours. */
  readonly apply?: WorkspaceTemplateApply;
  /** Whether somebody else's apply has the name. */
  readonly isForeign: boolean;
  readonly workspaceName?: string;
  readonly workspace?: Workspace;
  /** `None`: there has been no Workspace yet. */
  readonly class: WorkspaceClass | "None";
  /** Where the outputs go: as the Workspace itself says. */
  readonly secretPlace?: Place;
  /** Absent: it is not there, or nobody had to look. */
  readonly secret?: Outputs;
}

export interface ChainOptions {
  readonly kinds: ServerKinds;
  /** Namespaces, beside the object's own, whose Secrets may be read (SEC-2). */
  readonly allowed: readonly string[];
  /** The Workspace that our own status remembers: an apply that lost its status has not lost the Workspace. */
  readonly remembered?: string;
  /** The apply is read past the cache, too. */
  readonly live?: boolean;
}

export async function observeChain(owner: KubeObject, at: Place, look: Look, options: ChainOptions): Promise<Chain> {
  const { kinds, allowed, remembered, live = false } = options;
  const found = live
    ? await asking("get", WorkspaceTemplateApply.plural, () => look.live(WorkspaceTemplateApply, at))
    : look.get(WorkspaceTemplateApply, at);
  const isOurs = found !== undefined && isOwned(found, owner);
  const { status } = (isOurs ? found : undefined) ?? {};
  const workspaceName = status?.workspaceName ?? remembered;
  const base = {
    ...(isOurs ? { apply: found } : {}),
    isForeign: found !== undefined && !isOurs,
    ...(workspaceName === undefined ? {} : { workspaceName }),
  };
  if (workspaceName === undefined) return { ...base, class: "None" };
  const place = kinds.Workspace.scope === "Cluster" ? { name: workspaceName } : { ...at, name: workspaceName };
  const workspace = await asking("get", kinds.Workspace.plural, () => look.live(kinds.Workspace, place));
  // A name that is known before the object was made says nothing of it yet.
  if (workspace === undefined && status?.applied !== true && remembered === undefined)
    return { ...base, class: "None" };
  const is = classify(workspace, look.now);
  const secretPlace = workspace?.spec.writeConnectionSecretToRef;
  const mayRead = secretPlace?.namespace === at.namespace || allowed.includes(secretPlace?.namespace ?? "");
  const isWritten = is === "Available" || is === "Degraded";
  const secret = isWritten && secretPlace !== undefined && mayRead ? await open(look, secretPlace) : undefined;
  return {
    ...base,
    ...(workspace === undefined ? {} : { workspace }),
    class: is,
    ...(secretPlace === undefined ? {} : { secretPlace }),
    ...(secret === undefined ? {} : { secret }),
  };
}

/** What a Secret holds, by key. It shows nothing of it by itself: not in a log, not as JSON. */
export class Outputs {
  readonly #data: Readonly<Record<string, string>>;

  constructor(data: Readonly<Record<string, string>>) {
    this.#data = data;
  }

  /** The bytes behind a key as text. They are decoded once: that is how the API carries them. */
  text(key: string): string | undefined {
    const encoded = Object.hasOwn(this.#data, key) ? this.#data[key] : undefined;
    return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
  }
}

export async function open(look: Look, place: Place): Promise<Outputs | undefined> {
  const found = await asking("get", Secret.plural, () => look.live(Secret, place));
  return found === undefined ? undefined : new Outputs(found.data ?? {});
}

/** A text of the Secret without the space around it; an empty one is none. */
export function textIn(outputs: Outputs | undefined, key: string): string | undefined {
  const found = outputs?.text(key)?.trim();
  return found === "" ? undefined : found;
}

/** An output that is no secret, as the Workspace shows it. */
export const shownOutput = ({ workspace }: Chain, key: string): unknown => {
  const shown = workspace?.status?.atProvider?.outputs;
  return shown !== undefined && Object.hasOwn(shown, key) ? shown[key] : undefined;
};

/** The same, where it is a text that says something. */
export function shownText(chain: Chain, key: string): string | undefined {
  const found = shownOutput(chain, key);
  const trimmed = typeof found === "string" ? found.trim() : "";
  return trimmed === "" ? undefined : trimmed;
}

export const isOwned = ({ metadata }: KubeObject, owner: KubeObject): boolean =>
  metadata?.ownerReferences?.some(({ uid }) => uid === owner.metadata?.uid) ?? false;

/** Why a template cannot be rendered, where that is so for the apply as it is now. */
export function renderFailure({ apply }: Chain): { readonly reason: string; readonly message: string } | undefined {
  const said = findCondition(apply?.status?.conditions, "TemplateResolved");
  const isStale = (said?.observedGeneration ?? 0) < (apply?.metadata.generation ?? 0);
  return said?.status === "False" && !isStale ? said : undefined;
}

/** Whether nobody has looked at the apply as it is now. */
export const isUnseen = ({ apply }: Chain): boolean =>
  (apply?.status?.observedGeneration ?? 0) < (apply?.metadata.generation ?? 0);

/** What the apply waits for before its first run. */
export function waitingFor({ apply }: Chain): string | undefined {
  const { conditions } = apply?.status ?? {};
  return isFalse(conditions, "DependenciesReady") ? findCondition(conditions, "DependenciesReady")?.message : undefined;
}

/** Whether somebody who waits for an apply has to look again: its spec, its status or its end is another. */
export function isOtherApply(a: KubeObject, b: KubeObject): boolean {
  const [old, next] = [a as WorkspaceTemplateApply, b as WorkspaceTemplateApply]; // as whoever declares it says
  return (
    !deepEqual(old.spec, next.spec) ||
    !deepEqual(old.status, next.status) ||
    old.metadata.deletionTimestamp !== next.metadata.deletionTimestamp
  );
}
