// Symbols stand for what varies, and for nothing else.
import { expect, test } from "vitest";
import type { Change } from "./environment.ts";
import type { Json, JsonObject } from "./json.ts";
import { observed } from "./symbols.ts";

const uidOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

const pod = (suffix: string, n: number, more: JsonObject = {}, prefix = "web-5d4f8-"): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `${prefix}${suffix}`, generateName: prefix, namespace: "ns-1", uid: uidOf(n), ...more },
});

const set: JsonObject = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web-5d4f8", namespace: "ns-1", uid: uidOf(9), labels: { "pod-template-hash": "5d4f8" } },
};

const seen = (...objects: readonly (JsonObject | readonly [Change["type"], JsonObject])[]): readonly Change[] =>
  objects.map((it, i) => {
    const [type, object]: readonly [Change["type"], JsonObject] = Array.isArray(it) ? [it[0], it[1]] : ["ADDED", it];
    return { revision: i + 1, type, object };
  });

const look = (changes: readonly Change[], podNumbering: "creation" | "canonical" = "creation") =>
  observed(changes, [{ step: 0, behind: 0 }], "ns-1", { podNumbering });

const names = (changes: readonly Change[], numbering: "creation" | "canonical") => [
  ...look(changes, numbering).objects.keys(),
];

const statusAs = (status: Json): Json | undefined => {
  const object = { kind: "Job", metadata: { name: "j", namespace: "ns-1", uid: uidOf(1) }, status };
  return look(seen(set, pod("abcde", 2), object)).objects.get("Job/j")?.[0]?.body["status"];
};

test("pods are numbered as they were made", () => {
  const changes = seen(set, pod("zzzzz", 1), pod("aaaaa", 2));
  expect(names(changes, "creation").slice(1)).toEqual(["Pod/web-<hash:1>-<rand:1>", "Pod/web-<hash:1>-<rand:2>"]);
});

test("or those that stay first, and then the others as they were asked to go", () => {
  const going = (it: JsonObject): readonly ["MODIFIED", JsonObject] => ["MODIFIED", it];
  const changes = seen(
    set,
    pod("first", 1),
    pod("secnd", 2),
    pod("third", 3),
    going(pod("secnd", 2, { deletionTimestamp: "2026-01-01T00:00:00Z" })),
    going(pod("first", 1, { deletionTimestamp: "2026-01-01T00:00:00Z" })),
    ["DELETED", pod("first", 1, { deletionTimestamp: "2026-01-01T00:00:00Z" })],
  );
  const number = new Map(
    [...look(changes, "canonical").objects].map(([name, states]) => [states.length, name.slice(-"<rand:1>".length)]),
  );
  // One state: it stays. Two: marked first. Three: marked second, and gone first.
  expect([number.get(2), number.get(3)]).toEqual(["<rand:2>", "<rand:3>"]);
});

test("a fixed name is no generated one, although it has a prefix", () => {
  expect(names(seen(pod("0", 1, {}, "db-")), "creation")).toEqual(["Pod/db-0"]);
});

test("names, uids, times, addresses and the namespace are found inside of texts", () => {
  expect(statusAs({ message: `pod ns-1/web-5d4f8-abcde of ${uidOf(9)}`, at: "2026-01-01T00:00:00Z" })).toEqual({
    message: "pod <ns>/web-<hash:1>-<rand:1> of <uid:ReplicaSet/web-<hash:1>>",
    at: "<time>",
  });
});

test("a pod that was refused has a name that nobody knows", () => {
  expect(statusAs({ message: 'pods "web-5d4f8-xyzzy" is forbidden' })).toEqual({
    message: 'pods "web-<hash:1>-<rand>" is forbidden',
  });
});

test("a word is replaced as a whole only", () => {
  expect(statusAs({ message: "ns-12 and web-5d4f8x" })).toEqual({ message: "ns-12 and web-5d4f8x" });
});

test("states that differ in times or versions only are one", () => {
  const at = (resourceVersion: string, time: string) => pod("abcde", 1, { resourceVersion, annotations: { time } });
  const changes = seen(at("1", "2026-01-01T00:00:00Z"), ["MODIFIED", at("2", "2026-01-01T00:00:09Z")]);
  expect([...look(changes).objects.values()].map((states) => states.length)).toEqual([1]);
});

test("a state belongs to the last action whose revision is behind it", () => {
  const marks = [
    { step: 0, behind: 0 },
    { step: 2, behind: 1 },
  ];
  const { objects } = observed(seen(pod("aaaaa", 1), pod("bbbbb", 2)), marks, "ns-1", { podNumbering: "creation" });
  expect([...objects.values()].map(([state]) => state?.step)).toEqual([0, 2]);
});
