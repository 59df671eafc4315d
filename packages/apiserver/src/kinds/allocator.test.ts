import { describe, expect, test } from "vitest";
import { builtinStrategy as kind } from "../../test/strategies.ts";
import type { JsonObject } from "../json.ts";
import { serviceAllocator } from "./allocator.ts";
import { bootstrapObjects } from "./bootstrap.ts";

const now = "2026-01-01T00:00:00Z";

describe("allocation", () => {
  const service = kind("", "Service");
  const made = (spec: JsonObject): JsonObject =>
    service.prepareCreate(service.default({ metadata: { name: "s" }, spec }), { ...serviceAllocator(), uid: "u", now });

  test("U28 an allocator knows what Services hold, and refuses what is outside or taken", () => {
    const allocator = serviceAllocator(bootstrapObjects(6443));
    expect(allocator.allocateClusterIP("10.0.0.1")).toEqual({
      refused: "failed to allocate IP 10.0.0.1: provided IP is already allocated",
    });
    expect(allocator.allocateClusterIP("10.9.9.9")).toHaveProperty("refused");
    expect(allocator.allocateNodePort(99)).toHaveProperty("refused");
    expect(allocator.allocateNodePort(30_000)).toEqual({ port: 30_000 });
    expect(allocator.allocateNodePort(30_000)).toEqual({ refused: "provided port is already allocated" });
  });

  test("every address is handed out once, until there are none", () => {
    const allocator = serviceAllocator(bootstrapObjects(6443));
    const seen = new Set<string>();
    for (;;) {
      const got = allocator.allocateClusterIP();
      if ("refused" in got) break;
      seen.add(got.ip);
    }
    expect(seen.size).toBe(253);
    allocator.releaseClusterIP("10.0.0.200");
    expect(allocator.allocateClusterIP()).toEqual({ ip: "10.0.0.200" });
  });

  test("a refused port gives back the address that was taken on the way", () => {
    const allocator = serviceAllocator();
    const wanted = made({ type: "NodePort", clusterIP: "10.0.0.9", ports: [{ port: 80, nodePort: 99 }] });
    expect(service.allocate?.(wanted, undefined, allocator)).toHaveProperty("errors");
    expect(allocator.allocateClusterIP("10.0.0.9")).toEqual({ ip: "10.0.0.9" });
  });

  test("TCP and UDP of one Service share a node port; release frees what is not kept", () => {
    const allocator = serviceAllocator();
    const ports = [
      { name: "a", port: 80, nodePort: 30_001 },
      { name: "b", port: 80, protocol: "UDP", nodePort: 30_001 },
    ];
    const got = service.allocate?.(made({ type: "NodePort", ports }), undefined, allocator);
    if (got === undefined || "errors" in got) throw new Error("refused");
    service.release?.(got.object, undefined, allocator);
    expect(allocator.allocateNodePort(30_001)).toEqual({ port: 30_001 });
  });
});
