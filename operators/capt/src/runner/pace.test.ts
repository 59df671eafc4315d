import { seededRandom } from "@telltale/clock";
import { text } from "@telltale/status";
import { describe, expect, it } from "vitest";
import type { Outcome } from "./engine.ts";
import type { ErrorClass } from "./error-class.ts";
import { pauseAfter } from "./pace.ts";
import { nextOf } from "./turns.ts";

const failed = (which: ErrorClass): Outcome => ({ as: "failed", class: which, message: text`no` });
const random = seededRandom(1);

describe("the next run", () => {
  it("R6 comes ten minutes after a good one, give or take one", () => {
    for (let i = 0; i < 100; i += 1) {
      const pause = pauseAfter({ as: "settled", outputs: {} }, 0, random) ?? 0;
      expect(pause).toBeGreaterThanOrEqual(540_000);
      expect(pause).toBeLessThanOrEqual(660_000);
    }
  });

  it("R10 comes later and later after a bad one: from ten seconds to five minutes", () => {
    const pauses = [1, 2, 3, 4, 5, 6, 20].map((n) => pauseAfter(failed("ApplyFailed"), n, random) ?? 0);
    [10, 20, 40, 80, 160, 300, 300].forEach((seconds, i) => {
      expect(pauses[i]).toBeGreaterThanOrEqual(seconds * 800);
      expect(pauses[i]).toBeLessThanOrEqual(Math.min(300_000, seconds * 1_200));
    });
  });

  it("comes at once after a crash, and later when it crashes again", () => {
    expect(pauseAfter(failed("RunnerCrashed"), 1, random)).toBe(1_000);
    expect(pauseAfter(failed("RunnerCrashed"), 2, random)).toBeGreaterThan(5_000);
    expect(pauseAfter({ as: "stale" }, 1, random)).toBe(1_000);
    expect(pauseAfter({ as: "changes" }, 0, random)).toBe(0);
  });

  it.each<ErrorClass>(["InvalidConfiguration", "UnsupportedSource", "StateConflict"])(
    "does not come after %s",
    (it) => {
      expect(pauseAfter(failed(it), 1, random)).toBeUndefined();
    },
  );
});

describe("12.5 whose turn it is", () => {
  it("is who came first, and who destroys before who makes", () => {
    const [a, b, c] = [
      { operation: "apply", order: 1 },
      { operation: "plan", order: 0 },
      { operation: "destroy", order: 2 },
    ] as const;
    expect(nextOf([a, b, c])).toBe(c);
    expect(nextOf([a, b])).toBe(b);
    expect(nextOf([])).toBeUndefined();
  });
});
