import { instant } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import type { VirtualMachine, VMSet } from "../kinds/index.ts";
import { changesTo, needsReplacement } from "./change.ts";
import { machineOf, parsedName, type Template } from "./objects.ts";

const template = (spec: object = {}, metadata: object = {}): Template => ({
  metadata,
  spec: { providerRef: { name: "p" }, classRef: { name: "c" }, imageRef: { name: "i" }, ...spec },
});

const selector: VMSet["spec"]["selector"] = { matchLabels: { app: "web" } };

const setOf = (it: Template) =>
  ({
    metadata: { name: "web", namespace: "demo", uid: "u" },
    spec: { selector, template: it },
  }) as VMSet;

const vmOf = (it: Template) => machineOf(setOf(it), { ordinal: 1, hash: "old" }, it) as VirtualMachine;

describe("what a machine can take while it stays", () => {
  const disk = (name: string, sizeGiB: number) => ({ name, sizeGiB });
  const before = { disks: [disk("root", 10), disk("data", 20)] };
  const cases: readonly [string, object, boolean][] = [
    ["another class", { classRef: { name: "large" } }, false],
    [
      "power, sizes, tags, hooks and a snapshot",
      {
        powerState: "Off",
        resources: { cpu: 4 },
        tags: ["a"],
        lifecycle: { gracefulShutdownTimeout: "10s" },
        snapshot: { revertToRef: { name: "s" } },
      },
      false,
    ],
    ["a larger disk", { disks: [disk("root", 11), disk("data", 20)] }, false],
    ["a smaller disk", { disks: [disk("root", 9), disk("data", 20)] }, true],
    ["one disk less", { disks: [disk("root", 10)] }, true],
    ["another disk", { disks: [disk("root", 10), disk("logs", 20)] }, true],
    ["another image", { imageRef: { name: "j" } }, true],
    ["another provider", { providerRef: { name: "q" } }, true],
    ["a network", { networks: [{ name: "n" }] }, true],
    ["user data", { userData: { cloudInit: { inline: "x" } } }, true],
    ["another place", { placement: { host: "h" } }, true],
  ];

  test.each(cases)("%s", (_what, change, isReplaced) => {
    expect(needsReplacement(vmOf(template(before)), template({ ...before, ...change }))).toBe(isReplaced);
  });
});

test("a change is one request: what the old template put there and the new one does not is taken away", () => {
  const old = template({ tags: ["a"] }, { labels: { tier: "web", old: "1" }, annotations: { "x/y": "1" } });
  const next = template({ classRef: { name: "large" } }, { labels: { tier: "gold" }, annotations: { note: "n" } });
  const vm = vmOf(old);
  const marked = { ...vm, metadata: { ...vm.metadata, labels: { ...vm.metadata.labels, theirs: "1" } } };
  const now = instant(Date.UTC(2026, 0, 1));
  const change = { seat: { ordinal: 1, hash: "new" }, template: next, old, now };
  expect(changesTo(marked, setOf(next), change)).toEqual([
    { op: "test", path: "/metadata/labels/virtrigaud.io~1revision", value: "old" },
    { op: "add", path: "/spec/classRef", value: { name: "large" } },
    { op: "remove", path: "/spec/tags" },
    { op: "add", path: "/metadata/annotations/note", value: "n" },
    { op: "add", path: "/metadata/annotations/virtrigaud.io~1last-update-time", value: "2026-01-01T00:00:00Z" },
    { op: "remove", path: "/metadata/annotations/x~1y" },
    { op: "add", path: "/metadata/labels/tier", value: "gold" },
    { op: "add", path: "/metadata/labels/virtrigaud.io~1revision", value: "new" },
    { op: "remove", path: "/metadata/labels/old" },
  ]);
});

test("a machine without annotations is given its own only while it has none", () => {
  const it = template();
  const { annotations: _, ...metadata } = vmOf(it).metadata;
  const change = { seat: { ordinal: 1, hash: "new" }, template: it, old: it, now: instant(0) };
  expect(changesTo({ ...vmOf(it), metadata }, setOf(it), change)).toContainEqual({
    op: "test",
    path: "/metadata/annotations",
    value: null,
  });
});

test("the name of a machine tells its set and its ordinal", () => {
  expect(parsedName("web-10")).toEqual({ set: "web", ordinal: 10 });
  expect(parsedName("web-1-0")).toEqual({ set: "web-1", ordinal: 0 });
  expect(["web", "web-", "web-01", "web-x"].map(parsedName)).toEqual([undefined, undefined, undefined, undefined]);
});
