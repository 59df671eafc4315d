import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressPolicy, checkAddresses, checkHost, parseAllowed, s3Host } from "./addresses.ts";

const lookup = (table: Readonly<Record<string, readonly string[]>>) => async (host: string) => {
  const found = table[host];
  if (found === undefined) throw new Error("ENOTFOUND");
  return found;
};

describe("7.4 an address that only this machine can reach", () => {
  test.each([
    ["127.0.0.1", "loopback"],
    ["127.8.8.8", "loopback"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::127.0.0.1", "loopback"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["::", "unspecified"],
    ["169.254.169.254", "link-local"],
    ["::ffff:a9fe:a9fe", "link-local"],
    ["64:ff9b::a9fe:a9fe", "link-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["febf::1", "link-local"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.250", "multicast"],
    ["ff01::1", "multicast"],
    ["ff02::1", "multicast"],
  ])("%s is denied: it is %s", (address, why) => {
    expect(checkAddresses("x", [address], {})).toMatchObject({ is: "denied", why: expect.stringContaining(why) });
  });

  test.each(["10.0.0.5", "192.168.1.1", "172.16.0.1", "203.0.113.9", "2001:db8::1", "fd00::1", "::ffff:10.0.0.1"])(
    "%s is allowed",
    (address) => {
      expect(checkAddresses("x", [address], {})).toEqual({ is: "allowed", addresses: [address] });
    },
  );
});

describe("7.4 a host", () => {
  const names = { good: ["203.0.113.9", "2001:db8::9"], mixed: ["203.0.113.9", "127.0.0.1"], empty: [] };

  test("is looked up once, and what was checked is what is connected to", async () => {
    let asked = 0;
    const checked = await checkHost("good", {}, (host) => {
      asked++;
      return lookup(names)(host);
    });
    expect([checked, asked]).toEqual([{ is: "allowed", addresses: names.good }, 1]);
  });

  test("is denied when one of its addresses is", async () => {
    const why = "host mixed has the address 127.0.0.1, which is loopback";
    expect(await checkHost("mixed", {}, lookup(names))).toEqual({ is: "denied", why });
  });

  test("that nobody knows, or without an address, is not known", async () => {
    expect(await checkHost("absent", {}, lookup(names))).toMatchObject({ is: "unknown" });
    expect(await checkHost("empty", {}, lookup(names))).toMatchObject({ is: "unknown" });
  });

  test.each(["[::1]", "127.0.0.1"])("%s is not looked up", async (host) => {
    const never = () => Promise.reject(new Error("asked"));
    expect(await checkHost(host, {}, never)).toMatchObject({ is: "denied", why: expect.stringContaining("loopback") });
  });

  test.each(["", "a b", "a/b", "user@host", "a?b", "x\n127.0.0.1", "-x", "a".repeat(254), "[host"])(
    "%j is no name",
    async (host) => {
      expect(await checkHost(host, {}, lookup(names))).toMatchObject({ is: "denied" });
    },
  );

  test("of any text ends in an answer, and never in an address that is denied", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), async (host, found) => {
        const checked = await checkHost(host, {}, async () => found);
        if (checked.is !== "allowed") return;
        expect(checked.addresses.filter((it) => it.startsWith("127.") || it.startsWith("169.254."))).toEqual([]);
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

describe("VIRTRIGAUD_MIGRATION_STORAGE_ALLOWED_HOSTS", () => {
  const policy = (written: string): AddressPolicy => {
    const allowed = parseAllowed(written);
    if (allowed.is === "wrong") throw new Error(allowed.entry);
    return allowed.policy;
  };

  test("lets only those in, and what is always denied stays denied", () => {
    const only = policy("10.0.0.0/8, 2001:db8::/32, 203.0.113.9,127.0.0.1");
    const isAllowed = (address: string) => checkAddresses("x", [address], only).is === "allowed";
    expect(["10.1.2.3", "2001:db8::5", "203.0.113.9", "::ffff:10.0.0.1"].every(isAllowed)).toBe(true);
    expect(["192.168.0.1", "203.0.113.10", "2001:db9::1", "127.0.0.1"].some(isAllowed)).toBe(false);
  });

  test("that is empty lets everybody in", () => {
    expect(policy("")).toEqual({});
    expect(policy(" ")).toEqual({});
  });

  test.each([
    "10.0.0.0/33",
    "host.example",
    "10.0.0.0/8,",
    "1.2.3",
    "::1/129",
    "10.0.0.0/8/8",
    "fe80::1%eth0/64",
    "10.0.0.0/-1",
  ])("%j is wrong, and is not passed over", (written) => {
    expect(parseAllowed(written).is).toBe("wrong");
  });
});

test.each([
  [undefined, "s3.amazonaws.com"],
  ["", "s3.amazonaws.com"],
  ["http://169.254.169.254", "169.254.169.254"],
  ["https://minio.example:9000", "minio.example"],
  ["minio.example:9000", "minio.example"],
  ["http://2130706433", "127.0.0.1"],
  ["ftp://x", undefined],
  ["https://", undefined],
])("7.4 the host of the S3 endpoint %j is %j", (endpoint, host) => {
  expect(s3Host(endpoint)).toBe(host);
});
