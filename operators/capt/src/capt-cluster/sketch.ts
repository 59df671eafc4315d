// How the network is, by the table of 3.6.2: one row for what was seen, without a look at the clock. Pure.
import type { Ms } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { type Chain, renderFailure, shownText, textIn, waitingFor } from "../chain.ts";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import {
  applying,
  isPretended,
  noRunner,
  notFound,
  nothingReal,
  placeText,
  runnerStatus,
  taken,
  type Unusable,
  unready,
  unusable,
  workspaceOf,
} from "../provider/words.ts";
import { type Said, saying } from "../said.ts";
import { existingVpcId, vpcViolation } from "../validate/vpc-source.ts";
import { errorOf, workspaceConditions } from "../workspace-conditions.ts";
import { isProvisioned, templatePlace, type World } from "./world.ts";

type Kind = typeof CAPTCluster;
export type NetworkSaid = Said<Kind>;
export const say = saying<Kind>();

/** A row of the table. */
export type Row = `C${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15}` | "C7b" | "C7c";

export interface Sketch {
  readonly row: Row;
  /** Undefined: it stays as it is stored. */
  readonly vpc?: Said<Kind, "VPCReady">;
  /** C2: what is wrong with the spec of a network that is there. */
  readonly wrong?: SafeText;
  readonly creating: Said<Kind, "VPCCreating">;
  /** Of the Workspace and its Secret. What is not said stays as it is stored; `omit`: there is nothing below. */
  readonly below: readonly NetworkSaid[] | "omit";
  /** `unknown`: it was, and nobody can tell whether it still is: then the field is not there. */
  readonly ready: boolean | "keep" | "unknown";
  /** The network that was found. */
  readonly vpcId?: string;
  /** What no waiting mends. */
  readonly failure?: { readonly token: Hopeless; readonly message: SafeText };
  /** When to look again. Absent: when something changes. */
  readonly again?: Ms;
}

export type Hopeless = "InvalidVPCConfig" | Unusable["token"];

const often: Ms = 10_000;
const seldom: Ms = 60_000;

export function sketch(world: World): Sketch {
  const { it } = world;
  const wrong = vpcViolation(it);
  if (wrong !== undefined) return invalid(world, text`${wrong.message}`);
  const id = existingVpcId(it.spec);
  if (id !== undefined) return existing(id);
  return isProvisioned(it) ? provisioned(world) : building(world);
}

/** The network that is in use, found now or before. */
export const vpcIdOf = ({ chain }: World): string | undefined =>
  textIn(chain.secret, "vpc_id") ?? shownText(chain, "vpc_id");

const creating = say("VPCCreating", "True", "VPCCreating", text`applying the network`);
const created = say("VPCCreating", "False", "VPCCreated", text`not creating`);

function invalid(world: World, message: SafeText): Sketch {
  const { it } = world;
  if (isProvisioned(it)) {
    // What was made is looked at all the same; one that was there before is not known without its id.
    if (it.status?.vpcWorkspaceName !== undefined) return { ...provisioned(world), row: "C2", wrong: message };
    const vpc = say("VPCReady", "Unknown", "InvalidVPCConfig", message);
    return { row: "C2", wrong: message, vpc, creating: created, below: "omit", ready: "unknown" };
  }
  return {
    row: "C1",
    vpc: say("VPCReady", "False", "InvalidVPCConfig", message),
    creating: failed,
    below: "omit",
    ready: false,
    failure: { token: "InvalidVPCConfig", message },
  };
}

export const failed = say("VPCCreating", "False", "VPCFailed", text`not creating`);

const existing = (id: string): Sketch => ({
  row: "C3",
  vpc: say(
    "VPCReady",
    "True",
    "ExistingVPCUsed",
    text`using VPC ${id} as spec.existingVpcId says; whether it exists is not looked at`,
  ),
  creating: say("VPCCreating", "False", "ExistingVPCUsed", text`not creating`),
  below: "omit",
  ready: true,
  vpcId: id,
  again: 600_000,
});

function building(world: World): Sketch {
  const { chain } = world;
  const { class: is, workspace } = chain;
  const wrong = unusable(chain);
  const base = { creating: said(chain), below: below(world), ready: false, again: often } as const;
  const waits = { ...base, ...(wrong === undefined ? {} : { failure: wrong }) };
  const name = workspaceOf(chain);
  if (is === "None") return { ...waits, ...unmade(world) };
  if (is === "Available") return { ...waits, ...available(world) };
  if (is === "NoRunner") return { ...waits, row: "C7c", vpc: withoutRunner(chain), creating: notCreating };
  if (is === "Pending" || is === "Creating") {
    return { ...waits, row: "C7", vpc: say("VPCReady", "False", "VPCCreating", applying(chain)) };
  }
  if (workspace !== undefined && (is === "Error" || is === "Degraded")) {
    const vpc = say("VPCReady", "False", "VPCCreationFailed", text`workspace ${name}: ${errorOf(workspace)}`);
    return { ...waits, row: "C8", vpc };
  }
  return { ...waits, row: "C7b", vpc: unusedVpc(world) };
}

