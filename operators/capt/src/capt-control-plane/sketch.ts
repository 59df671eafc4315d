// How the control plane is, by the table of 4.7.2: one row for what was seen, without a look at the clock. Pure.
import type { Ms } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { renderFailure } from "../chain.ts";
import { formatEndpoint } from "../endpoint.ts";
import {
  applying,
  noRunner,
  notFound,
  placeText,
  runnerStatus,
  taken,
  type Unready,
  type Unusable,
  unready,
  unusable,
  workspaceOf,
} from "../provider/words.ts";
import { errorOf } from "../workspace-conditions.ts";
import { chooseEndpoint, type EndpointChoice } from "./endpoint-choice.ts";
import { kubeconfigSaid } from "./parts.ts";
import { rolloutOf } from "./rollout.ts";
import { isInitialized, templatePlace, type World } from "./world.ts";

/** A row of the table. */
export type Row = `P${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 16}` | "P6b" | "P6c";

export interface Sketch {
  readonly row: Row;
  /** Why it is not ready; absent: it is. */
  readonly why?: Why;
  readonly creating: "Creating" | "WaitingForVPC" | "NoRunner" | "Ready";
  readonly endpoint: EndpointChoice;
  /** What no waiting mends. */
  readonly failure?: { readonly token: Hopeless; readonly message: SafeText };
  readonly again: Ms;
}

export interface Why {
  /** Absent: False. */
  readonly status?: "False" | "Unknown";
  readonly reason: WhyReason;
  readonly message: SafeText;
}

type WhyReason =
  | "Creating"
  | "WaitingForVPC"
  | "NoRunner"
  | "WorkspaceError"
  | "WorkspaceTemplateNotFound"
  | Unready["reason"]
  | "WaitingForConnectionSecret"
  | "EndpointNotReady"
  | "WaitingForKubeconfig";

export type Hopeless = Unusable["token"];

const quick: Ms = 5_000;
const often: Ms = 10_000;
const seldom: Ms = 60_000;

export function sketch(world: World): Sketch {
  const { it, cluster, chain } = world;
  const endpoint = chooseEndpoint(it, cluster, chain);
  return isInitialized(it) ? initialized(world, endpoint) : building(world, endpoint);
}

function building(world: World, endpoint: EndpointChoice): Sketch {
  const { chain, infrastructure } = world;
  const { class: is, workspace } = chain;
  const row = (row: Row, again: Ms, reason: WhyReason, message: SafeText): Sketch => {
    const failure = unusable(chain);
    const why = { reason, message };
    return { row, again, why, endpoint, creating: "Creating", ...(failure === undefined ? {} : { failure }) };
  };
  // Once there is an apply, a hiccup of the network does not push the control plane back.
  if (chain.apply === undefined && (infrastructure.is === "waiting" || infrastructure.is === "failed")) {
    return { ...waiting(infrastructure), endpoint };
  }
  const name = workspaceOf(chain);
  if (is === "None") return unmade(world, row);
  if (is === "NoRunner") return { ...row("P6c", often, "NoRunner", noRunner(chain)), creating: "NoRunner" };
  if (is === "Pending" || is === "Creating") return row("P6", quick, "Creating", applying(chain));
  if (workspace !== undefined && (is === "Error" || is === "Degraded")) {
    return row("P7", often, "WorkspaceError", text`workspace ${name}: ${errorOf(workspace)}`);
  }
  if (is !== "Available")
    return { ...row("P6b", often, "WorkspaceNotReady", applying(chain)), why: unready(chain, false) };
  const place = placeText(chain.secretPlace);
  if (chain.secret === undefined) {
    return row("P8", quick, "WaitingForConnectionSecret", text`Secret ${place} not found yet`);
  }
  if (endpoint.is !== "found") {
    const message =
      endpoint.is === "none"
        ? text`no endpoint in Secret ${place} nor in the outputs of workspace ${name}`
        : invalidEndpoint(world, endpoint.key);
    return row(endpoint.is === "none" ? "P9" : "P10", quick, "EndpointNotReady", message);
  }
  const kubeconfig = kubeconfigSaid(world, endpoint);
  if (kubeconfig.status !== "True") return row("P11", quick, "WaitingForKubeconfig", text`${kubeconfig.message}`);
  return { row: "P12", creating: "Ready", endpoint, again: seldom };
}

export const invalidEndpoint = ({ chain }: World, key: string): SafeText =>
  text`key ${key} of Secret ${placeText(chain.secretPlace)} is not a valid endpoint`;

function waiting(
  infrastructure: Extract<World["infrastructure"], { is: "waiting" | "failed" }>,
): Omit<Sketch, "endpoint"> {
  const { named } = infrastructure;
  const message =
    infrastructure.is === "failed"
      ? text`${named} failed: ${infrastructure.token}`
      : text`waiting for ${named} to become ready`;
  const row = infrastructure.is === "failed" ? "P2" : "P1";
  if (infrastructure.is === "waiting" && infrastructure.noRunner !== undefined) {
    return { row, why: { reason: "NoRunner", message: infrastructure.noRunner }, creating: "NoRunner", again: often };
  }
  return { row, why: { reason: "WaitingForVPC", message }, creating: "WaitingForVPC", again: often };
}

/** Rows P3 to P5: there is no Workspace yet. */
function unmade(
  { it, chain, hasTemplate }: World,
  row: (row: Row, again: Ms, reason: WhyReason, message: SafeText) => Sketch,
): Sketch {
  const missing = notFound(templatePlace(it));
  // What has the name was not made for us, and is not touched.
  if (chain.isForeign) return row("P4", often, "WorkspaceError", taken);
  if (chain.apply === undefined) {
    return hasTemplate
      ? row("P4", quick, "Creating", applying(chain))
      : row("P3", often, "WorkspaceTemplateNotFound", missing);
  }
  const isMissing = renderFailure(chain)?.reason === "WorkspaceTemplateNotFound";
  return isMissing
    ? row("P5", quick, "WorkspaceTemplateNotFound", missing)
    : row("P5", quick, "Creating", applying(chain));
}

/** It was ready once: what happens now is told, and it stays in its phase. */
function initialized(world: World, endpoint: EndpointChoice): Sketch {
  const { chain } = world;
  const { class: is } = chain;
  const base = { creating: "Ready", endpoint, again: seldom } as const;
  if (is === "Degraded") return { ...base, row: "P13" };
  if (is === "NoRunner") {
    const status = runnerStatus(chain);
    const why = { reason: "NoRunner", message: noRunner(chain), ...(status === "Unknown" ? { status } : {}) } as const;
    return { ...base, row: "P14", why };
  }
  if (is !== "Available") return { ...base, row: "P14", why: unready(chain, true) };
  return rolloutOf(world).is === "rolling" ? { ...base, row: "P16", again: often } : { ...base, row: "P12" };
}

/** `control plane v1.31.0 at 10.0.0.1:6443` */
export function atWork(world: World, endpoint: EndpointChoice): SafeText {
  const { version, endpoint: stored = "" } = world.it.status ?? {};
  const running = rolloutOf(world).version ?? version ?? "";
  const at = endpoint.is === "found" ? formatEndpoint(endpoint.endpoint) : stored;
  return text`control plane ${running} at ${at}`;
}
