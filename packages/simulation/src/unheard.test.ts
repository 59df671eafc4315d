import { expect, test } from "vitest";
import type { Change } from "./history.ts";
import type { Sent } from "./network.ts";
import type { Pass } from "./pass.ts";
import { targetOf } from "./target.ts";
import { Unheard } from "./unheard.ts";
import type { World } from "./world.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const sent = (method: string, path: string): Sent => ({
  process: "operator-1",
  method,
  target: targetOf(path),
  request: { method, path, headers: {} },
  write: 1,
});
const added = [{ type: "ADDED", key: "//configmaps/default/a" }] as unknown as readonly Change[];
const opened = (state = "runs") => new Unheard({ process: () => ({ state }) } as unknown as World);

test("what its sender was told the truth of explains nothing", () => {
  const unheard = opened();
  const first = sent("PATCH", `${maps}/a`);
  unheard.applied(first, added);
  unheard.heard(first, { as: "answer", status: 200 });
  expect([unheard.explains(sent("PATCH", `${maps}/a`)), unheard.creates("/configmaps")]).toEqual([false, 0]);
});

test("a lie explains repetitions of the same until the truth is heard", () => {
  const unheard = opened();
  const [first, again, other] = [sent("PATCH", `${maps}/a`), sent("PATCH", `${maps}/a`), sent("PATCH", `${maps}/b`)];
  unheard.applied(first, added);
  unheard.heard(first, { as: "lie", status: 500 });
  expect([unheard.explains(again), unheard.explains(other)]).toEqual([true, false]);
  unheard.heard(again, { as: "lie", status: 500 });
  expect(unheard.explains(sent("PATCH", `${maps}/a`))).toBe(true);
  unheard.heard(again, { as: "answer", status: 200 });
  expect(unheard.explains(sent("PATCH", `${maps}/a`))).toBe(false);
});

test("what others hear of the same object does not tell the pass that was lied to", () => {
  const unheard = opened();
  const [one, two] = [{}, {}] as unknown as readonly [Pass, Pass];
  const write = (pass: Pass) => ({ ...sent("PATCH", `${maps}/a`), pass });
  const [first, others] = [write(one), write(two)];
  unheard.applied(first, added);
  unheard.heard(first, { as: "lie", status: 504 });
  unheard.heard(others, { as: "answer", status: 200 });
  expect([unheard.explains(write(one)), unheard.explains(write(two))]).toEqual([true, false]);
});

test("what was made without a name is never found again, but by who starts anew", () => {
  const [one, next] = [sent("POST", maps), sent("POST", maps)];
  for (const [state, count] of [
    ["runs", 1],
    ["crashed", 0],
  ] as const) {
    const unheard = opened(state);
    unheard.applied(one, added);
    unheard.heard(one, { as: "lie", status: "reset" });
    unheard.heard(next, { as: "answer", status: 201 });
    expect(unheard.creates("/configmaps")).toBe(count);
  }
});
