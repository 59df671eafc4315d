import { type Random, seededRandom } from "@telltale/clock";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterwards, anew, begin, type Ended, type Following, type FollowState, type Trouble } from "./follow-state.ts";

/** Right in the middle: a jitter of nothing. */
const even: Random = { next: () => 0.5, bytes: (count) => new Uint8Array(count) };

const listing = (more: Partial<Following> = {}) =>
  ({ at: "listing", how: "stream", attempt: 0, trust: "newest", ...more }) as Following;
const watching = (more: Partial<Following> = {}) =>
  ({ at: "watching", how: "stream", attempt: 0, from: "7", ...more }) as Following;
const asking = (more: object = {}) =>
  ({ at: "asking", how: "stream", attempt: 0, from: "7", asked: 0, ...more }) as Following;
const behind = (more: object = {}) =>
  ({ at: "behind", how: "stream", attempt: 0, times: 1, asked: 1, ...more }) as Following;

const after = (state: Following, ended: Partial<Ended>) => afterwards(state, { progress: false, ...ended }, even);
const wait = (length: number, then: Following): FollowState => ({ at: "waiting", for: length, then });
const unwaited = (state: FollowState): FollowState => (state.at === "waiting" ? state.then : state);
const known = { version: "7" };

describe("reading the world", () => {
  it("is what everything begins with", () => {
    expect(begin("pages")).toEqual(listing({ how: "pages" }));
  });

  it("in pages leads to a watch at once", () => {
    expect(after(listing({ how: "pages" }), known)).toEqual(watching({ how: "pages" }));
  });

  it("in pages makes no attempts of streams forgotten", () => {
    expect(after(listing({ how: "pages", attempt: 4 }), known)).toEqual(watching({ how: "pages", attempt: 4 }));
  });

  it("as a stream that followed for a while and ended leads to a question, at once", () => {
    expect(after(listing(), { ...known, progress: true })).toEqual(asking());
  });

  it("as a stream that ended with its list leads to a question after a pause", () => {
    expect(after(listing(), known)).toEqual(wait(100, asking({ attempt: 1 })));
  });

  it("goes over to pages at once where a server cannot stream lists", () => {
    expect(after(listing({ attempt: 2 }), { trouble: "unsupported" })).toEqual(listing({ how: "pages", attempt: 2 }));
  });

  it.each(["cut", "stalled", "garbled"] as const)(
    "goes over to pages when its stream was %s three times",
    (trouble) => {
      expect(unwaited(after(listing({ attempt: 1 }), { trouble }))).toEqual(listing({ attempt: 2 }));
      expect(unwaited(after(listing({ attempt: 2 }), { trouble }))).toEqual(listing({ how: "pages", attempt: 3 }));
    },
  );

  it.each(["failed", "refused"] as const)("stays as it is when it %s", (trouble) => {
    expect(after(listing({ attempt: 5 }), { trouble })).toEqual(wait(3_200, listing({ attempt: 6 })));
  });

  it("that is older than what is known leads to questions", () => {
    expect(after(listing(), { trouble: "rewound" })).toEqual(wait(100, behind({ attempt: 1 })));
  });

  it("keeps its trust over a failure", () => {
    expect(unwaited(after(listing({ trust: "server" }), { trouble: "cut" }))).toMatchObject({ trust: "server" });
  });
});

