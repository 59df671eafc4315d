// A value that is asked for often and read seldom: a file's text, which rotates under us.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export interface Remembered<T> {
  /** At once where it is known. */
  get(): T | Promise<T>;
  /** The next `get` reads. */
  forget(): void;
}

/** Goes on with a value, at once where it is there: most are, and to wait for them would cost more than to use them. */
export function whenKnown<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Kubernetes renews a mounted token at 80 % of its hour, and client-go looks once a minute: so do we. */
export const rotation: Ms = 60_000;

/** Reads at most once per while, and once for all who ask at the same time. A failed re-read keeps the last value. */
export function remember<T>(clock: Clock, every: Ms, read: () => Promise<T>): Remembered<T> {
  let last: { readonly value: T } | undefined;
  /** By the hours that really pass: a clock that is put back must not keep an old token alive. */
  let until = Number.NEGATIVE_INFINITY;
  let reading: Promise<T> | undefined;
  const reread = async () => {
    try {
      const value = await read();
      last = { value };
      until = clock.uptime() + every;
      return value;
    } catch (error) {
      if (last === undefined) throw error;
      until = clock.uptime() + every;
      return last.value;
    } finally {
      reading = undefined;
    }
  };
  return {
    get() {
      if (last !== undefined && clock.uptime() < until) return last.value;
      reading ??= reread();
      return reading;
    },
    forget() {
      until = Number.NEGATIVE_INFINITY;
    },
  };
}
