import { instant } from "@telltale/kinds";
import type { Lease } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { isLeaseActive } from "./active.ts";

const now = instant(Date.UTC(2026, 0, 1));
const held = { holderIdentity: "x", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" };

test.each<[string, Lease["spec"] | undefined, boolean]>([
  ["that was renewed just now", held, true],
  ["that was renewed by a clock ahead of ours", { ...held, renewTime: "2026-01-01T00:10:00.000000Z" }, true],
  ["whose renewal is late", { ...held, renewTime: "2025-12-31T23:59:31.000000Z" }, true],
  ["that was renewed twice its duration ago", { ...held, renewTime: "2025-12-31T23:59:30.000000Z" }, false],
  ["with a long duration", { ...held, leaseDurationSeconds: 60, renewTime: "2025-12-31T23:59:00.000000Z" }, true],
  ["without a duration", { holderIdentity: "x", renewTime: held.renewTime }, true],
  ["without a duration, a minute later", { holderIdentity: "x", renewTime: "2025-12-31T23:59:00.000000Z" }, false],
  ["that does not say when it was renewed", { holderIdentity: "x" }, true],
  ["whose time cannot be read", { ...held, renewTime: "soon" }, true],
  ["that nobody holds any more", { ...held, holderIdentity: "" }, false],
  ["that nobody ever held", {}, false],
  ["without a spec", undefined, false],
])("whether a Lease %s is active", (_which, spec, is) => {
  expect(isLeaseActive(spec === undefined ? {} : { spec }, now)).toBe(is);
});
