import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { service } from "../contract/contract.ts";
import type { VirtualMachine } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { atATime, type Deed, type Discovery, discover, type Known } from "./discovery.ts";
import { filterOf } from "./filter.ts";
import { type Listed, listedOf } from "./listing.ts";
import { distinctName, objectName } from "./object-name.ts";
import { classOf, seedOf } from "./objects.ts";

const listed = (id: string, name: string, more: Partial<Listed> = {}): Listed => ({
  id,
  name,
  power: "On",
  ips: [],
  cpu: 2,
  memoryMiB: 2_048,
  disk: {},
  provider: {},
  ...more,
});

interface Shape {
  readonly id?: string;
  readonly adopted?: boolean;
  readonly disk?: string;
  readonly provider?: string;
  readonly notes?: Record<string, string>;
}

const object = (name: string, { id, adopted = false, disk, provider = "box", notes }: Shape = {}): VirtualMachine => ({
  apiVersion: "infra.virtrigaud.io/v1beta1",
  kind: "VirtualMachine",
  metadata: {
    name,
    namespace: "demo",
    ...(adopted ? { labels: { [labels.adopted]: "true" } } : {}),
    ...(notes === undefined ? {} : { annotations: notes }),
  },
  spec: {
    providerRef: { name: provider },
    classRef: { name: "c" },
    ...(disk === undefined ? {} : { importedDisk: { diskID: disk } }),
  },
  ...(id === undefined ? {} : { status: { id } }),
});

const known = (objects: readonly VirtualMachine[] = [], inTheMaking: readonly string[] = []): Known => ({
  machines: objects.filter(({ spec }) => spec.providerRef.name === "box"),
  names: new Map(objects.map((it) => [it.metadata.name ?? "", it])),
  inTheMaking: new Set(inTheMaking),
  provider: { name: "box", namespace: "demo" },
});

const anyText = (maxLength: number) =>
  fc.string({
    unit: fc.constantFrom("a", "B", "7", "-", "_", ".", " ", "/", "ö", "数", "\u{1f600}", "\ud800", "\n", "\0"),
    maxLength,
  });

const all = { isWanted: () => true };
const told = ({ deeds }: Discovery): readonly string[] =>
  deeds.map((deed: Deed) => `${deed.is} ${deed.is === "make" ? deed.as : deed.object.metadata.name} ${deed.listed.id}`);

test("names are lower case, with dashes between words, and never longer than a label (L-28)", () => {
  const cases = [
    ["Web Server_01.prod", "web-server-01-prod"],
    ["--Öl (alt)--", "l-alt"],
    [`${"a".repeat(62)}.b`, "a".repeat(62)],
    ["数据库", "vm-42"],
    ["", "vm-42"],
  ] as const;
  for (const [name, expected] of cases) expect(objectName({ id: "42", name })).toBe(expected);
  expect(objectName({ id: "", name: "" })).toMatch(/^vm-[0-9a-f]{10}$/);
  expect(distinctName({ id: "42", name: "x".repeat(80) })).toMatch(/^x{57}-[0-9a-f]{5}$/);
});

test("any two machines get names that an object can have, and different ones", () => {
  const machine = fc.record({ id: fc.string({ minLength: 1 }), name: anyText(20) });
  fc.assert(
    fc.property(fc.uniqueArray(machine, { selector: ({ id }) => id, maxLength: 8 }), (machines) => {
      const { deeds } = discover(
        machines.map(({ id, name }) => listed(id, name)),
        all,
        known(),
      );
      const names = deeds.map((deed) => (deed.is === "make" ? deed.as : ""));
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    }),
  );
});

test("two machines whose names come to the same: the second one's has a hash of its id, in any order of the list", () => {
  const two = [listed("b", "Web.1"), listed("a", "web 1")];
  const made = told(discover(two, all, known()));
  expect(made).toEqual(["make web-1 a", `make ${distinctName({ id: "b", name: "Web.1" })} b`]);
  expect(told(discover(two.toReversed(), all, known()))).toEqual(made);
  // Adopted earlier, it keeps its name.
  const first = object("web-1", { id: "b", adopted: true, disk: "b" });
  expect(told(discover(two, all, known([first])))).toEqual([`make ${distinctName({ id: "a", name: "web 1" })} a`]);
});

test("machines that somebody manages are left alone: by id, by name while the id is not known, by a clone under way", () => {
  const machines = [listed("1", "one"), listed("2", "two"), listed("3", "three"), listed("4", "four")];
  const objects = [
    object("uno", { id: "1" }),
    object("two"), // its Create is under way
    object("x", { notes: { [annotations.vmName]: "three" } }),
  ];
  expect(told(discover(machines, all, known(objects, ["four"])))).toEqual([]);
});

