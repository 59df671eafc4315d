// What a pass over a CAPTCluster comes to. Pure.
import type { Instant } from "@telltale/kinds";
import { text } from "@telltale/status";
import { networkWaits } from "../deadlines.ts";
import { type Verdict, verdictOn } from "../failure.ts";
import {
  type Decision as Decided,
  decideBy,
  type Made as MadeBy,
  failureWake as wakeAfter,
} from "../provider/decide.ts";
import { lastError, placeText } from "../provider/words.ts";
import { type Hopeless, type NetworkSaid, type Sketch, sketch } from "./sketch.ts";
import { isProvisioned, type World } from "./world.ts";

export type Decision = Decided<Sketch, Token>;
export type Made = MadeBy<Sketch, Token>;
export type Token = Hopeless | (typeof networkWaits)[number]["reason"];

export function decide(world: World, now: Instant): Decision {
  if (world.trouble !== undefined) return { is: "troubled" };
  const seen = sketch(world);
  return decideBy<Sketch, Token, (typeof networkWaits)[number]>(
    world,
    {
      seen,
      verdict: verdictOf(world),
      waits: networkWaits,
      isArrived: () => seen.row === "C11",
      isDone: isProvisioned(world.it) || seen.ready === true,
      said: () => saidOf(seen),
      failureOf: (token, limit) => ({
        token,
        message: text`${awaited(world, token)} not ready within ${limit}: ${lastError(world)}`,
      }),
    },
    now,
  );
}

export const verdictOf = ({ it }: World): Verdict => verdictOn(it, "VPCFailed");

/** Nothing but an edit mends a contradiction. */
export const failureWake = (token: string, now: Instant): Instant | undefined =>
  token === "InvalidVPCConfig" ? undefined : wakeAfter(now);

/** The conditions of a row that clocks may look at. */
function saidOf({ creating, below }: Sketch): readonly NetworkSaid[] {
  return [creating, ...(below === "omit" ? [] : below)];
}

function awaited({ chain }: World, token: Token): string {
  if (token === "VPCReadyTimeout") return "VPC";
  return token === "SecretTimeout"
    ? `Secret ${placeText(chain.secretPlace)}`
    : `workspace ${chain.workspaceName ?? ""}`;
}
