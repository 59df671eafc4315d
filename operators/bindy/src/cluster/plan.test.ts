import { expect, test } from "vitest";
import { childView, saying } from "../../test/views.ts";
import type { ChildView } from "../aggregate/child-view.ts";
import { Bind9Cluster, type Bind9Instance } from "../kinds/index.ts";
import { surplusOf } from "./plan.ts";
import type { Child, World } from "./world.ts";

const child = (name: string, more: Partial<ChildView> = {}): Child => ({
  instance: { metadata: { name }, spec: { role: name.includes("primary") ? "primary" : "secondary" } } as Bind9Instance,
  view: childView(name, { livePods: 1, ...more }),
  isManaged: true,
});

function surplus(primary: number, secondary: number, ...children: readonly Child[]) {
  const it = { ...Bind9Cluster, metadata: { name: "dns" } } as unknown as Bind9Cluster;
  const spec = { primary: { replicas: primary }, secondary: { replicas: secondary } };
  const world: World = { it, checked: { at: "valid", spec }, children, taken: [], made: { hasActed: false } };
  const { remove, keep } = surplusOf(world);
  const namesOf = (all: readonly Bind9Instance[]) => all.map(({ metadata }) => metadata.name);
  return { remove: namesOf(remove), keep: namesOf(keep) };
}

test("secondaries go before primaries, the highest first, once all that stay are ready", () => {
  const all = ["primary-0", "primary-1", "primary-2", "secondary-0", "secondary-1"].map((name) => child(`dns-${name}`));
  expect(surplus(1, 1, ...all)).toEqual({
    remove: ["dns-secondary-1", "dns-primary-2", "dns-primary-1"],
    keep: [],
  });
});

test.each([
  ["unknown", saying("NotProbed", "Unknown")],
  ["not ready", saying("BindcarUnreachable")],
  ["without a status", { ready: undefined }],
  ["stale", { freshness: "stale" as const }],
])("a server that may serve stays while one of its role that stays is %s", (_how, state) => {
  const staying = child("dns-primary-0", state);
  expect(
    surplus(1, 0, staying, child("dns-primary-1"), child("dns-primary-2", saying("NotProbed", "Unknown"))),
  ).toEqual({
    remove: [],
    keep: ["dns-primary-2", "dns-primary-1"],
  });
  // One that is known to have no pod that runs is free.
  const down = child("dns-primary-1", { ...saying("PodsCrashing"), livePods: 1 });
  const empty = child("dns-primary-2", { ...saying("FailedCreate"), livePods: 0 });
  expect(surplus(1, 0, staying, down, empty).remove).toEqual(["dns-primary-2", "dns-primary-1"]);
});

test("not ready is not down: its Bindcar may be, while named still answers", () => {
  const staying = child("dns-secondary-0", saying("PodsPending"));
  for (const reason of ["BindcarUnreachable", "NotReady", "GatewayError", "FailedCreate"])
    expect(surplus(0, 1, staying, child("dns-secondary-1", saying(reason))).keep).toEqual(["dns-secondary-1"]);
});

test("one that stays and is not there yet keeps the others too; a role of which none stays goes at once", () => {
  expect(surplus(2, 0, child("dns-primary-0"), child("dns-primary-2"), child("dns-secondary-0"))).toEqual({
    remove: ["dns-secondary-0"],
    keep: ["dns-primary-2"],
  });
});
