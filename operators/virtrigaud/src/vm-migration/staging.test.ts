import { describe, expect, it } from "vitest";
import type { VMMigration } from "../kinds/index.ts";
import { snapshotName } from "./staging.ts";

const named = (name: string) => ({ metadata: { name } }) as VMMigration;

describe("what the snapshot of a migration is called on the hypervisor", () => {
  it("as its object at first, and otherwise at each retry", () => {
    expect([0, 1, 2].map((retries) => snapshotName(named("a"), retries))).toEqual([
      {},
      { name: "a-src-r1" },
      { name: "a-src-r2" },
    ]);
  });

  it("stays within what a snapshot may be called", () => {
    expect(snapshotName(named("a.b"), 1).name).toBe("a-b-src-r1");
    expect(snapshotName(named("n".repeat(253)), 10).name?.length).toBe(255);
  });
});
