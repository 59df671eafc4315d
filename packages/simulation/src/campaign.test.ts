import { afterEach, describe, expect, it, vi } from "vitest";
import { budget } from "./campaign.ts";

describe("a budget", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("is what the test says", () => {
    vi.stubEnv("TELLTALE_PLANS", undefined);
    expect(budget(300)).toBe(300);
  });

  it("is as many times that as the environment asks for", () => {
    vi.stubEnv("TELLTALE_PLANS", "10");
    expect(budget(300)).toBe(3000);
    vi.stubEnv("TELLTALE_PLANS", "0.1");
    expect(budget(15)).toBe(2);
  });

  it("that is no number is refused", () => {
    vi.stubEnv("TELLTALE_PLANS", "many");
    expect(() => budget(300)).toThrow('TELLTALE_PLANS is "many"; give a factor, such as 10');
  });
});
