import type { ControllerRevision } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { describe, expect, it } from "vitest";
import { revisionOf } from "./history.ts";
import { revise } from "./revise.ts";

const template = (tag: number) => ({ spec: { containers: [{ name: "main", image: `example.test/app:${tag}` }] } });
const owner = { metadata: { name: "db" } };
const made = (tag: number, number: number, collisions = 0) =>
  revisionOf(owner, template(tag), { number, collisions, hashLabel: "hash" });

type As = "created" | "unchanged" | "foreign" | "terminating";

/** Hands that find these in the place of what is to be made, one after the other. */
function finding(...found: { as: As; live?: ControllerRevision }[]): {
  hands: Hands;
  asked: string[];
  patched: unknown[];
} {
  const asked: string[] = [];
  const patched: unknown[] = [];
  const hands = {
    async ensure(_kind: unknown, wanted: ControllerRevision) {
      const { as, live = wanted } = found[asked.length] ?? found.at(-1) ?? { as: "created" as const };
      asked.push(wanted.metadata?.name ?? "");
      return { as, live };
    },
    async patch(_kind: unknown, object: ControllerRevision, operations: unknown) {
      patched.push(operations);
      return object;
    },
  };
  return { hands: hands as unknown as Hands, asked, patched };
}

const known = (revisions: readonly ControllerRevision[], collisions?: number) => ({
  revisions,
  collisions,
  hashLabel: "hash",
});

describe("the revision of a template", () => {
  it("is left as it is when it is the newest", async () => {
    const { hands, asked, patched } = finding();
    expect(await revise(hands, owner, template(1), known([made(1, 1)], 2))).toEqual({
      revision: made(1, 1),
      collisions: 2,
    });
    expect([asked, patched]).toEqual([[], []]);
  });

  it("gets a higher number when it is an older one, only if nobody has given it another meanwhile", async () => {
    const { hands, patched } = finding();
    await revise(hands, owner, template(1), known([made(1, 1), made(2, 2)]));
    expect(patched).toEqual([
      [
        { op: "test", path: "/revision", value: 1 },
        { op: "replace", path: "/revision", value: 3 },
      ],
    ]);
  });

  it("is the one that an earlier pass made and heard no answer of", async () => {
    const { hands } = finding({ as: "unchanged", live: made(1, 1) });
    expect(await revise(hands, owner, template(1), known([]))).toMatchObject({ collisions: 0 });
  });

  it("has another name where the first is somebody else's, or says something else, or is going", async () => {
    const other = { as: "unchanged", live: made(2, 1) } as const;
    const { hands, asked } = finding({ as: "foreign" }, other, { as: "terminating" }, { as: "created" });
    const { revision, collisions } = await revise(hands, owner, template(1), known([], 4));
    expect([collisions, asked.length, new Set(asked).size]).toEqual([7, 4, 4]);
    expect(revision.metadata?.name).toBe(made(1, 1, 7).metadata?.name);
    expect(asked[0]).toBe(made(1, 1, 4).metadata?.name);
  });

  it("is given up where every name is taken", async () => {
    const { hands } = finding({ as: "foreign" });
    await expect(revise(hands, owner, template(1), known([]))).rejects.toThrow(/names .* are taken by others; remove/);
  });
});
