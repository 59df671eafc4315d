import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ring } from "./ring.ts";

const keys = Array.from({ length: 10_000 }, (_, i) => `team-${i % 40}/object-${i}`);
const names = (most: number) =>
  fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), { minLength: 2, maxLength: most });
const few = { seed: 7, numRuns: 20 };

function shares(members: readonly string[]): Map<string, number> {
  const { owner } = ring(members);
  const counts = new Map<string, number>();
  for (const key of keys) {
    const name = owner(key) ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

describe("a ring", () => {
  it("gives every key an owner, whatever the order in which its members are named", () => {
    fc.assert(
      fc.property(names(10), (members) => {
        const [one, other] = [ring(members), ring([...members].reverse().concat(members))];
        expect(other.hash).toBe(one.hash);
        for (const key of keys.slice(0, 500)) {
          expect(members).toContain(one.owner(key));
          expect(other.owner(key)).toBe(one.owner(key));
        }
      }),
      few,
    );
  });

  it("gives each of up to ten members its fair share, give or take 30 %", () => {
    const pods = Array.from({ length: 10 }, (_, i) => `operator-7c9d8b6f5-${i}`);
    fc.assert(
      fc.property(
        fc.oneof(
          names(10),
          fc.integer({ min: 2, max: 10 }).map((n) => pods.slice(0, n)),
        ),
        (members) => {
          const fair = keys.length / members.length;
          for (const share of shares(members).values()) {
            expect(share).toBeGreaterThan(0.7 * fair);
            expect(share).toBeLessThan(1.3 * fair);
          }
          expect(shares(members).size).toBe(members.length);
        },
      ),
      few,
    );
  });

  it("moves to a member that joins its own share and nothing else; back again when it leaves", () => {
    fc.assert(
      fc.property(names(10), (members) => {
        const [joins = "", ...rest] = members;
        const [before, after] = [ring(rest), ring(members)];
        let moved = 0;
        for (const key of keys) {
          const now = after.owner(key);
          if (now === before.owner(key)) continue;
          expect(now).toBe(joins);
          moved += 1;
        }
        expect(moved).toBeLessThan((1.3 * keys.length) / members.length);
      }),
      few,
    );
  });

  it("tells sets of members apart, even where their names run together", () => {
    expect(ring(["a", "b"]).hash).not.toBe(ring(["a,b"]).hash);
    expect(ring(['a","b']).hash).not.toBe(ring(["a", "b"]).hash);
    expect(ring([]).hash).not.toBe(ring([""]).hash);
  });

  it("without members has no owners", () => {
    expect(ring([]).owner("a/b")).toBeUndefined();
  });

  it("places keys where it always did: members of two releases agree", () => {
    const { owner } = ring(["a", "b", "c"]);
    const first = ["x/1", "x/2", "x/3", "x/4", "y/1", "/node-1"].map(owner);
    expect(first.join("")).toMatchInlineSnapshot(`"aaabbc"`);
    expect(ring(["a", "b", "c"]).hash).toMatchInlineSnapshot(`"fa1844c2988ad15a"`);
  });
});
