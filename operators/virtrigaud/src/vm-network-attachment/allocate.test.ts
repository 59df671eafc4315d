// Who has which address: by example, and for any machines, pools and histories.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressIn, formatIpv4 } from "../ipv4.ts";
import { type Allocation, allocate, type Card, type Supply } from "./allocate.ts";
import { offers, type Pool, readPool } from "./pool.ts";

const now = "2026-01-01T00:00:00Z";
const later = "2026-01-02T00:00:00Z";

const ip = (text: string): number => addressIn(text) ?? 0;
const pool = (ranges: string, more: Record<string, string> = {}): Pool => {
  const read = readPool({ metadata: { name: "p" }, data: { ranges, ...more } });
  if (read.is === "unusable") throw new Error(read.why);
  return read.pool;
};
const from = (ranges: string, more?: Record<string, string>): Supply => ({ is: "pool", pool: pool(ranges, more) });
const card = (vm: string, more: Partial<Card> = {}): Card => ({ vm, since: now, isMade: false, seen: [], ...more });
const shown = (list: readonly Allocation[]) => list.map((it) => `${it.vm} ${it.ip}`);

describe("a pool", () => {
  it("gives the lowest free address, to the oldest machine first", () => {
    const cards = [card("a/young", { since: later }), card("b/old")];
    const { allocations, waiting } = allocate(cards, [], from("10.0.0.5-10.0.0.9"), now);
    expect(shown(allocations)).toEqual(["a/young 10.0.0.6", "b/old 10.0.0.5"]);
    expect(waiting).toEqual([]);
  });

  it("says who gets none", () => {
    const cards = ["a/1", "a/2", "a/3"].map((vm) => card(vm));
    const { allocations, waiting } = allocate(cards, [], from("10.0.0.5-10.0.0.6"), now);
    expect(shown(allocations)).toEqual(["a/1 10.0.0.5", "a/2 10.0.0.6"]);
    expect(waiting).toEqual(["a/3"]);
  });

  it("prefers the preferred address where that is its own and free", () => {
    const supply = (preferred: string): Supply => ({
      is: "pool",
      pool: pool("10.0.0.0/24"),
      preferred: ip(preferred),
    });
    const cards = [card("a/1"), card("a/2")];
    expect(shown(allocate(cards, [], supply("10.0.0.77"), now).allocations)).toEqual(["a/1 10.0.0.77", "a/2 10.0.0.1"]);
    expect(shown(allocate(cards, [], supply("10.9.9.9"), now).allocations)).toEqual(["a/1 10.0.0.1", "a/2 10.0.0.2"]);
  });

  it("fills the gap that a machine leaves, and moves nobody", () => {
    const supply = from("10.0.0.1-10.0.0.9");
    const three = ["a/1", "a/2", "a/3"].map((vm) => card(vm));
    const { allocations } = allocate(three, [], supply, now);
    const two = three.filter(({ vm }) => vm !== "a/2");
    const next = allocate([...two, card("a/0", { since: later })], allocations, supply, later);
    expect(shown(next.allocations)).toEqual(["a/0 10.0.0.2", "a/1 10.0.0.1", "a/3 10.0.0.3"]);
    expect(next.allocations.map(({ allocatedAt }) => allocatedAt)).toEqual([later, now, now]);
  });

  it("keeps clear of what machines ask for by themselves", () => {
    const cards = [card("a/1"), card("a/2", { since: later, ip: ip("10.0.0.1") })];
    const { allocations } = allocate(cards, [], from("10.0.0.1-10.0.0.9"), now);
    expect(shown(allocations)).toEqual(["a/1 10.0.0.2", "a/2 10.0.0.1"]);
  });

  it("as large as a third of the internet is not listed", () => {
    const { allocations } = allocate([card("a/1")], [], from("0.0.0.0-85.255.255.255"), now);
    expect(shown(allocations)).toEqual(["a/1 0.0.0.0"]);
  });

  it("that is gone takes nothing from those who have something", () => {
    const held = [{ vm: "a/1", ip: "10.0.0.1", allocatedAt: now }];
    const { allocations, waiting } = allocate([card("a/1"), card("a/2")], held, { is: "missing" }, later);
    expect(allocations).toEqual(held);
    expect(waiting).toEqual(["a/2"]);
  });

  it("that was moved takes along who does not exist yet, and leaves alone who does", () => {
    const held = [
      { vm: "a/made", ip: "10.0.0.1", allocatedAt: now },
      { vm: "a/new", ip: "10.0.0.2", allocatedAt: now },
    ];
    const cards = [card("a/made", { isMade: true }), card("a/new")];
    const { allocations } = allocate(cards, held, from("10.1.0.1-10.1.0.9"), later);
    expect(shown(allocations)).toEqual(["a/made 10.0.0.1", "a/new 10.1.0.1"]);
  });

  it("gives each card of a machine its own, in their order, and knows them again", () => {
    const cards = [card("a/1"), card("a/1", { mac: "52:54:00:00:00:01" })];
    const supply = from("10.0.0.1-10.0.0.9");
    const first = allocate(cards, [], supply, now);
    expect(first.allocations).toMatchObject([{ ip: "10.0.0.1" }, { ip: "10.0.0.2", mac: "52:54:00:00:00:01" }]);
    expect(allocate(cards, first.allocations, supply, later)).toEqual(first);
    const [, second] = cards;
    const one = allocate(second === undefined ? [] : [second], first.allocations, supply, later);
    expect(shown(one.allocations)).toEqual(["a/1 10.0.0.2"]);
  });
});

