import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { formatJournal, type Journal, parseJournal, stepEnd, stepId } from "./journal.ts";

const journal: Journal = {
  id: "r1",
  uid: "u",
  operation: "apply",
  generation: 2,
  startedAt: instant(5),
  revision: "abc",
  step: "apply",
  phase: "running",
  process: { pid: 7, started: "boot 1" },
};

describe("12.8 the journal of a run", () => {
  it("is read back as it was written, and only for its own Workspace", () => {
    expect(parseJournal(formatJournal(journal), "u")).toEqual(journal);
    expect(parseJournal(formatJournal(journal), "another")).toBeUndefined();
  });

  it.each([undefined, "", "{", "null", '{"uid":"u"}', '{"uid":"u","id":"r","operation":"rm"}'])(
    "is none in %j",
    (text) => {
      expect(parseJournal(text, "u")).toBeUndefined();
    },
  );

  it("knows how its step ended only from that step's own record", () => {
    const id = stepId(journal);
    expect(stepEnd(JSON.stringify({ id, code: 1, signal: null }), id)).toEqual({ as: "exited", code: 1 });
    expect(stepEnd(JSON.stringify({ id: "r1/plan", code: 0, signal: null }), id)).toEqual({ as: "crashed" });
    expect(stepEnd(JSON.stringify({ id, code: null, signal: "SIGKILL" }), id)).toEqual({ as: "crashed" });
    expect(stepEnd(undefined, id)).toEqual({ as: "crashed" });
  });
});
