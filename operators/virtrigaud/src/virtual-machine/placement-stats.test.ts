import { ApiError, type JsonPatchOperation } from "@telltale/client";
import { expect, test } from "vitest";
import { count } from "./placement-stats.ts";
import type { World } from "./world.ts";

test("who counts a placement first does not take away what the policy's own controller said meanwhile", async () => {
  const policy = { metadata: { namespace: "demo", name: "p" } };
  const world = { vm: { metadata: {} }, needs: { is: "there", policy } } as unknown as World;
  const sent: JsonPatchOperation[] = [];
  const hands = {
    now: 0,
    get: () => policy,
    patchStatus: async (_kind: unknown, _of: unknown, operations: JsonPatchOperation[]) => sent.push(...operations),
  };
  await count(world, { is: "nowhere", violations: 1 }, hands as unknown as Parameters<typeof count>[2]);
  expect(sent.slice(0, 2)).toEqual([
    { op: "test", path: "/status", value: null },
    { op: "add", path: "/status", value: {} },
  ]);
});

test("a count that the server refuses does not fail the reconcile that has just created a machine", async () => {
  const policy = { metadata: { namespace: "demo", name: "p" } };
  const world = { vm: { metadata: {} }, needs: { is: "there", policy } } as unknown as World;
  const warnings: string[] = [];
  const hands = {
    now: 0,
    get: () => policy,
    log: { warn: (message: string) => warnings.push(message) },
    patchStatus: () => Promise.reject(new ApiError("PATCH /p", { code: 403, reason: "Forbidden", message: "no" })),
  };
  await count(world, { is: "placed", at: { host: "h1" } }, hands as unknown as Parameters<typeof count>[2]);
  expect(warnings).toEqual(["placement not counted"]);
});
