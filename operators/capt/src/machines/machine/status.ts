// What a CaptMachine says of itself. Pure.
import { formatTime, type Instant, type Ms, plus } from "@telltale/kinds";
import { type Draft, type SafeText, text } from "@telltale/status";
import { type Chain, renderFailure, shownText, waitingFor } from "../../chain.ts";
import type { CaptMachine } from "../../kinds/capt-machine.ts";
import { forget } from "../../provider/say.ts";
import { isPretended, noRunner, nothingReal, runnerStatus, unready } from "../../provider/words.ts";
import { saying } from "../../said.ts";
import { sanitize } from "../../sanitize.ts";
import type { Trouble } from "../../trouble.ts";
import { isHopeless } from "../../workspace-class.ts";
import { errorOf, workspaceConditions } from "../../workspace-conditions.ts";
import { recheck } from "../gate.ts";
import { isProvisioned, templatePlace, type World } from "./world.ts";

const say = saying<typeof CaptMachine>();
type Said = ReturnType<typeof say>;

/** Until the next look: at what is being made, at what is ready. */
const soon: Ms = 10_000;

export function status(world: World, draft: Draft<typeof CaptMachine>, now: Instant): void {
  const { it, chain } = world;
  if (world.trouble !== undefined) {
    troubled(world, world.trouble, draft, now);
    return;
  }
  const said = readiness(world);
  const isReady = said.status === "True";
  draft.state(said);
  if (isPretended(chain)) draft.condition("Simulated", true, "Simulated", text`machine: ${nothingReal}`);
  else draft.without("Simulated");
  for (const condition of workspaceConditions(chain, isProvisioned(it))) draft.state(condition);
  draft
    .condition("Paused", false, "NotPaused", "not paused")
    .condition("Deleting", false, "NotDeleting", "not deleting");
  // What is not known is not "no": then the field is not there.
  const next = said.status === "Unknown" ? undefined : isReady;
  const { ready, lastTransitionTime } = it.status ?? {};
  draft.set({
    ...(next === undefined ? {} : { ready: next }),
    lastTransitionTime: ready === next && lastTransitionTime !== undefined ? lastTransitionTime : formatTime(now),
    ...(isReady ? { initialization: { provisioned: true } } : {}),
    ...known(chain),
  });
  if (next === undefined) draft.unset("ready");
  draft.wake(plus(now, isReady ? recheck : soon));
}

const asked = ["Ready", "WorkspaceSynced", "WorkspaceReady"] as const;

/** Nothing is forgotten for a request that failed, unless that lasts. */
function troubled({ it, isBlind }: World, trouble: Trouble, draft: Draft<typeof CaptMachine>, now: Instant): void {
  const { message, retryAfter } = trouble;
  if (isBlind !== true || !isProvisioned(it)) {
    const later = retryAfter === undefined ? {} : { retryAfter };
    draft.fail({ class: "throttled", reason: "RequestFailed", message, ...later });
    return;
  }
  forget({ it, trouble }, draft, asked, now);
  const { ready, lastTransitionTime } = it.status ?? {};
  draft.unset("ready").set({
    lastTransitionTime: ready === undefined && lastTransitionTime !== undefined ? lastTransitionTime : formatTime(now),
  });
}

/** What is known of a machine stays known when its Workspace has a bad moment. */
function known(chain: Chain): Partial<NonNullable<CaptMachine["status"]>> {
  if (chain.class !== "Available") return {};
  // An output with "private" in its name is never shown (13.3), whatever it holds.
  const [instanceId, privateIp, publicIp] = ["instance_id", "internal_ip", "external_ip"].map((it) =>
    shownText(chain, it),
  );
  const addresses = [
    ...(privateIp === undefined ? [] : [{ type: "InternalIP" as const, address: privateIp }]),
    ...(publicIp === undefined ? [] : [{ type: "ExternalIP" as const, address: publicIp }]),
  ];
  return {
    ...(instanceId === undefined ? {} : { instanceId }),
    ...(privateIp === undefined ? {} : { privateIp }),
    ...(addresses.length === 0 ? {} : { addresses }),
  };
}

const no = (reason: Parameters<typeof say<"Ready", "False">>[2], message: SafeText): Said =>
  say("Ready", "False", reason, message);

const running = (chain: Chain, id: string): Said =>
  isPretended(chain)
    ? say("Ready", "True", "Simulated", text`instance ${sanitize(id)}: ${nothingReal}`)
    : say("Ready", "True", "Ready", text`instance ${sanitize(id)} exists`);

function readiness(world: World): Said {
  const { it, chain, hasTemplate } = world;
  const { class: is, workspaceName = "", workspace } = chain;
  const wasReady = isProvisioned(it);
  if (is === "Available") {
    const id = shownText(chain, "instance_id");
    if (id !== undefined) return running(chain, id);
    const message = text`no output instance_id of workspace ${workspaceName}`;
    return say("Ready", wasReady ? "Unknown" : "False", "InstanceIDNotFound", message);
  }
  if (is === "Degraded" && wasReady) return running(chain, it.status?.instanceId ?? "");
  if (wasReady && is !== "NoRunner") return { type: "Ready", ...unready(chain, true) };
  if (workspace !== undefined && isHopeless(workspace)) return no("WorkspaceFailed", troubleOf(chain));
  if (is === "Error" || is === "Degraded") return no("WorkspaceError", troubleOf(chain));
  if (is === "Paused") return no("WorkspacePaused", text`workspace ${workspaceName} is paused`);
  if (is === "Missing") return no("WorkspaceMissing", text`workspace ${workspaceName} no longer exists`);
  if (is === "NoRunner") {
    return { type: "Ready", status: runnerStatus(chain), reason: "NoRunner", message: noRunner(chain) };
  }
  if (is === "NotReady" || is === "Deleting")
    return no("WorkspaceNotReady", text`workspace ${workspaceName} is not ready`);
  return is === "None" ? notMade(world, hasTemplate) : no("Creating", text`applying workspace ${workspaceName}`);
}

function notMade({ it, chain }: World, hasTemplate: boolean): Said {
  const { namespace, name } = templatePlace(it);
  const missing = no("WorkspaceTemplateNotFound", text`WorkspaceTemplate ${namespace}/${name} not found`);
  if (chain.apply === undefined && !hasTemplate) return missing;
  const refused = renderFailure(chain);
  if (refused?.reason === "WorkspaceTemplateNotFound") return missing;
  if (refused !== undefined) return no("InvalidTemplate", sanitize(refused.message));
  const waits = waitingFor(chain);
  return waits === undefined
    ? no("Creating", text`applying workspace not created yet`)
    : no("WaitingForDependencies", sanitize(waits));
}

const troubleOf = ({ workspace, workspaceName = "" }: Chain): SafeText =>
  text`workspace ${workspaceName}: ${workspace === undefined ? "" : errorOf(workspace)}`;
