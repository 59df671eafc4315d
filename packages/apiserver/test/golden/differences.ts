// Where this server answers otherwise than the recorded one, on purpose. Everything else that differs is a defect.

export interface Accepted {
  readonly case: string;
  /** Of one step only, counted from 0. */
  readonly step?: number;
  /** Of this part of the answer and what is in it. */
  readonly pointer?: string;
  readonly reason: string;
}

/** Every client that asks for protobuf also takes JSON; kubectl and controller-runtime were tried. */
const protobuf = "answers are JSON or YAML: a clause of Accept that names protobuf is passed over";

export const accepted: readonly Accepted[] = [
  {
    case: "R41",
    step: 8,
    reason:
      "the recorded server still had a snapshot from before the compaction; this one keeps none and answers 410, as a server without that cache does",
  },
  ...[6, 7].map((step) => ({ case: "D19", step, reason: protobuf })),
  ...[4, 5].map((step) => ({ case: "R49", step, reason: protobuf })),
  {
    case: "N10",
    step: 7,
    reason: "an overhead that is empty is none here; the real server tells an empty map from no map",
  },
  {
    case: "V106",
    step: 6,
    pointer: "/headers/warning",
    reason:
      "a body of a version that does not exist is refused in the same words; the real server also warns about its fields",
  },
];
