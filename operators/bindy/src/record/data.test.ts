import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attacks } from "../../test/hostile.ts";
import { record } from "../../test/zone-objects.ts";
import type { DNSRecord } from "../kinds/index.ts";
import { dataOf, recordHash, split } from "./data.ts";

const values = (it: DNSRecord): readonly string[] | string => {
  const read = dataOf(it);
  return read.is === "data" ? read.data.values : `${read.field}: ${read.why}`;
};

describe("the data of a record", () => {
  it("is what each kind says, in presentation form", () => {
    expect(values(record("A", { name: "www", ipv4Addresses: ["192.0.2.2", "192.0.2.1"] }))).toEqual([
      "192.0.2.1",
      "192.0.2.2",
    ]);
    expect(values(record("AAAA", { name: "www", ipv6Addresses: ["2001:DB8:0:0::1"] }))).toEqual(["2001:db8::1"]);
    expect(values(record("CNAME", { name: "w", target: "WWW.example.com." }))).toEqual(["www.example.com."]);
    expect(values(record("MX", { name: "@", priority: 10, mailServer: "mail.example.com." }))).toEqual([
      "10 mail.example.com.",
    ]);
    expect(values(record("NS", { name: "sub", nameserver: "ns.example.net." }))).toEqual(["ns.example.net."]);
    const srv = { name: "_sip._tcp", priority: 1, weight: 2, port: 5060, target: "sip.example.com." };
    expect(values(record("SRV", srv))).toEqual(["1 2 5060 sip.example.com."]);
    expect(values(record("SRV", { ...srv, target: "." }))).toEqual(["1 2 5060 ."]);
    expect(values(record("CAA", { name: "@", flags: 3, tag: "issue", value: 'ca.example; "x"' }))).toEqual([
      '3 issue "ca.example; \\"x\\""',
    ]);
    expect(values(record("TXT", { name: "@", text: ['v=DKIM1; k=rsa; p="x"', "b\\c"] }))).toEqual([
      '"v=DKIM1; k=rsa; p=\\"x\\"" "b\\\\c"',
    ]);
  });

  it("is refused with the field and the reason", () => {
    expect(values(record("A", { name: "www", ipv4Addresses: ["192.0.2.1", "999.1.1.1"] }))).toBe(
      "ipv4Addresses[1]: is not an IPv4 address",
    );
    expect(values(record("A", { name: "www", ipv4Addresses: ["01.2.3.4"] }))).toContain("ipv4Addresses[0]: is not");
    expect(values(record("AAAA", { name: "www", ipv6Addresses: ["2001:db8::1", "2001:DB8:0::1"] }))).toBe(
      "ipv6Addresses[1]: is the same address as one before it",
    );
    expect(values(record("A", { name: "_x", ipv4Addresses: ["192.0.2.1"] }))).toContain("name: has a '_'");
    expect(values(record("CNAME", { name: "@", target: "a.example.com." }))).toBe(
      "name: is @, and the zone itself cannot be an alias",
    );
    expect(values(record("CAA", { name: "@", flags: 0, tag: "contactemail", value: "x" }))).toContain("tag");
    const srv = { name: "sip", priority: 1, weight: 2, port: 5060, target: "sip.example.com." };
    expect(values(record("SRV", srv))).toContain("name");
    expect(values(record("TXT", { name: "@", text: ["ok", "a\nb"] }))).toContain("text[1]");
    expect(values(record("TXT", { name: "@", text: Array.from({ length: 64 }, () => "x".repeat(4096)) }))).toContain(
      "text: ",
    );
    expect(values(record("A", { name: "www", ttl: -1, ipv4Addresses: ["192.0.2.1"] }))).toContain("ttl");
  });

  it("refuses every attack string as an owner, a target and an address", () => {
    for (const attack of attacks) {
      expect(values(record("A", { name: attack, ipv4Addresses: ["192.0.2.1"] })), attack).toContain("name");
      expect(values(record("CNAME", { name: "www", target: `${attack}.` })), attack).toContain("target");
      expect(values(record("MX", { name: "@", priority: 1, mailServer: `${attack}.` })), attack).toContain(
        "mailServer",
      );
      expect(values(record("NS", { name: "sub", nameserver: `${attack}.` })), attack).toContain("nameserver");
      expect(values(record("A", { name: "www", ipv4Addresses: [attack] })), attack).toContain("ipv4Addresses");
    }
  });

  it("of texts is one line of printable ASCII between quotes, whatever the texts are", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 400 }), { minLength: 1, maxLength: 4 }), (text) => {
        const found = values(record("TXT", { name: "@", text }));
        if (typeof found === "string") return true;
        return found.every((value) =>
          /^"([ !#-[\]-~]|\\["\\]|\\\d{3})*"( "([ !#-[\]-~]|\\["\\]|\\\d{3})*")*$/.test(value),
        );
      }),
      { seed: 1 },
    );
  });

  it("A-128 a text of more than 255 bytes is split, and never within a character", () => {
    expect(split("x".repeat(600)).map((it) => it.length)).toEqual([255, 255, 90]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 600 }), (text) => {
        const parts = split(text);
        expect(parts.join("")).toBe(text);
        for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
      }),
      { seed: 2 },
    );
  });

  it("has the same hash where null and absent say the same, and another where anything differs", () => {
    const a = record("A", { name: "www", ipv4Addresses: ["192.0.2.1"], ttl: null });
    const b = record("A", { ipv4Addresses: ["192.0.2.1"], name: "www" });
    expect(recordHash(a)).toBe(recordHash(b));
    expect(recordHash(a)).toMatch(/^[0-9a-f]{64}$/);
    expect(recordHash(a)).not.toBe(recordHash(record("A", { name: "www", ipv4Addresses: ["192.0.2.2"] })));
  });
});
