// What an instance keeps of each pod in its status: the slot, the last probe and a transfer that is late. The operator reads it back
// when it starts. Pure.
import type { Condition } from "@telltale/kinds";
import { type FailureCode, failureCodes } from "../bindcar/contract.ts";
import type { Trouble } from "../bindcar/outcome.ts";
import type { Bind9InstanceStatus } from "../kinds/index.ts";
import { type Finding, notProbed, type PodView, type ProbeState } from "./pod-view.ts";
import { podsFromMessages } from "./pods-from-messages.ts";

export interface PodRecord {
  /** Absent in what was read from messages. */
  readonly uid?: string;
  readonly name: string;
  readonly slot: number;
  readonly finding: Finding;
}

type StoredPod = NonNullable<Bind9InstanceStatus["pods"]>[number];

type Stored = {
  readonly pods?: readonly StoredPod[] | undefined;
  readonly conditions?: readonly Condition[] | undefined;
};

export function podRecords(status: Stored | undefined): readonly PodRecord[] {
  if (status?.pods === undefined) return podsFromMessages(status?.conditions ?? []);
  return status.pods.map(({ uid, name, slot, ...stored }) => ({ uid, name, slot, finding: findingOf(stored) }));
}

export const heldSlotsOf = (records: readonly PodRecord[]): ReadonlyMap<string, number> =>
  new Map(records.map(({ name, slot }) => [name, slot]));

function findingOf({ probe, failure, transfer }: Omit<StoredPod, "uid" | "name" | "slot">): Finding {
  return { probe: probeOf(probe, failure), ...(transfer === undefined ? {} : { lag: lagOf(transfer) }) };
}

function probeOf(probe: StoredPod["probe"], failure: StoredPod["failure"]): ProbeState {
  if (probe === "Succeeded") return { kind: "succeeded" };
  if (probe !== "Failed") return notProbed;
  const { httpStatus, code, zone } = failure ?? {};
  const known = failureCodes.find((one): one is FailureCode => one === code);
  const trouble: Trouble =
    httpStatus === undefined
      ? { at: "unreachable", why: "failed" }
      : { at: "answered", status: httpStatus, ...(known === undefined ? {} : { code: known }) };
  return { kind: "failed", fault: { trouble, ...(zone === undefined ? {} : { zone }) } };
}

function lagOf({ zone, serial, expectedSerial }: NonNullable<StoredPod["transfer"]>): NonNullable<Finding["lag"]> {
  if (expectedSerial === undefined) return { is: "cutOff", zone };
  return { is: "behind", zone, have: serial ?? 0, want: expectedSerial };
}

/** As it is stored. */
export function storedPod({ uid, name, probe, lag }: PodView, slot: number): StoredPod {
  const failure = failureOf(probe);
  return {
    uid,
    name,
    slot,
    probe: words[probe.kind],
    ...(failure === undefined ? {} : { failure }),
    ...(lag === undefined ? {} : { transfer: transferOf(lag) }),
  };
}

const words = { unknown: "Unknown", succeeded: "Succeeded", failed: "Failed" } as const;

function failureOf(probe: ProbeState): StoredPod["failure"] {
  if (probe.kind !== "failed") return undefined;
  const { trouble, zone } = probe.fault;
  return {
    ...(trouble.at === "answered" ? { httpStatus: trouble.status } : {}),
    ...(trouble.at === "answered" && trouble.code !== undefined ? { code: trouble.code } : {}),
    ...(zone === undefined ? {} : { zone }),
  };
}

function transferOf(lag: NonNullable<Finding["lag"]>): NonNullable<StoredPod["transfer"]> {
  if (lag.is === "cutOff") return { zone: lag.zone };
  return { zone: lag.zone, serial: lag.have, expectedSerial: lag.want };
}
