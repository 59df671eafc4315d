import { instant, type KubeObject } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import type { Change } from "./history.ts";
import { answerText, changeText, differenceText, eventText, lineText, verdictText } from "./words.ts";

const object = (resourceVersion: string, more: object = {}): KubeObject =>
  ({
    apiVersion: "example.com/v1",
    kind: "Shop",
    metadata: { name: "corner", namespace: "default", uid: "12345678-9abc", resourceVersion },
    ...more,
  }) as KubeObject;

const change = (type: Change["type"], before: KubeObject | undefined, after: KubeObject): Change => ({
  revision: 1,
  at: instant(0),
  type,
  key: "/example.com/shops/default/corner",
  after,
  ...(before === undefined ? {} : { before }),
  says: "",
});

describe("a change in words", () => {
  it("names the object, who wrote it, and the fields that became different", () => {
    const status = (tills: number) => ({ status: { tills } });
    const made = { ...change("MODIFIED", object("1", status(1)), object("2", status(2))), author: "operator-1" };
    expect(changeText(made)).toBe("MODIFIED Shop default/corner@2 by operator-1: status.tills 1 -> 2");
  });

  it("tells whose child was made", () => {
    const owner = { apiVersion: "example.com/v1", kind: "Mall", name: "west", uid: "abcdefgh-0000" };
    const after = object("3");
    const child = { ...after, metadata: { ...after.metadata, ownerReferences: [owner] } };
    expect(changeText(change("ADDED", undefined, child))).toBe(
      "ADDED Shop default/corner@3: uid 12345678, owned by Mall west (abcdefgh)",
    );
  });

  it("says of a deletion that it was one", () => {
    expect(changeText(change("DELETED", object("3"), object("4")))).toBe("DELETED Shop default/corner@4");
  });
});

describe("differences", () => {
  it("tell what came and what went", () => {
    expect(differenceText({ a: 1, b: 2 }, { b: 2, c: "x" })).toBe('a is gone, c = "x"');
  });

  it("tell items of lists apart by their type or name", () => {
    const list = (status: string) => ({ conditions: [{ type: "Ready", status }] });
    expect(differenceText(list("False"), list("True"))).toBe('conditions.Ready.status "False" -> "True"');
  });

  it("leave out what changes with every write, and are not longer than a person reads", () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, i]));
    expect(differenceText({ metadata: { resourceVersion: "1" } }, { metadata: { resourceVersion: "2" } })).toBe("");
    expect(differenceText({}, many)).toMatch(/, f7 = 7, and 4 more$/);
    expect(differenceText({ a: "" }, { a: "x".repeat(500) }).length).toBeLessThan(80);
  });
});

describe("traffic in words", () => {
  it("gives the server's reason for a refusal, and the length of a list", () => {
    expect(answerText(409, '{"reason":"Conflict","message":"too late"}')).toBe("409 Conflict: too late");
    expect(answerText(200, '{"items":[{},{}],"metadata":{"resourceVersion":"7"}}')).toBe("200, 2 items at 7");
    expect(answerText(201, "{}")).toBe("201");
    expect(answerText(502, "<html>")).toBe("502 : ");
  });

  it("says what becomes of an event", () => {
    const line = JSON.stringify({ type: "MODIFIED", object: object("5") });
    expect(eventText(line)).toBe("sees MODIFIED Shop default/corner@5");
    const fates = [
      { do: "delay", by: 30_000 },
      { do: "expire", after: 2_000 },
      { do: "cut", inside: true },
      { do: "stall" },
      { do: "twice" },
      { do: "drop" },
    ] as const;
    expect(fates.map((it) => lineText(line, it))).toEqual([
      "MODIFIED Shop default/corner@5 comes 30 s late, and what follows it",
      "a 410 comes in place of MODIFIED Shop default/corner@5, after 2 s",
      "the watch is cut within MODIFIED Shop default/corner@5",
      "the watch falls silent before MODIFIED Shop default/corner@5",
      "MODIFIED Shop default/corner@5 comes twice",
      "MODIFIED Shop default/corner@5 does not come",
    ]);
  });

  it("says of a slow request which way it is slow", () => {
    expect(verdictText({ do: "slow", before: 40_000 })).toBe("takes 40 s there");
    expect(verdictText({ do: "slow", after: 25_000 })).toBe("takes 25 s back");
    expect(verdictText({ do: "lose" })).toBeUndefined();
  });
});