describe("an address that two ask for", () => {
  const supply: Supply = { is: "static", ip: ip("192.0.2.10") };

  it("S54 goes to the older one, and the other is told who has it", () => {
    const cards = [card("a/young", { since: later }), card("b/old")];
    const { allocations, conflicts } = allocate(cards, [], supply, now);
    expect(shown(allocations)).toEqual(["b/old 192.0.2.10"]);
    expect(conflicts).toEqual([{ ip: "192.0.2.10", vm: "a/young", holder: "b/old" }]);
  });

  it("stays with who has it, though an older one asks for it now", () => {
    const held = [{ vm: "a/young", ip: "192.0.2.10", allocatedAt: later }];
    const cards = [card("a/young", { since: later, ip: ip("192.0.2.10") }), card("b/old", { ip: ip("192.0.2.10") })];
    const { allocations, conflicts } = allocate(cards, held, { is: "none" }, later);
    expect(shown(allocations)).toEqual(["a/young 192.0.2.10"]);
    expect(conflicts).toMatchObject([{ vm: "b/old", holder: "a/young" }]);
  });

  it("is the same one, with zeros in front or without", () => {
    const cards = [card("a/1", { ip: ip("192.000.2.010") }), card("a/2", { ip: ip("192.0.2.10") })];
    expect(allocate(cards, [], { is: "none" }, now).conflicts).toHaveLength(1);
  });
});

it("what DHCP gave is listed, is nobody's by right, and does not become so", () => {
  const cards = [card("a/1", { seen: ["10.0.0.9", "fd00::9"] }), card("a/2", { seen: ["10.0.0.9"] })];
  const { allocations, conflicts } = allocate(cards, [], { is: "seen" }, now);
  expect(allocations).toEqual([
    { vm: "a/1", ip: "10.0.0.9" },
    { vm: "a/1", ip: "fd00::9" },
    { vm: "a/2", ip: "10.0.0.9" },
  ]);
  expect(conflicts).toEqual([]);
  expect(shown(allocate(cards, allocations, from("10.0.0.1-10.0.0.3"), now).allocations)).toEqual([
    "a/1 10.0.0.1",
    "a/2 10.0.0.2",
  ]);
});

