// What a pass over a CAPTControlPlane comes to. Pure.
import type { Instant } from "@telltale/kinds";
import { text } from "@telltale/status";
import { controlPlaneWaits } from "../deadlines.ts";
import { type Verdict, verdictOn } from "../failure.ts";
import { type Decision as Decided, decideBy, type Failure, type Made as MadeBy } from "../provider/decide.ts";
import { lastError, placeText } from "../provider/words.ts";
import { partsSaid } from "./parts.ts";
import { type PlaneSaid, say } from "./say.ts";
import { type Hopeless, invalidEndpoint, type Sketch, sketch } from "./sketch.ts";
import { isInitialized, type World } from "./world.ts";

export type Decision = Decided<Sketch, Token>;
export type Made = MadeBy<Sketch, Token>;
export type Token = Hopeless | (typeof controlPlaneWaits)[number]["reason"] | "InvalidEndpoint";

export function decide(world: World, now: Instant): Decision {
  if (world.trouble !== undefined) return { is: "troubled" };
  const seen = sketch(world);
  return decideBy<Sketch, Token, (typeof controlPlaneWaits)[number]>(
    world,
    {
      seen,
      verdict: verdictOf(world),
      waits: controlPlaneWaits,
      isArrived: (token) => isArrived(world, seen, token),
      isDone: isInitialized(world.it) || seen.why === undefined,
      said: () => [creatingSaid(seen), ...partsSaid(world, seen.endpoint)],
      failureOf: (token, limit) => failureOf(world, seen, token, limit),
    },
    now,
  );
}

export const verdictOf = ({ it }: World): Verdict => verdictOn(it, "Failed");

export function creatingSaid({ creating, why, row }: Sketch): PlaneSaid<"Creating"> {
  if (creating === "Ready") return say("Creating", "False", "Ready", text`not creating`);
  if (creating === "NoRunner") return say("Creating", "False", "NoRunner", text`not creating`);
  return say("Creating", "True", creating, why?.message ?? text`${row}`);
}

/**
 * Whether what was waited for is there, although nobody has written a kubeconfig: while it has failed, no Secret is made, so
 * that material which could be written is as good as written.
 */
function isArrived({ credentials, infrastructure }: World, { row }: Sketch, token: string): boolean {
  if (token === "VPCReadyTimeout") return infrastructure.is === "ready";
  return row === "P12" || (row === "P11" && credentials.kubeconfig.is === "valid");
}

function failureOf(world: World, { row, endpoint }: Sketch, token: Token, limit: string): Failure<Token> {
  if (token === "SecretTimeout" && row === "P10" && endpoint.is === "invalid") {
    return { token: "InvalidEndpoint", message: invalidEndpoint(world, endpoint.key) };
  }
  return { token, message: text`${awaited(world, row, token)} not ready within ${limit}: ${lastError(world)}` };
}

function awaited({ infrastructure, chain, credentials }: World, row: Sketch["row"], token: Token): string {
  if (token === "ControlPlaneTimeout") return "control plane";
  if (token === "VPCReadyTimeout") return "named" in infrastructure ? infrastructure.named : "CAPTCluster";
  if (token === "WorkspaceReadyTimeout") return `workspace ${chain.workspaceName ?? ""}`;
  return `Secret ${row === "P11" ? credentials.kubeconfig.place : placeText(chain.secretPlace)}`;
}
