// Everything that the issue of watches names as going wrong with them, as trouble on the way to any server.
import { ConnectionError } from "@telltale/client";
import { type Clock, type Random, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { WatchHappening } from "../../src/samples.ts";
import { type Asked, refusal, type Trouble, unreachable } from "./troubled.ts";

export interface Fault {
  /** "a cache survives ..." */
  readonly name: string;
  /** Whether a watch can go on from where it was: then nothing is read anew, and nothing at all is missed. */
  readonly resumes: boolean;
  /** What is told of it. Undefined where nobody can tell. */
  readonly told?: WatchHappening;
  readonly lists?: "stream" | "pages";
  /** How long all is well before: to learn how often bookmarks come. */
  readonly calm?: Ms;
  readonly trouble: (random: Random, clock: Clock) => Trouble;
}

export const faults: readonly Fault[] = [
  {
    name: "streams that end in good order after an event or three",
    resumes: true,
    told: "resumed",
    trouble: (random) => ({ stream: (lines, asked) => until(lines, asked, random) }),
  },
  {
    name: "streams that are cut in the middle of a line",
    resumes: true,
    told: "cut",
    trouble: (random) => ({
      stream: (lines, asked) => until(lines, asked, random, (line) => line.slice(0, line.length / 2)),
    }),
  },
  {
    name: "connections that are reset",
    resumes: true,
    told: "cut",
    trouble: (random) => ({ stream: (lines, asked) => until(lines, asked, random, reset) }),
  },
  {
    name: "lines that are no JSON",
    resumes: true,
    told: "garbled",
    trouble: (random) => ({
      stream: (lines, asked) => until(lines, asked, random, (line) => `${line.slice(0, -9)}\n`),
    }),
  },
  {
    name: "lines that are JSON and no event",
    resumes: true,
    told: "garbled",
    trouble: (random) => ({
      stream: (lines, asked) => until(lines, asked, random, () => '{"type":"ADDED","object":null}\n'),
    }),
  },
  {
    name: "streams that go silent without an end",
    resumes: true,
    told: "stalled",
    calm: 45_000,
    trouble: (random, clock) => ({
      stream: (lines, asked) => stalling(beating(lines, asked, clock, 20_000), random, asked),
    }),
  },
  {
    name: "410 as the answer to a watch",
    resumes: false,
    told: "expired",
    trouble: (random) => ({
      answer: (asked) => (isResumed(asked) && random.next() < 0.5 ? refusal(410, "Expired") : undefined),
      stream: (lines, asked) => until(lines, asked, random),
    }),
  },
  {
    name: "410 as an event",
    resumes: false,
    told: "expired",
    trouble: (random) => ({ stream: (lines, asked) => until(lines, asked, random, () => expired) }),
  },
  {
    name: "410 on the token of a page",
    resumes: false,
    told: "expired",
    lists: "pages",
    trouble: (random) => ({
      ask: inSmallPages,
      answer: ({ query }) => (query.has("continue") && random.next() < 0.3 ? refusal(410, "Expired") : undefined),
      stream: (lines, asked) => until(lines, asked, random, () => expired),
    }),
  },
  {
    name: "a server without bookmarks",
    resumes: true,
    told: "resumed",
    trouble: (random) => ({ stream: (lines, asked) => until(without(lines, isPlainBookmark), asked, random) }),
  },
  {
    name: "a server that refuses to stream lists",
    resumes: true,
    told: "resumed",
    trouble: (random) => ({ answer: refuseStreamedLists, stream: (lines, asked) => until(lines, asked, random) }),
  },
  {
    name: "a server that has never heard of streamed lists and bookmarks, and loses its history",
    resumes: false,
    told: "expired",
    trouble: (random) => ({
      ask: asToAnOldServer,
      stream: (lines, asked) =>
        isResumed(asked) ? until(without(lines, isBookmark), asked, random, () => expired) : without(lines, isBookmark),
    }),
  },
  {
    name: "events that come twice",
    resumes: true,
    trouble: () => ({ stream: (lines) => doubled(lines) }),
  },
  {
    name: "events that come late, and answers that come before them",
    resumes: true,
    trouble: (random, clock) => ({ stream: (lines) => late(lines, random, clock, 1_000) }),
  },
  {
    name: "lists in another order each time",
    resumes: false,
    told: "expired",
    lists: "pages",
    trouble: (random) => ({
      list: (text) => edited(text, (items) => shuffled(items, random)),
      stream: (lines, asked) => until(lines, asked, random, () => expired),
    }),
  },
  {
    name: "a replica that lags behind",
    resumes: false,
    told: "rewound",
    lists: "pages",
    trouble: (random) => {
      const before = new Map<string, string[]>();
      return {
        list(text, { query }) {
          const seen = before.get(query.get("limit") ?? "") ?? [];
          before.set(query.get("limit") ?? "", [...seen, text].slice(-3));
          return random.next() < 0.4 ? (seen[0] ?? text) : text;
        },
        stream: (lines, asked) => until(lines, asked, random, () => expired),
      };
    },
  },
  {
    name: "a server that is away or too busy half of the time",
    resumes: true,
    told: "resumed",
    trouble: (random) => ({
      answer() {
        const chance = random.next();
        return chance < 0.25 ? unreachable() : chance < 0.5 ? refusal(503, "ServiceUnavailable") : undefined;
      },
      stream: (lines, asked) => until(lines, asked, random, reset),
    }),
  },
];

/** All of it at once: each request has the trouble of one fault, or none. */
export function mixed(random: Random, clock: Clock): Trouble {
  const troubles = [{}, ...faults.map(({ trouble }) => trouble(random, clock))];
  const chosen = new WeakMap<Asked, Trouble>();
  const of = (asked: Asked): Trouble => {
    const trouble = chosen.get(asked) ?? troubles[Math.floor(random.next() * troubles.length)] ?? {};
    chosen.set(asked, trouble);
    return trouble;
  };
  return {
    answer: (asked) => of(asked).answer?.(asked),
    ask: (query, asked) => of(asked).ask?.(query, asked),
    list: (text, asked) => of(asked).list?.(text, asked) ?? text,
    stream: (lines, asked) => of(asked).stream?.(lines, asked) ?? lines,
  };
}

const isResumed = ({ is, query }: Asked): boolean => is === "watch" && query.has("resourceVersion");

const reset = (): never => {
  throw new ConnectionError("body", "reset by peer");
};

const expired = `${JSON.stringify({ type: "ERROR", object: JSON.parse(refusal(410, "Expired", "too old").body) })}\n`;

/** One to three events, then what becomes of the next one. A list at the beginning is not counted. */
async function* until(lines: AsyncIterable<string>, { query }: Asked, random: Random, last?: (line: string) => string) {
  let left = 1 + Math.floor(random.next() * 3);
  let isList = query.has("sendInitialEvents");
  for await (const line of lines) {
    if (isList) isList = !line.includes('"k8s.io/initial-events-end"');
    else left -= 1;
    if (left >= 0) yield line;
    else {
      if (last !== undefined) yield last(line);
      return;
    }
  }
}

async function* without(lines: AsyncIterable<string>, unwanted: (line: string) => boolean) {
  for await (const line of lines) if (!unwanted(line)) yield line;
}

const isBookmark = (line: string): boolean => line.startsWith('{"type":"BOOKMARK"');
const isPlainBookmark = (line: string): boolean => isBookmark(line) && !line.includes('"k8s.io/initial-events-end"');

async function* doubled(lines: AsyncIterable<string>) {
  for await (const line of lines) {
    yield line;
    yield line;
  }
}

/** In order, each up to so long after it was sent. */
async function* late(lines: AsyncIterable<string>, random: Random, clock: Clock, most: Ms) {
  for await (const line of lines) {
    await sleep(clock, random.next() * most);
    yield line;
  }
}

/** Some events, and then nothing until the client leaves. */
async function* stalling(lines: AsyncIterable<string>, random: Random, asked: Asked) {
  let left = 1 + Math.floor(random.next() * 8);
  let isList = asked.query.has("sendInitialEvents");
  for await (const line of lines) {
    yield line;
    if (isList) isList = !line.includes('"k8s.io/initial-events-end"');
    else if (!isBookmark(line)) left -= 1;
    if (left === 0) await new Promise<void>((resolve) => asked.signal.addEventListener("abort", () => resolve()));
  }
}

/** Bookmarks of our own making: a real server sends one in a minute. */
async function* beating(lines: AsyncIterable<string>, { query }: Asked, clock: Clock, every: Ms) {
  const iterator = lines[Symbol.asyncIterator]();
  let version = query.get("resourceVersion") ?? "";
  let isListed = version !== "";
  let next = iterator.next();
  try {
    for (;;) {
      const beat = new AbortController();
      const came = await Promise.race([next, sleep(clock, every, beat.signal).catch(() => undefined)]);
      beat.abort();
      if (came === undefined) {
        if (isListed)
          yield `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: version } } })}\n`;
        continue;
      }
      if (came.done === true) return;
      const event = JSON.parse(came.value) as { object: { metadata: { resourceVersion?: string } } };
      isListed ||= came.value.includes('"k8s.io/initial-events-end"');
      version = event.object.metadata.resourceVersion ?? version;
      yield came.value;
      next = iterator.next();
    }
  } finally {
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

function inSmallPages(query: URLSearchParams): void {
  if (query.has("limit") && query.get("limit") !== "1") query.set("limit", "4");
}

function refuseStreamedLists({ query }: Asked) {
  return query.has("sendInitialEvents") ? refusal(422, "Invalid", "sendInitialEvents is forbidden") : undefined;
}

function asToAnOldServer(query: URLSearchParams): void {
  for (const unknown of ["sendInitialEvents", "resourceVersionMatch", "allowWatchBookmarks"]) query.delete(unknown);
}

function edited(text: string, edit: (items: unknown[]) => unknown[]): string {
  const list = JSON.parse(text) as { items?: unknown[] };
  return JSON.stringify({ ...list, items: edit(list.items ?? []) });
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
