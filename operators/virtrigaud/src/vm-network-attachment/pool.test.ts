// How a ConfigMap becomes a pool, and what is said of one that cannot.
import { describe, expect, it } from "vitest";
import { formatIpv4 } from "../ipv4.ts";
import { lowest, readPool } from "./pool.ts";

const read = (data: Record<string, string>) => readPool({ metadata: { name: "pool" }, data });

function first(data: Record<string, string>, count: number): readonly string[] {
  const found = read(data);
  if (found.is === "unusable") throw new Error(found.why);
  return [...lowest(found.pool, () => false)].slice(0, count).map(formatIpv4);
}

describe("addresses that no machine can have are left out", () => {
  it("of a network of its own: its name, and the one that means everybody", () => {
    expect(first({ ranges: "10.0.0.0/29" }, 9)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `10.0.0.${n}`));
    expect(first({ ranges: "10.0.0.4/31" }, 9)).toEqual(["10.0.0.4", "10.0.0.5"]);
    expect(first({ ranges: "10.0.0.4/32" }, 9)).toEqual(["10.0.0.4"]);
  });

  it("of a part of a larger network: only what is so there", () => {
    expect(first({ ranges: "10.0.0.248/29", prefix: "24" }, 9)).toEqual(
      [248, 249, 250, 251, 252, 253, 254].map((n) => `10.0.0.${n}`),
    );
  });

  it("the gateway", () => {
    expect(first({ ranges: "10.0.0.1-10.0.0.3", gateway: "10.0.0.2" }, 9)).toEqual(["10.0.0.1", "10.0.0.3"]);
  });
});

it("ranges may overlap, touch and come in any order", () => {
  expect(first({ ranges: "10.0.0.7-10.0.0.8, 10.0.0.2-10.0.0.4,10.0.0.3-10.0.0.5,10.0.0.6-10.0.0.6" }, 9)).toEqual(
    [2, 3, 4, 5, 6, 7, 8].map((n) => `10.0.0.${n}`),
  );
});

describe("what is wrong is named", () => {
  const wrong: Readonly<Record<string, Record<string, string>>> = {
    "ranges is empty": {},
    "ranges: 10.0.0.9-10.0.0.1 is neither": { ranges: "10.0.0.9-10.0.0.1" },
    "ranges: 10.0.0.0/33 is neither": { ranges: "10.0.0.1-10.0.0.2,10.0.0.0/33" },
    "ranges: fd00::/64 is neither": { ranges: "fd00::/64" },
    "prefix 99 is not": { ranges: "10.0.0.0/24", prefix: "99" },
    "gateway x is not": { ranges: "10.0.0.0/24", gateway: "x" },
    "dns dns.example is not": { ranges: "10.0.0.0/24", dns: "10.0.0.2,dns.example" },
  };
  it.each(Object.entries(wrong))("%s", (said, data) => {
    expect(read(data)).toMatchObject({ is: "unusable", why: expect.stringContaining(`ConfigMap pool: ${said}`) });
  });
});
