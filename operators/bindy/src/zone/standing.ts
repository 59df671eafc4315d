// How far a zone has got on one instance, by what its pods answered in this pass. Pure.
import { type SafeText, text } from "@telltale/status";
import type { Bind9Instance, DNSZoneStatus } from "../kinds/index.ts";
import type { UnansweredReason } from "../reasons.ts";
import type { Result, ServerTrouble } from "./primaries.ts";
import type { Followed } from "./secondaries.ts";
import { reasonFromMessage } from "./standing-from-message.ts";
import { isRefusal, meaningIn, refusalIn } from "./trouble.ts";
import { type Done, uidOf, type World } from "./world.ts";

export type StandingReason = NonNullable<NonNullable<DNSZoneStatus["bind9Instances"]>[number]["reason"]>;

export type Standing =
  | { readonly at: "Configured" }
  | { readonly at: "Claimed"; readonly reason: StandingReason; readonly why: SafeText } // it will come
  | { readonly at: "Failed"; readonly reason: StandingReason; readonly why: SafeText }
  | { readonly at: "Unknown"; readonly reason: UnansweredReason; readonly why: SafeText }; // a pod did not answer what it has

type Asked = Pick<Done, "primaries" | "secondaries" | "late">;

export function standingOf(instance: Bind9Instance, { servers, zone }: World, done: Asked): Standing {
  const { primaries, secondaries, late } = done;
  const found = (servers.get(uidOf(instance)) ?? []).flatMap(({ uid }) => {
    const result = primaries.get(uid) ?? secondaries.get(uid);
    return result === undefined ? [] : [{ uid, result }];
  });
  const { zoneName } = zone.spec;
  for (const { uid, result } of found) {
    const trouble = troubleOf(result);
    if (trouble !== undefined && !isUnanswered(result)) {
      const { reason, message } = refusalIn(trouble, zoneName);
      return { at: "Failed", reason, why: message };
    }
    if (result.is === "differs") {
      const why = text`${result.left.length} RRset(s) are not as they were sent`;
      return { at: "Failed", reason: "Differs", why };
    }
    if (late.has(uid)) return { at: "Failed", reason: "NotTransferred", why: text`the zone has not been transferred` };
  }
  for (const { result } of found) {
    const trouble = troubleOf(result);
    if (trouble === undefined) continue;
    const { reason, message } = meaningIn(trouble, zoneName);
    return { at: "Unknown", reason, why: message };
  }
  if (found.length === 0) return { at: "Claimed", reason: "WaitingForPod", why: text`waiting for a pod` };
  const isComing = found.some(
    ({ result }) => result.is === "waiting" || (result.is === "behind" && result.have === undefined),
  );
  if (!isComing) return { at: "Configured" };
  return { at: "Claimed", reason: "WaitingForTransfer", why: text`waiting for the first transfer` };
}

export const isNotTransferred = (server: NonNullable<DNSZoneStatus["bind9Instances"]>[number]): boolean =>
  server.status === "Failed" && (server.reason ?? reasonFromMessage(server.message)) === "NotTransferred";

const troubleOf = (result: Result | Followed): ServerTrouble | undefined =>
  result.is === "trouble" ? result.trouble : undefined;

/** What the server has is unknown: it could not be read, or no answer says what became of a request. */
export const isUnanswered = (result: Result | Followed): boolean =>
  result.is === "trouble" && (result.isUnread === true || !isRefusal(result.trouble));
