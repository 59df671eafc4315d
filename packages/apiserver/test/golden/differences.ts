// Where this server answers otherwise than the recorded one, on purpose. Everything else that differs is a defect.

export interface Accepted {
  readonly case: string;
  /** Of one step only, counted from 0. */
  readonly step?: number;
  /** Of this part of the answer and what is in it. */
  readonly pointer?: string;
  readonly reason: string;
}

export const accepted: readonly Accepted[] = [];
