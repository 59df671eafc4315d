import type { KubeObject } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { showsNews } from "./foreign.ts";

const known = {
  metadata: { uid: "u", generation: 1, resourceVersion: "1", annotations: { a: "1", "x/y": "1" }, labels: { l: "1" } },
  status: { phase: "On" },
} as KubeObject;
const after = (metadata: object, status: object = { phase: "On" }): KubeObject =>
  ({ metadata: { ...known.metadata, resourceVersion: "2", ...metadata }, status }) as KubeObject;

const annotating = [
  { op: "test", path: "/metadata/annotations/x~1y", value: "1" },
  { op: "add", path: "/metadata/annotations/x~1y", value: "2" },
] as const;
const done = { annotations: { a: "1", "x/y": "2" } };

describe("the answer to a patch", () => {
  it("is no news where it shows what was sent", () => {
    expect(showsNews(known, after(done), annotating)).toBe(false);
    const first = { metadata: { uid: "u" } };
    const all = [{ op: "add", path: "/metadata/annotations", value: { a: "1" } }] as const;
    expect(showsNews(first, { metadata: { uid: "u", annotations: { a: "1" } } }, all)).toBe(false);
    const finalizers = [{ op: "add", path: "/metadata/finalizers", value: ["f"] }] as const;
    expect(showsNews(known, after({ finalizers: ["f"] }), finalizers)).toBe(false);
  });

  it.each([
    ["a deletion", after({ ...done, deletionTimestamp: "2026-01-01T00:00:00Z" })],
    ["another spec", after({ ...done, generation: 2 })],
    ["another label", after({ ...done, labels: {} })],
    ["another finalizer", after({ ...done, finalizers: ["theirs"] })],
    ["another annotation", after({ annotations: { ...done.annotations, a: "2" } })],
    ["another status", after(done, { phase: "Off" })],
  ])("is news where it shows %s", (_what, object) => {
    expect(showsNews(known, object, annotating)).toBe(true);
  });

  it("is none where it is about another object, or about more than metadata", () => {
    expect(showsNews(known, after({ uid: "v", labels: {} }), annotating)).toBe(false);
    expect(showsNews(known, after({ generation: 2 }), [{ op: "add", path: "/spec/x", value: 1 }])).toBe(false);
  });
});
