import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitize } from "./sanitize.ts";

describe("a text from outside", () => {
  test("loses all but its first line", () => {
    expect(sanitize("jobs.batch is forbidden\nTraceback: x\n")).toBe("jobs.batch is forbidden");
    expect(sanitize("\r\nafter an empty line\r\nmore")).toBe("after an empty line");
  });

  test("loses control characters", () => {
    expect(sanitize("a\u0000b\u001b[31mred\u0007\tend")).toBe("abred end");
  });

  test("loses the credentials of an address", () => {
    expect(sanitize("GET https://user:pa55@shop.example/x: refused")).toBe("GET https://***@shop.example/x: refused");
    expect(sanitize("pull from //user:pa/55@shop.example failed")).toBe("pull from //***@shop.example failed");
    expect(sanitize("//user:pa55@shop.example")).toBe("//***@shop.example");
  });

  test.each(["password", "passwd", "token", "secret", "apikey", "Authorization"])("loses what follows %s", (word) => {
    expect(sanitize(`failed: ${word}=hunter2 here`)).not.toContain("hunter2");
    expect(sanitize(`failed: ${word}: hunter2`)).toBe(`failed: ${word}: ***`);
    expect(sanitize(`failed: {"${word}":"hunter2"}`)).not.toContain("hunter2");
  });

  test("is cut at 1024 characters", () => {
    expect(sanitize("x ".repeat(3000))).toHaveLength(1024);
    expect(sanitize("y".repeat(100_000)).length).toBeLessThanOrEqual(1024);
  });

  test("keeps names of objects, images and reasons", () => {
    for (const kept of [
      'jobs.batch "demo-worker" is forbidden: exceeded quota: pods, requested: pods=3, used: pods=8, limited: pods=10',
      'MountVolume.SetUp failed for volume "demo-master" : configmap "demo-scripts" not found',
      'Back-off pulling image "locustio/locust:2.46.3"',
      "0/3 nodes are available: 3 Insufficient cpu.",
      'secret "shop-credentials" not found',
    ]) {
      expect(sanitize(kept)).toBe(kept);
    }
  });

  test("keeps the name of a missing Secret that we named a volume after", () => {
    expect(sanitize('MountVolume.SetUp failed for volume "secret-shop" : secret "shop" not found')).toBe(
      'MountVolume.SetUp failed for volume "secret-shop", secret "shop" not found',
    );
    expect(sanitize('volume "secret-shop" : hunter2')).not.toContain("hunter2");
  });

  test("never shows a value after a word that announces one, whatever is around it", () => {
    const words = fc.constantFrom("password", "PASSWD", "token", "client_secret", "apikey", "authorization");
    const value = fc.stringMatching(/^[a-z0-9]{6,20}$/).map((part) => `zq${part}`);
    fc.assert(
      fc.property(fc.string(), words, fc.constantFrom("=", ":", ": ", " = "), value, fc.string(), (a, w, sep, v, b) => {
        // What ends in a word character would make another word of it, and a quote another value.
        const found = sanitize(`${a.replace(/[\w"'\\]/g, "")} ${w}${sep}${v} ${b}`);
        expect(found).not.toContain(v);
        expect(found.length).toBeLessThanOrEqual(1024);
      }),
      { seed: 1 },
    );
  });
});
