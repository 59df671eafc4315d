import { isDnsLabel } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodeName, secretVolumes } from "./names.ts";

describe("the name of a role", () => {
  test("A25 has no dots", () => {
    expect(nodeName("team.load", "master")).toBe("team-load-master");
    expect(nodeName("a.b.c", "worker")).toBe("a-b-c-worker");
  });

  test("is a name of 63 characters at most for every name that is accepted", () => {
    const accepted = fc.stringMatching(/^[a-z]([-a-z0-9]{0,20}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,10}[a-z0-9])?){0,2}$/);
    fc.assert(
      fc.property(accepted, fc.constantFrom("master", "worker"), (name, role) => {
        fc.pre(name.length <= 56);
        expect(isDnsLabel(nodeName(name, role))).toBe(true);
      }),
      { seed: 1 },
    );
    expect(nodeName("x".repeat(56), "worker")).toHaveLength(63);
  });
});

describe("the volumes of Secrets", () => {
  const of = (...secrets: string[]) => [...secretVolumes(secrets).values()];

  test("are named after them, one for each", () => {
    expect(of("shop", "shop", "my.secret")).toEqual(["secret-shop", "secret-my-secret"]);
  });

  test("that clash or are too long end in a hash", () => {
    expect(of("my-secret", "my.secret")).toEqual([
      "secret-my-secret",
      expect.stringMatching(/^secret-my-secret-[0-9a-f]{8}$/),
    ]);
    const [long] = of("y".repeat(100));
    expect(long).toMatch(/^secret-y{47}-[0-9a-f]{8}$/);
    expect(long).toHaveLength(63);
    const [dot, dash] = of(`${"y".repeat(60)}.z`, `${"y".repeat(60)}-z`);
    expect(dot).not.toBe(dash);
  });

  test("are names that a server accepts, and no two are the same", () => {
    const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/);
    const secret = fc.array(label, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
    // Few letters, so that `a.a` meets `a-a`.
    const close = fc.stringMatching(/^a([-.]?a){0,40}$/);
    fc.assert(
      fc.property(fc.array(fc.oneof(secret, close), { maxLength: 12 }), (secrets) => {
        const volumes = of(...secrets);
        expect(volumes).toHaveLength(new Set(secrets).size);
        expect(new Set(volumes).size).toBe(volumes.length);
        expect(volumes.filter((name) => !isDnsLabel(name))).toEqual([]);
      }),
      { seed: 1 },
    );
  });
});
