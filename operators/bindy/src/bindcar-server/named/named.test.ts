import { expect, test } from "vitest";
import { definitionOf, modified, shownZone, statementsFor } from "./definition.ts";
import { algorithmOf, keyOf, keyText } from "./key.ts";
import { nsupdateRefusal, scriptOf } from "./nsupdate.ts";
import { rndcRefusal } from "./rndc.ts";
import { blockText, statementsOf } from "./statements.ts";
import { contentOf } from "./transfer.ts";
import { originOf, zoneFileOf } from "./zone-file.ts";

const ran = (code: number, stderr: string) => ({ code, stderr, stdout: "" });
const seen = ({ status, code }: { status: number; code: string | undefined }) => [status, code];

test("9.4 what rndc says becomes a code", () => {
  for (const [command, words, status, code] of [
    ["zonestatus", "rndc: 'zonestatus' failed: not found\nno matching zone 'a' in any view", 404, undefined],
    ["addzone", "rndc: 'addzone' failed: already exists", 409, undefined],
    ["addzone", "rndc: 'addzone' failed: bad zone\ndns_zone_loadnew failed: bad zone", 500, "ZONE_FILE"],
    ["addzone", "rndc: 'addzone' failed: CNAME and other data", 500, "ZONE_FILE"],
    ["addzone", "rndc: 'addzone' failed: unexpected end of input", 500, "ZONE_FILE"],
    ["addzone", "rndc: 'addzone' failed: syntax error", 500, "ZONE_FILE"],
    ["addzone", "rndc: 'addzone' failed: file not found", 500, "ZONE_FILE"],
    ["addzone", "rndc: 'addzone' failed: empty label", 400, undefined],
    ["freeze", "rndc: 'freeze' failed: not primary", 400, undefined],
    ["retransfer", "rndc: 'retransfer' failed: failure\nretransfer: inappropriate zone type: primary", 400, undefined],
    ["status", "rndc: connection to remote host closed.\n* This may indicate that the", 500, "RNDC_AUTH"],
    ["status", "rndc: connect failed: 127.0.0.1#953: connection refused", 500, "RNDC_CONNECT"],
    ["status", "rndc: something else", 500, "RNDC_FAILED"],
  ] as const)
    expect([words, ...seen(rndcRefusal(ran(1, words), command, "a.b"))]).toEqual([words, status, code]);
});

test("9.5 what nsupdate says becomes a code", () => {
  for (const [exit, words, status, code] of [
    [2, "update failed: REFUSED", 500, "NSUPDATE_FAILED"],
    [2, "; TSIG error with server\nupdate failed: NOTAUTH(BADKEY)", 500, "NSUPDATE_FAILED"],
    [2, "update failed: NOTAUTH(BADSIG)", 500, "NSUPDATE_FAILED"],
    [2, "update failed: NOTAUTH", 404, undefined],
    [2, "update failed: NOTZONE", 400, undefined],
    [2, "update failed: NXRRSET", 409, undefined],
    [2, "update failed: YXRRSET", 409, undefined],
    [2, "update failed: NXDOMAIN", 409, undefined],
    [2, "update failed: SERVFAIL", 500, "NSUPDATE_FAILED"],
    [2, "update failed: FORMERR", 500, "NSUPDATE_FAILED"],
    [1, "check-names failed: bad owner 'a_b'\nsyntax error", 400, undefined],
    [1, "ttl '99999999999': out of range", 400, undefined],
    [1, "dns_request_create: ran out of space", 413, undefined],
    [2, "; Communication with 127.0.0.1#5353 failed: connection refused", 500, "NSUPDATE_FAILED"],
  ] as const)
    expect([words, ...seen(nsupdateRefusal(ran(exit, words), "a.b"))]).toEqual([words, status, code]);
});

test("12.6 what nsupdate prints of a record is not for the log", () => {
  const { cause } = nsupdateRefusal(ran(3, "near 'my secret text': odd\nsomething"), "a.b");
  expect(cause).toBe("nsupdate ended with 3");
});

test("a script is one message", () => {
  const script = scriptOf(
    "example.com",
    [
      { do: "delete", name: "www.example.com.", type: "A" },
      { do: "add", name: "www.example.com.", type: "A", ttl: 60, value: "192.0.2.1" },
      { do: "delete", name: "example.com.", type: "NS", value: "ns1.example.org." },
    ],
    { server: "127.0.0.1", port: 5353 },
  );
  expect(script.split("\n")).toEqual([
    "server 127.0.0.1 5353",
    "zone example.com",
    "update delete www.example.com. A",
    "update add www.example.com. 60 A 192.0.2.1",
    "update delete example.com. NS ns1.example.org.",
    "send",
    "",
  ]);
});

const shown =
  'zone "a.b" { type primary; file "/x/a.b.zone"; allow-transfer  { key "k"; 10.0.0.1/32; 2001:db8::1/128; }; allow-update { key "k"; }; also-notify { 127.0.0.1 port 25301; 10.0.0.1; }; };';

test("9.3 what showzone prints is read, changed, and written with all that was in it", () => {
  const zone = shownZone(shown) ?? [];
  expect(definitionOf(zone)).toEqual({
    type: "primary",
    file: "/x/a.b.zone",
    alsoNotify: ["127.0.0.1:25301", "10.0.0.1"],
    allowTransfer: ["10.0.0.1", "2001:db8::1"],
    primaries: [],
  });
  const next = modified(zone, {
    alsoNotify: [],
    allowTransfer: ["10.0.0.9"],
    allowUpdate: [{ key: "k2" }, { address: "::1" }],
  });
  expect(blockText(next)).toBe(
    '{ type primary; file "/x/a.b.zone"; allow-transfer { key "k"; 10.0.0.9; }; allow-update { key "k2"; ::1; }; }',
  );
  expect(() => modified(zone, { primaries: [{ family: 4, text: "10.0.0.1" }] })).toThrow(
    "a primary zone has no primaries",
  );
});

