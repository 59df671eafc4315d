import { describe, expect, it } from "vitest";
import { programOf } from "./images.ts";

const locust = { command: ["locust"] } as const;
const bind = { command: ["named", "-g"] } as const;
const any = { command: ["any"] } as const;

describe("an image", () => {
  const images = { "locustio/locust:*": locust, "*/bind9:9.?": bind, "exact.name": any };
  it.each([
    ["locustio/locust:2.30", locust],
    ["registry.example/isc/bind9:9.2", bind],
    ["exact.name", any],
    ["exactXname", undefined],
    ["other/locustio/locust:1", undefined],
    ["isc/bind9:9.20", undefined],
    ["", undefined],
  ])("%s is found by its glob", (image, program) => {
    expect(programOf(images, image)).toBe(program);
  });

  it("is the first that matches", () => {
    expect(programOf({ "a*": any, "*": bind }, "abc")).toBe(any);
    expect(programOf({ "*": bind, "a*": any }, "abc")).toBe(bind);
  });
});

it("a pattern with many stars takes no longer for an image that it does not match", () => {
  const glob = `${"*a".repeat(40)}*b`;
  expect(programOf({ [glob]: { command: ["x"] } }, "a".repeat(5_000))).toBeUndefined();
  expect(programOf({ [glob]: { command: ["x"] } }, `${"a".repeat(5_000)}b`)).toEqual({ command: ["x"] });
});
