import type { ControllerRevision } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { choose, inOrder, revisionOf, superfluous, tells, templateOf } from "./history.ts";

const template = (tag: number) => ({
  metadata: { labels: { app: "db" } },
  spec: { containers: [{ name: "main", image: `example.test/app:${tag}` }] },
});
const owner = { metadata: { name: "db", uid: "u1", annotations: { note: "x" } } };
const made = (tag: number, number: number, collisions = 0): ControllerRevision =>
  revisionOf(owner, template(tag), { number, collisions, hashLabel: "hash" });

describe("the revision of a template", () => {
  it("is the newest as long as the template stays", () => {
    const [one, two] = [made(1, 1), made(2, 2)];
    expect(choose([one, two], template(2))).toEqual({ is: "newest", revision: two });
  });

  it("is an older one with a higher number when the template goes back", () => {
    const [one, two] = [made(1, 1), made(2, 7)];
    expect(choose([one, two], template(1))).toEqual({ is: "older", revision: one, to: 8 });
  });

  it("of two older ones that say the same is the later", () => {
    const all = [made(1, 1), made(1, 2, 1), made(3, 3)];
    expect(choose(all, template(1))).toMatchObject({ is: "older", revision: { revision: 2 }, to: 4 });
  });

  it("is new where there was none like it, and the first has the number 1", () => {
    expect(choose([], template(1))).toEqual({ is: "new", number: 1 });
    expect(choose([made(1, 4)], template(2))).toEqual({ is: "new", number: 5 });
  });

  it("has a name, a label and data by what the template says, and the owner's annotations", () => {
    const it = made(1, 3);
    const hash = it.metadata?.labels?.["hash"] ?? "";
    expect(hash).toMatch(/^[a-z0-9]+$/);
    expect(it).toEqual({
      metadata: { name: `db-${hash}`, labels: { app: "db", hash }, annotations: { note: "x" } },
      data: { spec: { template: { ...template(1), $patch: "replace" } } },
      revision: 3,
    });
    expect(made(2, 3).metadata?.name).not.toBe(it.metadata?.name);
    expect(made(1, 3, 1).metadata?.name).not.toBe(it.metadata?.name);
  });

  it("gives the template back, however its keys are ordered", () => {
    expect(templateOf(made(1, 1))).toEqual(template(1));
    const { metadata, spec } = template(1);
    expect(tells(made(1, 1), { spec, metadata })).toBe(true);
    expect(tells(made(1, 1), template(2))).toBe(false);
  });

  it("gives nothing back where a stranger wrote it", () => {
    expect(templateOf({ revision: 1 })).toBeUndefined();
    expect(templateOf({ revision: 1, data: { spec: {} } as never })).toBeUndefined();
  });
});

describe("a history", () => {
  it("is ordered by number, then by age, then by name", () => {
    const at = (name: string, revision: number, creationTimestamp: string): ControllerRevision => ({
      metadata: { name, creationTimestamp },
      revision,
    });
    const [a, b, c, d] = [
      at("a", 2, "2026-01-01T00:00:00Z"),
      at("b", 1, "2026-01-01T00:00:05Z"),
      at("c", 2, "2025-01-01T00:00:00Z"),
      at("d", 2, "2026-01-01T00:00:00Z"),
    ];
    expect(inOrder([d, a, b, c])).toEqual([b, c, a, d]);
  });

  it("loses the oldest that nobody uses, as many as there are too many", () => {
    const unused = [made(1, 1), made(2, 2), made(3, 3)];
    expect(superfluous(unused, 3, 2)).toEqual([unused[0]]);
    expect(superfluous(unused, 5, 2)).toEqual(unused);
    expect(superfluous(unused, 3, 3)).toEqual([]);
    expect(superfluous(unused, 3, undefined)).toEqual([]);
    expect(superfluous(unused, 3, 0)).toEqual(unused);
    expect(superfluous(unused, 3, -1)).toEqual([]);
  });
});
