// Migration: a status that was written before it had `pods` kept the name, the slot and the trouble of each pod in the message of its
// condition. It is read once, until the first write. Nothing else reads a message.
import { type Condition, parseChildType } from "@telltale/kinds";
import type { Trouble } from "../bindcar/outcome.ts";
import type { Fault } from "../http-errors.ts";
import { bindcarReasons, CONDITION_TYPE_POD_PREFIX, REASON_RNDC_AUTHENTICATION_FAILED } from "../reasons.ts";
import type { PodRecord } from "./pod-records.ts";
import { type Finding, type Lag, notProbed } from "./pod-view.ts";

export function podsFromMessages(conditions: readonly Condition[]): readonly PodRecord[] {
  return conditions.flatMap(({ type, status, reason, message }): readonly PodRecord[] => {
    const child = parseChildType(type);
    const [, name, phrase = ""] = /^Pod (\S+) (.*)$/s.exec(message) ?? [];
    if (child?.family !== CONDITION_TYPE_POD_PREFIX || name === undefined) return [];
    const fault = faultIn(reason, phrase);
    const lag = lagIn(phrase);
    const finding: Finding = {
      probe: fault !== undefined ? { kind: "failed", fault } : status === "True" ? { kind: "succeeded" } : notProbed,
      ...(lag === undefined ? {} : { lag }),
    };
    return [{ name, slot: child.index, finding }];
  });
}

function faultIn(reason: string, phrase: string): Fault | undefined {
  if (!bindcarReasons.some((known) => known === reason)) return undefined;
  if (reason === REASON_RNDC_AUTHENTICATION_FAILED) {
    return { trouble: { at: "answered", status: 500, code: "RNDC_AUTH" } };
  }
  const status = /\((\d{3})\)$/.exec(phrase)?.[1];
  const zone = /^is missing zone (\S+) in BIND9/.exec(phrase)?.[1];
  const trouble: Trouble =
    status === undefined ? { at: "unreachable", why: "failed" } : { at: "answered", status: Number(status) };
  return { trouble, ...(zone === undefined ? {} : { zone }) };
}

function lagIn(phrase: string): Lag | undefined {
  const [, cutOff] = /^cannot reach an external primary of zone (\S+)$/.exec(phrase) ?? [];
  if (cutOff !== undefined) return { is: "cutOff", zone: cutOff };
  const behind = /^has not transferred zone (\S+) \(serial (\d+), expected (\d+)\)$/.exec(phrase);
  const [, zone = "", have, want] = behind ?? [];
  return behind === null ? undefined : { is: "behind", zone, have: Number(have), want: Number(want) };
}