test("a new zone can be read back as it was meant", () => {
  const endpoint = { family: 6, text: "2001:db8::2", port: 5353 } as const;
  const made = statementsFor(
    { type: "secondary", zone: "a.b", primaries: [endpoint], alsoNotify: [endpoint], allowTransfer: ["10.0.0.1"] },
    "unused",
    "own",
  );
  expect(definitionOf(made)).toMatchObject({
    type: "secondary",
    primaries: ["[2001:db8::2]:5353"],
    allowTransfer: ["10.0.0.1"],
  });
  expect(shownZone(`zone "a.b" ${blockText(made)};`)).toEqual(made);
});

test("a primary lets two keys read it: that of its updates and our own", () => {
  const made = statementsFor(
    {
      type: "primary",
      zone: "a.b",
      rrsets: [],
      alsoNotify: [],
      allowTransfer: [],
      updateKey: "theirs",
      dnssecPolicy: "std",
      inlineSigning: true,
    },
    "/z/a.b.zone",
    "own",
  );
  expect(blockText(made)).toBe(
    '{ type primary; file "/z/a.b.zone"; allow-update { key "theirs"; }; allow-transfer { key "theirs"; key "own"; }; dnssec-policy "std"; inline-signing yes; }',
  );
});

test("a text in quotes stays one text, whatever is in it", () => {
  const made = [{ words: ["file", { quoted: 'a"; }; b \\ {' }] }];
  expect(statementsOf(blockText(made).slice(1, -1))).toEqual(made);
  for (const wrong of ["a", "a {", "a }; b;", 'a "b', "a { b };", "}"])
    expect([wrong, statementsOf(wrong)]).toEqual([wrong, undefined]);
});

test("a transfer becomes RRsets, in lower case, with what is ours as we write it", () => {
  const text = `
; <<>> DiG
Example.com.\t3600\tIN\tSOA\tNS1.example.com. admin.example.com. 7 3600 600 604800 86400
example.com.\t60\tIN\tTXT\t"a;b" "caf\\195\\169"
www.example.com.\t60\tIN\tAAAA\t2001:DB8::1
www.example.com.\t60\tIN\tAAAA\t2001:db8::2
example.com.\t60\tIN\tTYPE65534\t\\# 5 08F1000001
`;
  expect(contentOf(text)).toEqual({
    serial: 7,
    rrsets: [
      {
        name: "example.com.",
        type: "SOA",
        ttl: 3600,
        values: ["ns1.example.com. admin.example.com. 7 3600 600 604800 86400"],
      },
      { name: "example.com.", type: "TXT", ttl: 60, values: ['"a;b" "caf\\195\\169"'] },
      { name: "www.example.com.", type: "AAAA", ttl: 60, values: ["2001:db8::1", "2001:db8::2"] },
      { name: "example.com.", type: "TYPE65534", ttl: 60, values: ["\\# 5 08F1000001"] },
    ],
  });
  expect(contentOf("; Transfer failed.")).toBeUndefined();
});

test("a zone file has one line for each value, each with its whole name", () => {
  const file = zoneFileOf("a.b", [
    { name: "www.a.b.", type: "A", ttl: 60, values: ["192.0.2.1", "192.0.2.2"] },
    { name: "a.b.", type: "SOA", ttl: 300, values: ["ns. m. 1 1 1 1 1"] },
  ]);
  expect(file).toBe(
    "$ORIGIN a.b.\n$TTL 300\na.b. 300 IN SOA ns. m. 1 1 1 1 1\nwww.a.b. 60 IN A 192.0.2.1\nwww.a.b. 60 IN A 192.0.2.2\n",
  );
  expect(originOf(file)).toBe("a.b");
});

test("12.5 keys of tsig-keygen are read; md5, sha1 and what is no base64 are refused", () => {
  const text = (algorithm: string, secret = "c2VjcmV0") =>
    `key "bindy-operator" {\n\talgorithm ${algorithm};\n\tsecret "${secret}";\n};\n`;
  const key = keyOf(`# made by hand\n${text("hmac-sha256")}`);
  expect([key?.name, key?.algorithm, key?.secret.reveal()]).toEqual(["bindy-operator", "hmac-sha256", "c2VjcmV0"]);
  expect(JSON.stringify(key)).not.toContain("c2VjcmV0");
  expect(
    keyOf(keyText(key ?? { name: "", algorithm: "hmac-sha256", secret: { reveal: () => "" } as never }))?.name,
  ).toBe("bindy-operator");
  const slashes = "aUPVPVtNgkxMHeOSKGWCKzH+Kxu4QH1ZLC7aZC0//hQ=";
  expect(keyOf(`${text("hmac-sha256", slashes)}// the end`)?.secret.reveal()).toBe(slashes);
  for (const wrong of [text("hmac-md5"), text("hmac-sha1"), text("hmac-sha256", 'x"; }; '), "", "key {"])
    expect(keyOf(wrong)).toBeUndefined();
  expect([algorithmOf("sha512"), algorithmOf("HMAC-SHA256"), algorithmOf("md5")]).toEqual([
    "hmac-sha512",
    undefined,
    undefined,
  ]);
});
