import { expect, test } from "vitest";
import type { Action } from "./actions.ts";
import type { Member } from "./members.ts";
import { rolling } from "./rolling.ts";
import type { Standing } from "./standing.ts";
import type { World } from "./world.ts";

const old = { spec: { imageRef: { name: "one" }, classRef: { name: "small" }, providerRef: { name: "box" } } };
const template = { spec: { ...old.spec, imageRef: { name: "two" } } };
const member = (ordinal: number, state: Member["state"]) =>
  ({
    name: `web-${ordinal}`,
    ordinal,
    state,
    revision: "one",
    isLeaving: false,
    vm: { ...old, metadata: {} },
  }) as Member;

/** Of three wanted machines of the old revision, with two that may be missing at once. */
function removed(states: readonly Member["state"][], isShort: boolean): readonly string[] {
  const members = states.map((state, ordinal) => member(ordinal, state));
  const world = { rules: { strategy: "RollingUpdate", maxUnavailable: 2 }, members } as unknown as World;
  const standing = {
    phase: "InProgress",
    wanted: [0, 1, 2],
    at: new Map(members.map((it) => [it.ordinal, it])),
    outdated: members,
    surge: [],
    surgeRoom: [3],
    overdue: [],
    tries: new Map(),
    before: {},
    update: { hash: "two", template },
    isAvailable: ({ state }: Member) => state === "ready",
  } as unknown as Standing;
  const actions: readonly Action[] = rolling(world, standing, isShort);
  return actions.flatMap((it) => (it.do === "remove" ? it.member.name : []));
}

test("as many as may be missing are taken at once", () => {
  expect(removed(["ready", "ready", "ready"], false)).toEqual(["web-0", "web-1"]);
});

test("while a wanted machine is missing none that works is taken, though more might be missing", () => {
  expect(removed(["ready", "ready"], false)).toEqual(["web-0"]);
  expect(removed(["ready", "ready"], true)).toEqual([]);
});