it("no more is given out than fits into one object, and what is held is kept", () => {
  const cards = Array.from({ length: 4_100 }, (_, i) => card(`a/${String(i).padStart(4, "0")}`));
  const supply = from("10.0.0.0/16");
  const first = allocate(cards, [], supply, now);
  expect(first.allocations).toHaveLength(4_000);
  expect(first.waiting).toHaveLength(100);
  const early = card("a/!", { since: "2025-01-01T00:00:00Z" });
  expect(allocate([early, ...cards], first.allocations, supply, later).allocations).toEqual(first.allocations);
});

describe("for any machines", () => {
  const cards = fc.array(
    fc.record({
      vm: fc.integer({ min: 0, max: 30 }).map((n) => `a/vm${n}`),
      since: fc.constantFrom(now, later),
      isMade: fc.boolean(),
      seen: fc.constant([]),
      ip: fc.option(fc.integer({ min: ip("10.0.0.0"), max: ip("10.0.0.40") }), { nil: undefined }),
    }),
    { maxLength: 40 },
  );
  const settled = (list: readonly { ip: number | undefined }[]) =>
    list.map(({ ip: asked, ...rest }) => ({ ...rest, ...(asked === undefined ? {} : { ip: asked }) })) as Card[];
  const pools = fc.constantFrom(
    "10.0.0.0/27",
    "10.0.0.1-10.0.0.5,10.0.0.3-10.0.0.12",
    "10.0.0.8/29,10.0.0.20-10.0.0.20",
  );

  it("no address is given twice, none is made up, and pooled ones are of the pool", () => {
    fc.assert(
      fc.property(cards, pools, (list, ranges) => {
        const asking = settled(list);
        const { allocations, conflicts, waiting } = allocate(asking, [], from(ranges, { gateway: "10.0.0.1" }), now);
        const ips = allocations.map((it) => it.ip);
        expect(new Set(ips).size).toBe(ips.length);
        for (const { vm, ip: given } of allocations) {
          const isAsked = asking.some((it) => it.vm === vm && it.ip === ip(given));
          expect(isAsked || offers(pool(ranges, { gateway: "10.0.0.1" }), ip(given))).toBe(true);
        }
        for (const { ip: wanted } of conflicts) expect(ips).toContain(wanted);
        const unserved = new Set([...waiting, ...conflicts.map(({ vm }) => vm), ...allocations.map(({ vm }) => vm)]);
        for (const { vm } of asking) expect(unserved).toContain(vm);
      }),
      { numRuns: 300 },
    );
  });

  it("a second look changes nothing, in whatever order the machines come", () => {
    fc.assert(
      fc.property(cards, pools, fc.infiniteStream(fc.nat()), (list, ranges, stream) => {
        const unique = settled([...new Map(list.map((it) => [it.vm, it])).values()]);
        const first = allocate(unique, [], from(ranges), now);
        const order = [...unique].sort(() => ((stream.next().value ?? 0) % 3) - 1);
        expect(allocate(order, [], from(ranges), now)).toEqual(first);
        expect(allocate(order, first.allocations, from(ranges), later)).toEqual(first);
      }),
      { numRuns: 200 },
    );
  });

  it("who has an address keeps it while others come and go", () => {
    fc.assert(
      fc.property(cards, fc.array(fc.nat({ max: 30 })), pools, (list, gone, ranges) => {
        const all = settled([...new Map(list.map((it) => [it.vm, it])).values()]);
        const first = allocate(all, [], from(ranges), now);
        const left = all.filter((_, i) => !gone.includes(i));
        const newcomer = card("a/!newcomer", { since: "2025-01-01T00:00:00Z" });
        const next = allocate([newcomer, ...left], first.allocations, from(ranges), later);
        const stays = first.allocations.filter(({ vm }) => left.some((it) => it.vm === vm));
        for (const entry of stays) expect(next.allocations).toContainEqual(entry);
      }),
      { numRuns: 200 },
    );
  });
});

it("addresses are numbers and back", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (n) => addressIn(formatIpv4(n)) === n));
});
