import { expect, test } from "vitest";
import { pod } from "../../test/pod-parts.ts";
import { RuleBook } from "./rules.ts";

const web = pod({}, { name: "web-1", uid: "web" });
const db = pod({}, { name: "db-1", uid: "db" });

function book(known: readonly string[] = ["web", "db"]) {
  const changes: string[] = [];
  const rules = new RuleBook(
    [{ match: { name: "web-*" }, ready: 1 }],
    () => known,
    () => changes.push("changed"),
  );
  return { rules, changes };
}

test("later rules have the last word, field by field", () => {
  const { rules } = book();
  rules.add({ match: {}, ready: 2, start: 3 });
  expect(rules.behaviourOf(web)).toEqual({ ready: 2, start: 3 });
  expect(rules.behaviourOf(db)).toEqual({ ready: 2, start: 3 });
});

test("a rule that is taken away leaves the others, and each change is told", () => {
  const { rules, changes } = book();
  const take = rules.add({ match: { name: /^db/ }, neverReady: true });
  expect(rules.behaviourOf(db)).toEqual({ neverReady: true });
  take();
  take();
  expect(rules.behaviourOf(db)).toEqual({});
  expect(rules.behaviourOf(web)).toEqual({ ready: 1 });
  rules.clear();
  expect(rules.behaviourOf(web)).toEqual({});
  expect(changes).toHaveLength(4);
});

test("a blow hits each container that there is once, and no one that comes later", () => {
  const { rules } = book(["web"]);
  rules.kill({ name: "*" });
  expect(rules.blowTo(web, "main", "id-0")).toBe(137);
  expect(rules.blowTo(web, "main", "id-0")).toBe(137); // until it is known to have ended
  expect(rules.blowTo(web, "main", "id-1")).toBeUndefined();
  expect(rules.blowTo(db, "main", "id-0")).toBeUndefined(); // was not there
});

test("a blow may be meant for one container, with another code", () => {
  const { rules } = book();
  rules.kill({ name: "db-*", container: "side" }, 1);
  expect(rules.blowTo(db, "main", "id")).toBeUndefined();
  expect(rules.blowTo(db, "side", "id")).toBe(1);
  expect(rules.blowTo(web, "side", "id")).toBeUndefined();
});
