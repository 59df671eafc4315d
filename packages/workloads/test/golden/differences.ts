// Where the embedded server and its controllers are allowed to differ from the recordings, each with its reason.

export interface Allowed {
  readonly scenario: string;
  /** `Kind/name` as in the recording. */
  readonly object: string;
  /** What is not compared: a path as the differences print it. Left out: the object as a whole. */
  readonly path?: string;
  readonly reason: string;
}

export const allowed: readonly Allowed[] = [];
