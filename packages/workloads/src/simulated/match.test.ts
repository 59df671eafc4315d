import { expect, test } from "vitest";
import { pod } from "../../test/pod-parts.ts";
import { isLike, isMatch } from "./match.ts";

test.each([
  ["invalid*", "invalid:1", true],
  ["invalid*", "example.test/invalid:1", false],
  ["*invalid*", "example.test/invalid:1", true],
  ["web-?", "web-1", true],
  ["web-?", "web-10", false],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-b-b-d", false],
  ["", "", true],
  ["*", "", true],
  ["a.c", "abc", false],
])("%s and %s: %s", (glob, text, is) => expect(isLike(glob, text)).toBe(is));

test("a glob made to take for ever does not", () => {
  expect(isLike(`${"*a".repeat(30)}b`, "a".repeat(10_000))).toBe(false);
});

test("everything that is given has to fit", () => {
  const it = pod({}, { name: "web-1", namespace: "shop", labels: { app: "web" } });
  expect(isMatch({}, it)).toBe(true);
  expect(isMatch({ namespace: "shop", name: "web-*", labels: { app: "web" } }, it)).toBe(true);
  expect(isMatch({ namespace: "default", name: "web-*" }, it)).toBe(false);
  expect(isMatch({ name: "web-*", labels: { app: "db" } }, it)).toBe(false);
});

test("an expression that remembers where it was fits each time", () => {
  const it = pod({}, { name: "web-1" });
  const name = /web/g;
  expect([isMatch({ name }, it), isMatch({ name }, it), isMatch({ name: /db/ }, it)]).toEqual([true, true, false]);
});
