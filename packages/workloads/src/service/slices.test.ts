import type { EndpointSlice } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { type Endpoint, type Group, grouped, layOut } from "./slices.ts";

const http = [{ name: "http", port: 80, protocol: "TCP" }];
const web = [{ name: "http", port: 8080, protocol: "TCP" }];

const endpoint = (i: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${i}`],
  conditions: { ready },
  targetRef: { kind: "Pod", uid: `u${i}` },
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => endpoint(from + i));
const group = (endpoints: readonly Endpoint[], ports = http): Group => ({ addressType: "IPv4", ports, endpoints });
const slice = (name: string, endpoints: Endpoint[], ports = http): EndpointSlice => ({
  metadata: { name },
  addressType: "IPv4",
  endpoints,
  ports,
});
const most = 10;
const sizes = (layout: ReturnType<typeof layOut>) =>
  layout.drafts.map(({ of, endpoints }) => `${of?.metadata?.name ?? "new"}:${endpoints.length}`);
const changed = (layout: ReturnType<typeof layOut>) =>
  layout.drafts.filter(({ of, endpoints }) => of?.endpoints !== endpoints).map(({ of }) => of?.metadata?.name ?? "new");

describe("what does not fit into one slice", () => {
  it("fills as many as it takes", () => {
    expect(sizes(layOut([], [group(range(0, 25))], { most }))).toEqual(["new:10", "new:10", "new:5"]);
  });

  it("never goes beyond what a slice holds, even where one is too full", () => {
    const layout = layOut([slice("a", range(0, 12))], [group(range(0, 12))], { most });
    expect(sizes(layout)).toEqual(["a:10", "new:2"]);
  });
});

describe("a change of one endpoint", () => {
  const slices = [slice("a", range(0, 10)), slice("b", range(10, 20)), slice("c", range(20, 25))];

  it("is a change of the one slice that has it", () => {
    const next = range(0, 25).map((it, i) => (i === 13 ? endpoint(13, false) : it));
    expect(changed(layOut(slices, [group(next)], { most }))).toEqual(["b"]);
  });

  it("a new one goes where all have room", () => {
    expect(changed(layOut(slices, [group(range(0, 26))], { most }))).toEqual(["c"]);
  });

  it("new ones go first into a slice that changes anyway", () => {
    const next = [...range(1, 25), endpoint(30)];
    const layout = layOut(slices, [group(next)], { most });
    expect(changed(layout)).toEqual(["a"]);
    expect(sizes(layout)).toEqual(["a:10", "b:10", "c:5"]);
  });

  it("more than one slice can take get one of their own", () => {
    const layout = layOut(slices, [group(range(0, 31))], { most });
    expect(changed(layout)).toEqual(["new"]);
  });

  it("nothing changes where nothing changed", () => {
    const layout = layOut(slices, [group(range(0, 25))], { most });
    expect(changed(layout)).toEqual([]);
    expect(layout.remove).toEqual([]);
  });
});

it("a slice that has become empty is removed, the others stay", () => {
  const slices = [slice("a", range(0, 10)), slice("b", range(10, 12))];
  const layout = layOut(slices, [group(range(0, 10))], { most });
  expect(sizes(layout)).toEqual(["a:10"]);
  expect(layout.remove.map(({ metadata }) => metadata?.name)).toEqual(["b"]);
});

it("an endpoint that two slices have is dropped from the second", () => {
  const slices = [slice("a", range(0, 2)), slice("b", range(1, 3))];
  const layout = layOut(slices, [group(range(0, 3))], { most });
  expect(layout.drafts.map(({ endpoints }) => endpoints.map(({ addresses }) => addresses[0]))).toEqual([
    ["10.0.0.0", "10.0.0.1"],
    ["10.0.0.2"],
  ]);
});

it("each set of ports has slices of its own, in whichever order they are named", () => {
  const both = [...http, { name: "admin", port: 90, protocol: "TCP" }];
  const groups = grouped("IPv4", [
    { endpoint: endpoint(1), ports: both },
    { endpoint: endpoint(2), ports: web },
    { endpoint: endpoint(3), ports: both.toReversed() },
  ]);
  expect(groups.map(({ endpoints }) => endpoints.length)).toEqual([2, 1]);
});

it("a slice whose ports nobody has any more becomes one that is wanted", () => {
  const layout = layOut([slice("a", range(0, 2))], [group(range(0, 2), web)], { most });
  expect(layout.drafts).toEqual([{ ...group(range(0, 2), web), of: slice("a", range(0, 2)) }]);
  expect(layout.remove).toEqual([]);
});

it("a slice of another type of address does not", () => {
  const old = { ...slice("a", []), addressType: "IPv6" };
  const layout = layOut([old], [group(range(0, 1))], { most });
  expect(sizes(layout)).toEqual(["new:1"]);
  expect(layout.remove).toEqual([old]);
});

describe("without endpoints", () => {
  it("there is one empty slice, where it was asked for", () => {
    expect(layOut([], [], { most, always: ["IPv4"] }).drafts).toEqual([
      { addressType: "IPv4", ports: [], endpoints: [] },
    ]);
    expect(layOut([], [], { most }).drafts).toEqual([]);
  });

  it("of several slices one stays", () => {
    const layout = layOut([slice("a", range(0, 1)), slice("b", range(1, 2))], [], { most, always: ["IPv4"] });
    expect(sizes(layout)).toEqual(["a:0"]);
    expect(layout.remove.map(({ metadata }) => metadata?.name)).toEqual(["b"]);
  });
});
