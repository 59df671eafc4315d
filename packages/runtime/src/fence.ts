// Who may write. A lease or a share of the keys is lost by time alone: whoever writes asks at the last moment before sending.

export interface Fence {
  /** Whether a write on behalf of this object may be sent now. Asked without an object: any write at all. */
  allows(object?: { readonly namespace?: string; readonly name: string }): boolean;
}

/** Thrown in place of sending. Nothing reached the server. */
export class NotLeaderError extends Error {
  constructor(what: string) {
    super(`${what} was not sent: this process does not hold the lease (any more)`);
    this.name = "NotLeaderError";
  }
}

export const openFence: Fence = { allows: () => true };