test("an object that was made and has no id yet gets it; one of a clone waits for its VMClone", () => {
  const ours = object("one", { adopted: true, disk: "1" });
  const person = object("two", { adopted: true });
  const clone = object("three", { adopted: true, notes: { [annotations.clone]: "c" } });
  const machines = [listed("1", "one"), listed("2", "two"), listed("3", "three")];
  expect(told(discover(machines, all, known([ours, person, clone])))).toEqual(["seed one 1", "seed two 2"]);
});

test("a name that belongs to an object of another provider is not taken, and told", () => {
  const { deeds, taken } = discover([listed("1", "web")], all, known([object("web", { provider: "other" })]));
  expect([deeds, taken]).toEqual([[], ["web"]]);
});

test("at most twenty at a time, and the rest is counted", () => {
  const many = Array.from({ length: 50 }, (_, i) => listed(`id-${i}`, `vm-${i}`));
  const { deeds, left, found } = discover(many, all, known());
  expect([deeds.length, left, found]).toEqual([atATime, 30, 50]);
});

test("what an object cannot say of a machine keeps it from being adopted: it would be changed", () => {
  const odd = [
    listed("", "a"),
    listed("x".repeat(254), "b"),
    listed("3", "c", { power: "Unknown" }),
    listed("4", "d", { cpu: 256 }),
    listed("5", "e", { cpu: -1 }),
    listed("6", "f", { memoryMiB: 64 }),
    listed("7", "g", { memoryMiB: -5 }),
    listed("8", "h", { cpu: 0, memoryMiB: 0 }),
  ];
  const { obstacles, deeds } = discover(odd, all, known());
  expect(obstacles.map(({ name }) => name).toSorted()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  expect(told({ deeds } as Discovery)).toEqual(["make h 8"]);
  expect(classOf(listed("8", "h", { cpu: 0, memoryMiB: 0 }), "demo").metadata.name).toBe("adopted-2cpu-4096mb");
});

test("whatever a provider lists is read", () => {
  const { output } = service.method.listVMs;
  const text = anyText(300);
  const disk = fc.record({ id: text, path: text, sizeGib: fc.integer({ min: -5, max: 5 }), format: text });
  const machine = fc.record({
    id: text,
    name: text,
    powerState: text,
    ips: fc.array(text, { maxLength: 5 }),
    cpu: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    memoryMib: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    disks: fc.array(disk, { maxLength: 3 }),
    providerRaw: fc.dictionary(text, text, { maxKeys: 3 }),
  });
  fc.assert(
    fc.property(fc.array(machine, { maxLength: 3 }), (vms) => {
      discover(create(output, { vms }).vms.map(listedOf), all, known());
    }),
  );
});

const wants = (json: string, machine: Listed): boolean | string => {
  const filter = filterOf(json);
  return "problem" in filter ? filter.problem : filter.isWanted(machine);
};

test("a filter asks for names, power and sizes; zero is no limit", () => {
  const web = listed("1", "web-1", { cpu: 4, memoryMiB: 8_192, power: "Off" });
  expect(wants("", web)).toBe(true);
  expect(wants('{"namePattern":"^web-"}', web)).toBe(true);
  expect(wants('{"namePattern":"^db"}', web)).toBe(false);
  expect(wants('{"powerState":"poweredOFF"}', web)).toBe(true);
  expect(wants('{"powerState":"on"}', web)).toBe(false);
  expect(wants('{"minCPU":4,"maxCPU":4,"minMemoryMiB":0,"maxMemoryMiB":0}', web)).toBe(true);
  expect(wants('{"maxCPU":3}', web)).toBe(false);
  expect(wants('{"minMemoryMiB":9000}', web)).toBe(false);
});

test("a filter that is none says what is wrong with it", () => {
  const web = listed("1", "web");
  expect(wants("{", web)).toBe("it is no JSON");
  expect(wants("[]", web)).toBe("it is no JSON object");
  expect(wants('{"namePatern":"x"}', web)).toBe("namePatern is no field of it");
  expect(wants('{"namePattern":"(a+"}', web)).toBe("namePattern: a ( has no )");
  expect(wants('{"namePattern":7}', web)).toBe("namePattern: it is no text");
  expect(wants('{"powerState":"sideways"}', web)).toBe("powerState is neither On nor Off");
  expect(wants('{"minCPU":-1}', web)).toBe("minCPU is no whole number from 0");
  expect(wants(JSON.stringify({ namePattern: "x".repeat(9_000) }), web)).toBe("it is longer than 8192 characters");
});

test("an id is given only where there is none", () => {
  const [guard] = seedOf(object("one", { id: "" }), listed("1", "one"));
  expect(guard).toEqual({ op: "test", path: "/status/id", value: "" });
  expect(seedOf(object("one"), listed("1", "one"))[0]).toEqual({ op: "test", path: "/status", value: null });
});
