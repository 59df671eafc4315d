// A certificate that changes while it is used: looked for again and again, and told to whoever follows.
import { type Clock, jitter, type Random, type Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { sanitize } from "@telltale/status";
import { type Log, silentLog } from "../log.ts";

/** What a server serves with, and what its clients need in order to believe it. All PEM. */
export interface Served {
  readonly cert: string;
  readonly key: string;
  /** The authorities; empty where nobody here knows them. */
  readonly ca: string;
}

export interface CertificateFeed {
  /** Undefined until the first one was found. */
  current(): Served | undefined;
  /** What is wrong at present. */
  trouble(): string | undefined;
  /** Told of the present certificate at once, and of each that follows. Ends it when called. */
  follow(use: (served: Served) => void): () => void;
  /** Looks now, rather than at the next time. Resolves when it has; trouble is told by `trouble`. */
  check(): Promise<void>;
  /** No more looking. Resolves when the last look has ended. */
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
  /** Between two looks. After trouble sooner: a second, then twice as long each time. */
  readonly every: Ms;
  /** Finds what to serve with, or throws what is wrong. */
  readonly look: () => Promise<Served>;
  /** After each look that found something, when everybody has been told. */
  readonly after?: (served: Served) => Promise<void>;
}

const firstPause: Ms = 1_000;

/** Begins to look at once. */
export function certificateFeed({ clock, random, log = silentLog, every, look, after }: FeedOptions): CertificateFeed {
  const followers = new Set<(served: Served) => void>();
  let current: Served | undefined;
  let trouble: string | undefined;
  let failures = 0;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;

  const once = async () => {
    try {
      const found = await look();
      if (!same(current, found)) {
        current = found;
        for (const use of [...followers]) use(found);
      }
      await after?.(found);
      trouble = undefined;
      failures = 0;
    } catch (error) {
      const why = sanitize(error, { max: 1024, firstLineOnly: true });
      if (why !== trouble) log.warn("the webhooks' certificate needs attention", { error: why });
      trouble = why;
      failures += 1;
    }
  };
  const check = () => {
    running ??= once().finally(() => {
      running = undefined;
      if (stopped) return;
      timer?.cancel();
      const pause = failures === 0 ? every : Math.min(every, firstPause * 2 ** (failures - 1));
      timer = clock.after(jitter(random, pause, 0.1), check);
    });
    return running;
  };
  void check();

  return {
    current: () => current,
    trouble: () => trouble,
    follow(use) {
      followers.add(use);
      if (current !== undefined) use(current);
      return () => followers.delete(use);
    },
    check,
    async stop() {
      stopped = true;
      timer?.cancel();
      await running;
    },
  };
}

const same = (a: Served | undefined, b: Served): boolean => a?.cert === b.cert && a.key === b.key && a.ca === b.ca;