describe("following", () => {
  it.each([undefined, "cut", "garbled", "failed", "refused", "stalled"] as const)(
    "goes on from where it was after progress, without a pause: %s",
    (trouble) => {
      const ended = { version: "9", progress: true, ...(trouble === undefined ? {} : { trouble }) };
      expect(after(watching({ attempt: 5 }), ended)).toEqual(asking({ from: "9" }));
    },
  );

  it.each([
    ["in good order", undefined, 8],
    ["cut", "cut", 8],
    ["failed", "failed", 8],
    ["garbled", "garbled", 3],
    ["refused", "refused", 3],
    ["stalled", "stalled", 2],
  ] as const)("reads the world anew when it ended %s, and brought nothing again and again", (_how, trouble, limit) => {
    const ended = { ...known, ...(trouble === undefined ? {} : { trouble }) };
    const states = Array.from({ length: limit }, (_, attempt) => unwaited(after(watching({ attempt }), ended)).at);
    expect(states).toEqual([...Array.from({ length: limit - 1 }, () => "asking"), "listing"]);
  });

  it("reads the world anew when its version has expired, a little later than others", () => {
    expect(after(watching(), { ...known, trouble: "expired", progress: true })).toEqual(wait(100, listing()));
    const waits = [1, 2, 3].map((seed) =>
      afterwards(watching(), { ...known, trouble: "expired", progress: true }, seededRandom(seed)),
    );
    expect(new Set(waits.map((state) => (state.at === "waiting" ? state.for : 0))).size).toBe(3);
  });

  it("reads the world anew when events came in the wrong order", () => {
    expect(after(watching(), { ...known, trouble: "rewound" })).toEqual(wait(100, listing({ attempt: 1 })));
    expect(unwaited(after(listing(), { ...known, trouble: "rewound" }))).toEqual(listing({ attempt: 1 }));
  });

  it.each([watching(), asking(), behind(), listing()])("looks for a kind that is missing, from $at on", (state) => {
    expect(after(state, { trouble: "missing" })).toMatchObject({ at: "waiting", for: 2_000, then: { at: "listing" } });
  });

  it("looks for a kind that has been missing for long every ten seconds", () => {
    expect(after(listing({ attempt: 20 }), { trouble: "missing" })).toMatchObject({ for: 10_000 });
  });
});

describe("asking how far the server is", () => {
  it("leads to a watch at once when it is far enough, or cannot be asked", () => {
    expect(after(asking({ attempt: 2 }), {})).toEqual(watching({ attempt: 2 }));
    expect(after(asking({ attempt: 2 }), { trouble: "refused" })).toEqual(watching({ attempt: 2 }));
  });

  it.each(["failed", "cut", "stalled", "garbled"] as const)("is repeated when it %s, later and later", (trouble) => {
    expect(after(asking(), { trouble })).toEqual(wait(100, asking({ asked: 1 })));
    expect(after(asking({ asked: 3 }), { trouble })).toEqual(wait(800, asking({ asked: 4 })));
  });

  it("does not make a list of a server that was away for long", () => {
    let state: FollowState = asking();
    for (let i = 0; i < 100; i += 1) state = unwaited(after(state as Following, { trouble: "failed" }));
    expect(unwaited(after(state as Following, {}))).toEqual(watching());
  });

  it("is repeated while the server is behind, and leads to a list once it is not", () => {
    expect(after(asking(), { trouble: "rewound" })).toEqual(wait(100, behind()));
    expect(after(behind(), { trouble: "rewound" })).toEqual(wait(200, behind({ times: 2, asked: 2 })));
    expect(after(behind({ times: 5, asked: 5 }), {})).toEqual(listing({ trust: "content" }));
  });

  it("believes a server that stays behind, and not one that only fails", () => {
    let state: FollowState = asking();
    let waited = 0;
    for (let i = 0; i < 8; i += 1) {
      const next: FollowState = afterwards(
        state as Following,
        { trouble: "rewound", progress: false },
        { ...even, next: () => 0 },
      );
      waited += next.at === "waiting" ? next.for : 0;
      state = unwaited(next);
    }
    expect(state).toEqual(listing({ trust: "server" }));
    expect(waited).toBeGreaterThan(6_000);

    let failing: FollowState = behind();
    for (let i = 0; i < 50; i += 1) failing = unwaited(after(failing as Following, { trouble: "failed" }));
    expect(failing).toMatchObject({ at: "behind", times: 1 });
  });
});

