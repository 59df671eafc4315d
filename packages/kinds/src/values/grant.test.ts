import { describe, expect, it } from "vitest";
import { grants } from "./grant.ts";

describe("a grant", () => {
  it("names who is granted, with or without spaces", () => {
    expect(grants("a,b", "b")).toBe(true);
    expect(grants(" a , b ", "a")).toBe(true);
    expect(grants("a,b", "c")).toBe(false);
    expect(grants("team-a", "team")).toBe(false);
  });

  it("goes to everyone with a star", () => {
    expect(grants("*", "anyone")).toBe(true);
    expect(grants(" * ", "anyone")).toBe(true);
    expect(grants("a*", "ab")).toBe(false);
  });

  it("goes to nobody when the list is absent or empty", () => {
    expect(grants(undefined, "a")).toBe(false);
    expect(grants("", "a")).toBe(false);
    expect(grants("", "")).toBe(false);
    expect(grants(" , ", "")).toBe(false);
  });
});