/** Rows C4 to C6: there is no Workspace yet. */
function unmade({ it, chain, hasTemplate }: World): Pick<Sketch, "row" | "vpc"> {
  const missing = say("VPCReady", "False", "WorkspaceTemplateNotFound", notFound(templatePlace(it)));
  const waiting = waitingFor(chain);
  // What has the name was not made for us, and is not touched.
  if (chain.isForeign) return { row: "C5", vpc: say("VPCReady", "False", "VPCReconciliationFailed", taken) };
  if (chain.apply === undefined) {
    return hasTemplate
      ? { row: "C5", vpc: say("VPCReady", "False", "VPCCreating", applying(chain)) }
      : { row: "C4", vpc: missing };
  }
  if (waiting !== undefined)
    return { row: "C6", vpc: say("VPCReady", "False", "WaitingForDependencies", text`${waiting}`) };
  const isMissing = renderFailure(chain)?.reason === "WorkspaceTemplateNotFound";
  return { row: "C6", vpc: isMissing ? missing : say("VPCReady", "False", "VPCCreating", applying(chain)) };
}

/** Rows C9 to C11. The control plane's template reads the Secret, so without it nothing is ready. */
function available(world: World): Omit<Sketch, "below" | "creating"> & Partial<Sketch> {
  const { chain } = world;
  const place = placeText(chain.secretPlace);
  const name = workspaceOf(chain);
  if (chain.secret === undefined) {
    const message = text`workspace ${name} is available, Secret ${place} not found yet`;
    return {
      row: "C9",
      vpc: say("VPCReady", "False", "WaitingForConnectionSecret", message),
      ready: false,
      again: often,
    };
  }
  const id = vpcIdOf(world);
  if (id === undefined) {
    const message = text`key vpc_id not found in Secret ${place} nor in the outputs of workspace ${name}`;
    return { row: "C10", vpc: say("VPCReady", "False", "VPCIDNotFound", message), ready: false, again: often };
  }
  return { row: "C11", vpc: made(chain, id), creating: created, ready: true, vpcId: id, again: 300_000 };
}

const made = (chain: Chain, id: string) =>
  isPretended(chain)
    ? say("VPCReady", "True", "Simulated", text`VPC ${id}: ${nothingReal}`)
    : say("VPCReady", "True", "VPCCreated", text`VPC ${id} is available`);

/** Rows C11 to C15: it was ready once, and is never said to be made again. */
function provisioned(world: World): Sketch {
  const { it, chain } = world;
  const { class: is } = chain;
  const known = it.status?.vpcId ?? "";
  const base = { creating: created, below: below(world), again: seldom } as const;
  const unused = unusedVpc(world);
  // Whether it is still there is not known: that is not "no" either.
  const isUnknown = unused.status === "Unknown";
  const lost = { vpc: unused, ready: isUnknown ? "unknown" : false } as const;
  if (is === "None" || is === "Missing") return { ...base, ...lost, row: "C14" };
  if (is === "Degraded") return { ...base, row: "C12", vpc: made(chain, known), ready: true };
  if (is === "NoRunner") {
    const vpc = withoutRunner(chain);
    return { ...base, row: "C13", vpc, ready: vpc.status === "Unknown" ? "unknown" : false };
  }
  if (is !== "Available") return { ...base, ...lost, row: "C13" };
  const found = available(world);
  if (found.row === "C11") return { ...base, ...found };
  return { ...base, row: "C15", vpc: made(chain, known), ready: true };
}

function unusedVpc({ it, chain }: World): Said<Kind, "VPCReady"> {
  return { type: "VPCReady", ...unready(chain, isProvisioned(it)) };
}

const notCreating = say("VPCCreating", "False", "NoRunner", text`not creating`);

const withoutRunner = (chain: Chain) => say("VPCReady", runnerStatus(chain), "NoRunner", noRunner(chain));

const said = (chain: Chain) => ({ ...creating, message: applying(chain) });

function below({ it, chain }: World): readonly NetworkSaid[] {
  return [...workspaceConditions(chain, isProvisioned(it)), secretSaid(chain, isProvisioned(it))];
}

/** Unknown until the Workspace is available: only then is the Secret waited for. */
function secretSaid(chain: Chain, wasReady: boolean): NetworkSaid {
  const place = placeText(chain.secretPlace);
  if (chain.class !== "Available" && !(wasReady && chain.class === "Degraded")) {
    return say(
      "ConnectionSecretReady",
      "Unknown",
      "WorkspaceNotReady",
      text`workspace ${workspaceOf(chain)} is not available`,
    );
  }
  if (chain.secret === undefined) {
    return say("ConnectionSecretReady", "False", "WaitingForSecret", text`Secret ${place} not found yet`);
  }
  const isFound = textIn(chain.secret, "vpc_id") !== undefined || shownText(chain, "vpc_id") !== undefined;
  return isFound
    ? say("ConnectionSecretReady", "True", "SecretFound", text`Secret ${place} is there`)
    : say("ConnectionSecretReady", "False", "KeyMissing", text`Secret ${place} has no key vpc_id`);
}
