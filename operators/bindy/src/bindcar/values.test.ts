import { expect, test } from "vitest";
import { addressOf, endpointOf, endpointText } from "./address.ts";
import { absoluteOf, hostOf, keyNameOf, ownerOf, targetOf, zoneNameOf } from "./dns-name.ts";
import { recordValueOf } from "./record-value.ts";
import { zoneStatusOf } from "./zone-status.ts";

test("addresses are read strictly and written as BIND prints them", () => {
  const written = (text: string) => addressOf(text)?.text;
  expect(["192.0.2.1", "0.0.0.0"].map(written)).toEqual(["192.0.2.1", "0.0.0.0"]);
  for (const [given, text] of [
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["::", "::"],
    ["::1", "::1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
    ["::192.0.2.1", "::192.0.2.1"],
    ["fe80::", "fe80::"],
  ] as const)
    expect([given, written(given)]).toEqual([given, text]);
  for (const wrong of [
    "999.1.1.1",
    "1.2.3",
    "01.2.3.4",
    "1.2.3.4/8",
    "::1%lo",
    "1::2::3",
    "12345::",
    ":::",
    "1:2:3:4:5:6:7",
    "::1.2.3",
    "g::",
    "",
    " 1.2.3.4",
  ])
    expect([wrong, written(wrong)]).toEqual([wrong, undefined]);
});

test("an endpoint is an address with or without a port", () => {
  for (const text of ["10.0.0.1", "10.0.0.1:5353", "[2001:db8::1]:53", "2001:db8::1"])
    expect(endpointText(endpointOf(text) ?? { family: 4, text: "none" })).toBe(text);
  for (const wrong of [
    "10.0.0.1:0",
    "10.0.0.1:65536",
    "10.0.0.1:05",
    "[10.0.0.1]:53",
    "host:53",
    "10.0.0.1:",
    "[::1]:x",
  ])
    expect([wrong, endpointOf(wrong)]).toEqual([wrong, undefined]);
});

test("names are as narrow as 12.2 has them", () => {
  expect(zoneNameOf("Example.COM")).toBe("example.com");
  expect(zoneNameOf(`${"a".repeat(63)}.com`)).toBeDefined();
  for (const wrong of [
    "",
    ".",
    "a.",
    "-a",
    "a-",
    "a..b",
    "1.2.3.4",
    `${"a".repeat(64)}.com`,
    "a b",
    "ä.com",
    `${"a.".repeat(126)}ab`,
  ])
    expect([wrong, zoneNameOf(wrong)]).toEqual([wrong, undefined]);
  expect(ownerOf("@", "example.com")).toBe("example.com.");
  expect(ownerOf("*.WWW", "example.com")).toBe("*.www.example.com.");
  for (const wrong of ["www.", "", "*.*.x", "a*", "$INCLUDE", "a\nb", "(", "-x", "x".repeat(64)])
    expect([wrong, ownerOf(wrong, "example.com")]).toEqual([wrong, undefined]);
  expect([absoluteOf("*.a."), targetOf("*.a."), hostOf("_a.b."), targetOf("_a.b."), absoluteOf("a")]).toEqual([
    "*.a.",
    undefined,
    undefined,
    "_a.b.",
    undefined,
  ]);
  expect([keyNameOf("bindy-operator"), keyNameOf('a"b'), keyNameOf("../x"), keyNameOf(".a")]).toEqual([
    "bindy-operator",
    undefined,
    undefined,
    undefined,
  ]);
});

test("data are written anew, and what is no data of its type is refused", () => {
  expect(recordValueOf("MX", "010 Mail.Example.com.")).toBe("10 mail.example.com.");
  expect(recordValueOf("SRV", "0 0 0 .")).toBe("0 0 0 .");
  expect(recordValueOf("TXT", '"a\\034b" "\\\\" ""')).toBe('"a\\"b" "\\\\" ""');
  expect(recordValueOf("TXT", '"é; $INCLUDE x"')).toBe('"\\195\\169; $INCLUDE x"');
  expect(recordValueOf("CAA", '128 ISSUE "a; b=c"')).toBe('128 issue "a; b=c"');
  for (const [type, wrong] of [
    ["TXT", "plain"],
    ["TXT", '"a" b'],
    ["TXT", '"a"  "b"'],
    ["TXT", '"a\nb"'],
    ["TXT", '"a\\010b"'],
    ["TXT", '"\\999"'],
    ["TXT", '"\\'],
    ["TXT", '"a" ; x'],
    ["TXT", '"\u202e"'],
    ["TXT", ""],
    ["CAA", '256 issue "x"'],
    ["CAA", '0 issue "x" "y"'],
    ["CAA", "0 issue x"],
    ["CNAME", "a b."],
    ["NS", "a_b."],
    ["MX", "mail.example.com."],
    ["SRV", "1 2 3 4 a."],
    ["SOA", "a. b. 1 2 3 4"],
    ["SOA", "a. b. 4294967296 1 1 1 1"],
    ["PTR", "a\0b."],
  ] as const)
    expect([type, wrong, recordValueOf(type, wrong)]).toEqual([type, wrong, undefined]);
});

test("what rndc says of a zone becomes values", () => {
  const text = "name: a\ntype: primary\nfiles: /x/a.zone\nserial: 12\ndynamic: yes\nfrozen: no";
  expect(zoneStatusOf(text)).toEqual({ type: "primary", serial: 12, dynamic: true, frozen: false, file: "/x/a.zone" });
  expect(zoneStatusOf("type: slave")).toEqual({ type: "secondary", dynamic: false, frozen: false });
  expect(zoneStatusOf("")).toEqual({ dynamic: false, frozen: false });
});
