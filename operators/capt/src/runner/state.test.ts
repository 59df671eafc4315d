import { describe, expect, it } from "vitest";
import { chooseState, isSimulated, type Snapshot, snapshotOf } from "./state.ts";

const file = (lineage: string, serial: number, resources: readonly object[] = []) =>
  JSON.stringify({ version: 4, lineage, serial, resources });
const state = (lineage: string, serial: number): Snapshot => {
  const found = snapshotOf(file(lineage, serial));
  if (found === undefined) throw new Error("no state");
  return found;
};

describe("12.8 a state", () => {
  it("knows its lineage, its serial and how much there is to destroy", () => {
    const text = file("l", 3, [{ mode: "managed" }, { mode: "data" }, { mode: "managed" }]);
    expect(snapshotOf(text)).toEqual({ text, lineage: "l", serial: 3, resources: 2 });
  });

  it.each(["", "{", "[]", "null", '{"serial":1}', '{"lineage":"l"}'])("is not what %j holds", (text) => {
    expect(snapshotOf(text)).toBeUndefined();
  });

  it("says whether it was ever real", () => {
    expect([isSimulated(state("simulated-1", 1)), isSimulated(state("9c1e", 1))]).toEqual([true, false]);
  });
});

describe("12.8 of the state in the folder and the one in the Secret", () => {
  it("the only one is taken", () => {
    expect(chooseState(undefined, undefined)).toEqual({ use: "none" });
    expect(chooseState(state("a", 1), undefined)).toMatchObject({ use: "here" });
    expect(chooseState(undefined, state("a", 1))).toMatchObject({ use: "stored" });
  });

  it("the newer one of a lineage is taken, and the one at hand where they are equal", () => {
    expect(chooseState(state("a", 2), state("a", 1))).toMatchObject({ use: "here", state: { serial: 2 } });
    expect(chooseState(state("a", 1), state("a", 2))).toMatchObject({ use: "stored", state: { serial: 2 } });
    expect(chooseState(state("a", 1), state("a", 1))).toMatchObject({ use: "here" });
  });

  it("none is taken where they are of different origin", () => {
    expect(chooseState(state("a", 9), state("b", 1))).toEqual({ use: "conflict" });
  });
});