describe("pauses", () => {
  const pauses = (trouble: Trouble) =>
    Array.from({ length: 12 }, (_, attempt) => after(listing({ how: "pages", attempt }), { trouble })).map((state) =>
      state.at === "waiting" ? state.for : 0,
    );

  it("grow up to half a minute", () => {
    expect(pauses("failed")).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  });

  it("are shorter between questions: whoever waits for the answer is blind, and a server that is back has it at once", () => {
    const waits = Array.from({ length: 10 }, (_, asked) => after(asking({ asked }), { trouble: "failed" }));
    expect(waits.map((state) => (state.at === "waiting" ? state.for : 0))).toEqual([
      100, 200, 400, 800, 1_600, 3_200, 6_400, 6_400, 6_400, 6_400,
    ]);
  });

  it("grow while a server answers every watch with 410, though each list succeeds", () => {
    let state: FollowState = begin("pages");
    const waits: number[] = [];
    for (let i = 0; i < 24; i += 1) {
      if (state.at === "waiting") {
        waits.push(state.for);
        state = state.then;
      }
      const ended: Partial<Ended> = unwaited(state).at === "listing" ? known : { ...known, trouble: "expired" };
      state = after(state as Following, ended);
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  });

  it("are as long as the server asks for, and no two alike; but not for ever", () => {
    expect(after(asking(), { trouble: "failed", retryAfter: 5_000 })).toMatchObject({ for: 5_100 });
    expect(after(listing(), { trouble: "failed", retryAfter: 86_400_000 })).toMatchObject({ for: 300_100 });
  });
});

it("whatever happens, in any order, it goes on: it lists, asks or watches, and waits no longer than it was asked to", () => {
  const trouble = fc.constantFrom<Trouble | undefined>(
    undefined,
    "expired",
    "stalled",
    "garbled",
    "cut",
    "rewound",
    "missing",
    "failed",
    "refused",
    "unsupported",
  );
  const happening = fc.record({ trouble, progress: fc.boolean(), isListed: fc.boolean() });
  fc.assert(
    fc.property(fc.array(happening), fc.integer(), (happenings, seed) => {
      const random = seededRandom(seed);
      let state: FollowState = begin("stream");
      for (const { trouble: is, progress, isListed } of happenings) {
        const now = unwaited(state) as Following;
        const follows = now.at === "watching" || (now.at === "listing" && (isListed || is === undefined));
        state = afterwards(
          now,
          {
            progress: progress && follows,
            ...(follows ? known : {}),
            ...(is === undefined ? {} : { trouble: is }),
          },
          random,
        );
        if (state.at === "waiting") expect(state.for).toBeLessThanOrEqual(45_000);
        expect(unwaited(state).at).not.toBe("stopped");
        // Nothing leads from a list that was not finished to a watch.
        if (now.at === "listing" && !follows) expect(["listing", "behind"]).toContain(unwaited(state).at);
      }
    }),
  );
});

describe("a server that may have been put back, as somebody else has found", () => {
  it("is read anew at once where that is news, also while a pause is on", () => {
    for (const state of [watching({ attempt: 3 }), behind({ attempt: 3 }), wait(500, watching({ attempt: 3 }))]) {
      expect(anew(state, "content", true)).toEqual(listing({ trust: "content" }));
      expect(anew(state, "server", true)).toEqual(listing({ trust: "server" }));
    }
  });

  it("is read anew when it would be anyway where that is no news", () => {
    expect(anew(watching({ attempt: 3 }), "content", false)).toEqual(listing({ attempt: 3, trust: "content" }));
    const paused = wait(500, watching({ attempt: 3, how: "pages" }));
    const then = listing({ attempt: 3, how: "pages", trust: "content" });
    expect(anew(paused, "content", false)).toEqual(wait(500, then));
  });

  it("is asked on by who asks already, until there is news", () => {
    expect(anew(behind(), "content", false)).toEqual(behind());
    expect(anew(wait(500, behind()), "content", false)).toEqual(wait(500, behind()));
  });

  it("has the last word still where it had that before", () => {
    for (const isNews of [true, false]) {
      expect(anew(listing({ trust: "server" }), "content", isNews)).toEqual(listing({ trust: "server" }));
      expect(anew(listing({ trust: "content" }), "newest", isNews)).toEqual(listing({ trust: "newest" }));
    }
  });

  it("is nobody's concern once all is stopped", () => {
    expect(anew({ at: "stopped" }, "server", true)).toEqual({ at: "stopped" });
  });
});
