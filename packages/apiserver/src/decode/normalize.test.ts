import { expect, test } from "vitest";
import { normalize } from "./normalize.ts";

test("an empty list that was given is none once it is stored, also where the rest is in its form already", () => {
  const given = normalize({ spec: { containers: [], nodeName: "a" } }, "core.Pod", "as given");
  expect(given["spec"]).toEqual({ containers: [], nodeName: "a" });
  expect(normalize(given, "core.Pod")["spec"]).toEqual({ containers: null, nodeName: "a" });
});

test("what is in its form already stays the same object", () => {
  const once = normalize({ spec: { containers: [{ name: "a", image: "b" }] } }, "core.Pod");
  expect(normalize({ ...once }, "core.Pod")["spec"]).toBe(once["spec"]);
});
