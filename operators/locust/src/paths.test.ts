import { expect, test } from "vitest";
import { demo } from "../test/demo.ts";
import { isMountPath, normalizePath, pathConflicts, reservedPaths } from "./paths.ts";

test.each([
  ["/lotest/src", "/lotest/src/", true],
  ["/lotest/src/secrets", "/lotest/src", true],
  ["/lotest", "/lotest/src", true],
  ["/lotest/srcfoo", "/lotest/src", false],
  ["/etc/certs", "/opt/locust/lib", false],
  ["//lotest//src", "/lotest/src", true],
  ["/lotest/./src", "/lotest/src", true],
  ["/", "/opt/locust/lib", true],
  ["/.", "/etc", true],
  ["/lotest/src", "/lotest/Src", false],
])("%s and %s conflict: %s, whoever comes first", (a, b, expected) => {
  expect([pathConflicts(a, b), pathConflicts(b, a)]).toEqual([expected, expected]);
});

test.each([
  ["/a/b/", "/a/b"],
  ["//a///b", "/a/b"],
  ["/./a/./b/.", "/a/b"],
  ["/", "/"],
  ["", "/"],
  ["/a/../b", "/a/../b"],
  ["/a/...", "/a/..."],
])("%s is written %s", (path, normal) => {
  expect(normalizePath(path)).toBe(normal);
});

test.each([
  ["/a", true],
  ["/", true],
  ["/a/..b", true],
  ["a", false],
  ["", false],
  ["/a:ro", false],
  ["/a/../b", false],
  ["/..", false],
])("%s can be mounted at: %s", (path, expected) => {
  expect(isMountPath(path)).toBe(expected);
});

test.each([
  ["no test files", {}, ["/lotest/src", "/opt/locust/lib"]],
  ["test files", { configMapRef: "a" }, ["/lotest/src"]],
  ["libraries", { libConfigMapRef: "a" }, ["/opt/locust/lib"]],
  ["both", { configMapRef: "a", libConfigMapRef: "b" }, ["/lotest/src", "/opt/locust/lib"]],
  ["test files elsewhere", { configMapRef: "a", srcMountPath: "/tests" }, ["/tests"]],
  ["an empty path", { configMapRef: "a", srcMountPath: "" }, ["/lotest/src"]],
  ["empty names", { configMapRef: "", libConfigMapRef: "" }, ["/lotest/src", "/opt/locust/lib"]],
])("%s reserve their places", (_name, testFiles, expected) => {
  expect(reservedPaths({ ...demo().spec, testFiles })).toEqual(expected);
});

test("a test without testFiles reserves both places", () => {
  const { testFiles: _, ...spec } = demo().spec;
  expect(reservedPaths(spec)).toEqual(["/lotest/src", "/opt/locust/lib"]);
});
