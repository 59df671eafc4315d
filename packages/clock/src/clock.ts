// Time and chance as values. Whoever needs one takes it as an argument; nobody reads the system's.
import type { Instant, Ms } from "@telltale/kinds";

/** A timer that can be given up. Giving up twice is fine. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  now(): Instant;
  /** How much time has passed since some moment. Unlike `now` it never goes back and nobody can put it elsewhere. */
  uptime(): Ms;
  /** Calls once, after at least so long. */
  after(delay: Ms, call: () => void): Timer;
}

export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  bytes(count: number): Uint8Array;
}

/** Resolves after a while, or rejects with the signal's reason. */
export function sleep(clock: Clock, delay: Ms, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const give = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delay, () => {
      signal?.removeEventListener("abort", give);
      resolve();
    });
    signal?.addEventListener("abort", give, { once: true });
  });
}

/** A version 4 UUID. */
export function uuid(random: Random): string {
  const b = random.bytes(16);
  b[6] = ((b[6] ?? 0) & 0x0f) | 0x40;
  b[8] = ((b[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(b.buffer, b.byteOffset, b.length).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** One of a list. */
export function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[Math.floor(random.next() * list.length)] ?? list[0];
}

/** A length of time moved by up to `share` of it in either direction. */
export function jitter(random: Random, length: Ms, share: number): Ms {
  return length * (1 + share * (2 * random.next() - 1));
}
