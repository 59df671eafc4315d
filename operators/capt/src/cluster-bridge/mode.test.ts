import { instant, plus } from "@telltale/kinds";
import type { Lease } from "@telltale/kinds/builtin";
import { silentLog } from "@telltale/runtime";
import { expect, test } from "vitest";
import { finalizers } from "../names.ts";
import { type Mode, ModeFinder, modeFor } from "./mode.ts";

const now = instant(Date.UTC(2026, 0, 1));
const lease = (renewTime: string, leaseDurationSeconds?: number): Lease => ({
  spec: { holderIdentity: "core", renewTime, ...(leaseDurationSeconds === undefined ? {} : { leaseDurationSeconds }) },
});

const asker = (at: number, items: () => readonly Lease[]) => {
  const asked: string[] = [];
  const list = async (kind: { readonly kind: string }, options?: { fieldSelector?: string }) => {
    asked.push(`${kind.kind} ${options?.fieldSelector}`);
    return { items: items(), resourceVersion: "1" };
  };
  return { asked, now: plus(now, at), log: silentLog, server: { list: list as never } };
};

test.each([
  ["a Lease that is renewed", lease("2025-12-31T23:59:31.000000Z", 15), "external"],
  ["a Lease that is renewed and says no duration", lease("2025-12-31T23:59:31.000000Z"), "external"],
  ["a Lease that was last renewed long ago", lease("2025-12-31T23:59:30.000000Z", 15), "standalone"],
  ["no Lease", undefined, "standalone"],
])("8.1 with %s the mode is %s", async (_what, found, mode) => {
  expect(await new ModeFinder("auto").find(asker(0, () => (found === undefined ? [] : [found])))).toBe(mode);
});

test("8.1 the lease is looked for by its name in all namespaces, and at most once a minute", async () => {
  const flips: Mode[] = [];
  const modes = new ModeFinder("auto", (to) => flips.push(to));
  const first = asker(0, () => []);
  expect(await modes.find(first)).toBe("standalone");
  expect(first.asked).toEqual(["Lease metadata.name=controller-leader-election-capi"]);
  const second = asker(59_000, () => [lease("2026-01-01T00:00:59.000000Z")]);
  expect(await modes.find(second)).toBe("standalone");
  expect(second.asked).toEqual([]);
  expect(await modes.find(asker(60_000, () => [lease("2026-01-01T00:00:59.000000Z")]))).toBe("external");
  expect(flips).toEqual(["standalone", "external"]);
  expect(modes.last).toBe("external");
});

test("8.1 many who ask at once ask the server once", async () => {
  const modes = new ModeFinder("auto");
  const one = asker(0, () => []);
  await Promise.all([modes.find(one), modes.find(one), modes.find(one)]);
  expect(one.asked).toHaveLength(1);
});

test("8.1 where the list fails nobody is sure", async () => {
  const forbidden = () => {
    throw new Error("forbidden");
  };
  expect(await new ModeFinder("auto").find(asker(0, forbidden))).toBe("unsure");
});

test("8.1 a setting decides alone", async () => {
  const fresh = () => [lease("2026-01-01T00:00:00.000000Z")];
  expect(await new ModeFinder("standalone").find(asker(0, fresh))).toBe("standalone");
  const external = asker(0, () => []);
  expect(await new ModeFinder("external").find(external)).toBe("external");
  expect(external.asked).toEqual([]);
});

test("8.1 M-2 Cluster API's finalizer makes a Cluster theirs, unless we are told otherwise", () => {
  const theirs = { metadata: { finalizers: [finalizers.cluster] } };
  expect(modeFor(theirs, "standalone", "auto")).toBe("external");
  expect(modeFor(theirs, "unsure", "auto")).toBe("external");
  expect(modeFor({ metadata: {} }, "standalone", "auto")).toBe("standalone");
  expect(modeFor(theirs, "standalone", "standalone")).toBe("standalone");
});
