// Where this server answers otherwise than the recorded one, on purpose. Everything else that differs is a defect.

export interface Accepted {
  readonly case: string;
  /** Of one step only, counted from 0. */
  readonly step?: number;
  /** Of this part of the answer and what is in it. */
  readonly pointer?: string;
  readonly reason: string;
}

export const accepted: readonly Accepted[] = [
  {
    case: "R41",
    step: 8,
    reason:
      "the recorded server still had a snapshot from before the compaction; this one keeps none and answers 410, as a server without that cache does",
  },
];
