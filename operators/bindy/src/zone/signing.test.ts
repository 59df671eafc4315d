import { describe, expect, it } from "vitest";
import { signingIn } from "./signing.ts";

const rrset = (type: string, ...values: string[]) => ({ name: "dskey.example.com.", type, ttl: 86_400, values });
/** The key of RFC 4034, 5.4, whose tag is 60485. */
const key =
  "3 5 AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/ 2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvx egXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9Xzc nOf+EPbtG9DMBmADjFDc2w/rljwvFw==";
const cds = "60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118";

describe("3.4 what a zone tells of its keys", () => {
  it("is nothing while it is not signed", () => {
    expect(signingIn([rrset("A", "192.0.2.1")])).toEqual({ signed: false, dsRecords: [] });
  });

  it("is which key the parent will name, as soon as there is one", () => {
    const zone = signingIn([rrset("DNSKEY", `256 ${key}`)]);
    expect(zone).toEqual({ signed: true, dsRecords: [] });
    const { keyTag, algorithm } = signingIn([rrset("DNSKEY", `256 ${key}`, `257 ${key}`)]);
    expect([keyTag, algorithm]).toEqual([60_486, "5"]);
  });

  it("is what the parent may have, once BIND says so", () => {
    const twice = [rrset("DNSKEY", `257 ${key}`), rrset("CDS", cds), rrset("CDS", cds)];
    expect(signingIn(twice)).toEqual({ signed: true, dsRecords: [cds], keyTag: 60_485, algorithm: "5" });
  });

  it("survives what is no key", () => {
    expect(signingIn([rrset("DNSKEY", "nonsense")])).toEqual({ signed: true, dsRecords: [] });
  });
});
