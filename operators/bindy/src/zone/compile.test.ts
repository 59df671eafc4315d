import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dnsZone, record, soaRecord, zoneSpec } from "../../test/zone-objects.ts";
import { type DNSRecord, DNSZone, specOf } from "../kinds/index.ts";
import { type Compiled, type Content, compile } from "./compile.ts";
import { changesTo, inSteps, primaryZone, withSerial } from "./difference.ts";

const zone = { namespace: "dns", name: "example-com" };

function compiled(
  records: readonly DNSRecord[],
  spec: object = {},
  addresses: readonly (string | undefined)[] = [],
): Compiled {
  return compile({ zone, spec: specOf(DNSZone, dnsZone("example-com", spec)), addresses, records });
}

function content(
  records: readonly DNSRecord[],
  spec: object = {},
  addresses: readonly (string | undefined)[] = [],
): Content {
  const it = compiled(records, spec, addresses);
  if (it.is === "refused") throw new Error(`${it.field}: ${it.why}`);
  return it;
}

const served = ({ rrsets }: Content): readonly string[] =>
  rrsets.map(({ name, type, ttl, values }) => `${name} ${ttl} ${type} ${values.join(" | ")}`);

const saidOf = ({ rejected }: Content, { metadata }: DNSRecord): string => {
  const it = rejected.get(metadata.uid ?? "");
  return it === undefined ? "" : `${it.reason} ${it.message}`;
};

const a = (name: string, address = "192.0.2.9", more: object = {}) =>
  record("A", { name, ipv4Addresses: [address], ...more });

describe("the compiler", () => {
  it("has the zone's servers, their addresses and every record", () => {
    const it = content([a("www"), a("@", "192.0.2.7", { ttl: 60 }), a("*", "192.0.2.8")]);
    expect(served(it)).toEqual([
      "*.example.com. 3600 A 192.0.2.8",
      "example.com. 60 A 192.0.2.7",
      "example.com. 3600 NS ns1.example.com.",
      "ns1.example.com. 3600 A 192.0.2.1",
      "www.example.com. 3600 A 192.0.2.9",
    ]);
    expect([...it.placed.values()].map(({ name }) => name).sort()).toEqual(["*", "@", "www"]);
  });

  it("A-123 L-46 merges records of one name and type, with the least TTL", () => {
    const mx = (priority: number, host: string, ttl?: number) =>
      record("MX", { name: "@", priority, mailServer: `${host}.example.net.`, ...(ttl !== undefined && { ttl }) });
    const it = content([mx(20, "b", 60), mx(10, "a"), mx(10, "a")]);
    expect(served(it)).toContain("example.com. 60 MX 10 a.example.net. | 20 b.example.net.");
    expect(it.rejected.size).toBe(0);
  });

  it("L-44 takes the zone's TTL where a record has none, and 3600 where the zone has none", () => {
    expect(served(content([a("www")], { ttl: 120 }))).toContain("www.example.com. 120 A 192.0.2.9");
    expect(served(content([a("www")], { ttl: null }))).toContain("www.example.com. 3600 A 192.0.2.9");
  });

  it("compares names without case", () => {
    const it = content([a("WWW", "192.0.2.1"), a("www", "192.0.2.2")], { zoneName: "Example.COM" });
    expect(served(it)).toContain("www.example.com. 3600 A 192.0.2.1 | 192.0.2.2");
  });

  it("A-124 L-48 of an alias and anything else the oldest wins", () => {
    const address = a("www");
    const alias = record("CNAME", { name: "WWW", target: "other.example.net." });
    const first = content([alias, address]);
    expect(served(first)).toContain("www.example.com. 3600 A 192.0.2.9");
    expect(saidOf(first, alias)).toBe(
      `RecordConflict CNAME record www.example.com. conflicts with ARecord dns/${address.metadata.name}`,
    );
    const younger = a("w2");
    const older = record(
      "CNAME",
      { name: "w2", target: "other.example.net." },
      { creationTimestamp: "2020-01-01T00:00:00Z" },
    );
    const second = content([younger, older]);
    expect(served(second)).toContain("w2.example.com. 3600 CNAME other.example.net.");
    expect(saidOf(second, younger)).toContain(`conflicts with CNAMERecord dns/${older.metadata.name}`);
  });

  it("takes one target for an alias, and both records where they agree", () => {
    const alias = (target: string) => record("CNAME", { name: "www", target });
    const [one, two, three] = [alias("a.example.net."), alias("b.example.net."), alias("A.example.net.")];
    const it = content([one, two, three]);
    expect(served(it)).toContain("www.example.com. 3600 CNAME a.example.net.");
    expect(saidOf(it, two)).toContain("RecordConflict");
    expect(saidOf(it, three)).toBe("");
  });

  it("an alias of what the zone says itself is turned away, and names the zone", () => {
    const alias = record(
      "CNAME",
      { name: "ns1", target: "a.example.net." },
      { creationTimestamp: "2001-01-01T00:00:00Z" },
    );
    expect(saidOf(content([alias]), alias)).toBe(
      "RecordConflict CNAME record ns1.example.com. conflicts with DNSZone dns/example-com",
    );
  });

  it("A-127 a server or mail host in the zone without an address is turned away, the rest is served", () => {
    const ns = record("NS", { name: "@", nameserver: "ns9.example.com." });
    const mx = record("MX", { name: "@", priority: 1, mailServer: "mail.example.com." });
    const it = content([ns, mx, a("www")]);
    expect(saidOf(it, ns)).toBe(
      "InvalidRecordData Invalid record data: nameserver: ns9.example.com. is in the zone and has no address",
    );
    expect(saidOf(it, mx)).toContain("mailServer: mail.example.com. is in the zone and has no address");
    expect(served(it)).toContain("www.example.com. 3600 A 192.0.2.9");
    expect(content([ns, mx, a("ns9"), a("mail")]).rejected.size).toBe(0);
  });

  it("refuses the zone where its own server has no address", () => {
    expect(compiled([], { nameServers: [{ hostname: "ns1.example.com." }] })).toMatchObject({
      is: "refused",
      field: "spec.soaRecord.primaryNs",
      why: "ns1.example.com. is in the zone and has no address",
    });
    expect(compiled([a("ns1")], { nameServers: [{ hostname: "ns1.example.com." }] }).is).toBe("zone");
    expect(compiled([], { nameServers: [{ hostname: "ns1.example.com.", ipv4Address: "999.1.1.1" }] })).toMatchObject({
      is: "refused",
      field: "spec.nameServers[0].ipv4Address",
    });
  });

  it("names servers by itself where the zone names none: one for each target that has an address", () => {
    const it = content([], { nameServers: null }, ["10.0.0.1", undefined, "2001:db8::3"]);
    expect(served(it)).toEqual([
      "example.com. 3600 NS ns1.example.com. | ns3.example.com.",
      "ns1.example.com. 3600 A 10.0.0.1",
      "ns3.example.com. 3600 AAAA 2001:db8::3",
    ]);
    const older = content([], { nameServers: null, nameServerIps: { "ns1.example.com": "192.0.2.5" } }, ["10.0.0.1"]);
    expect(served(older)).toContain("ns1.example.com. 3600 A 192.0.2.5");
    const elsewhere = { nameServers: [{ hostname: "ns.example.net.", ipv4Address: "192.0.2.5" }] };
    const away = content([], { ...elsewhere, soaRecord: { ...soaRecord, primaryNs: "ns.example.net." } });
    expect(served(away)).toEqual(["example.com. 3600 NS ns.example.net."]);
  });

  it("a name that is too long with its zone is turned away", () => {
    const long = a(Array.from({ length: 23 }, () => "abcdefghi").join("."), "192.0.2.1");
    expect(saidOf(content([long]), long)).toBe("");
    const zoneName = `${"x".repeat(60)}.example`;
    const spec = { zoneName, nameServers: [], soaRecord: { ...soaRecord, primaryNs: "ns.example.net." } };
    expect(saidOf(content([long], spec), long)).toContain("name: is longer than 253 characters together with the zone");
  });
});

const label = fc.constantFrom("@", "www", "a", "b", "a.b", "*", "mail", "ns1");
const address = fc.integer({ min: 1, max: 5 }).map((n) => `192.0.2.${n}`);
const host = fc.constantFrom("mail.example.com.", "a.example.com.", "x.example.net.", "ns1.example.com.");
const anyRecord: fc.Arbitrary<DNSRecord> = fc.oneof(
  fc.tuple(label, address, fc.option(fc.nat(100), { nil: undefined })).map(([name, it, ttl]) => {
    return record("A", { name, ipv4Addresses: [it], ...(ttl !== undefined && { ttl }) });
  }),
  fc.tuple(label, host).map(([name, target]) => record("CNAME", { name, target })),
  fc.tuple(label, host, fc.nat(3)).map(([name, mailServer, priority]) => record("MX", { name, priority, mailServer })),
  fc.tuple(label, host).map(([name, nameserver]) => record("NS", { name, nameserver })),
  fc
    .tuple(label, fc.string({ unit: "binary", maxLength: 300 }))
    .map(([name, text]) => record("TXT", { name, text: [text] })),
);
const anyRecords = fc.array(anyRecord, { maxLength: 12 });

describe("the compiler, whatever the records", () => {
  it("gives the same for any order of them", () => {
    fc.assert(
      fc.property(anyRecords, fc.infiniteStream(fc.nat()), (records, chance) => {
        const other = records.map((it) => ({ it, at: chance.next().value })).sort((x, y) => x.at - y.at);
        const [one, two] = [content(records), content(other.map(({ it }) => it))];
        expect(two.rrsets).toEqual(one.rrsets);
        expect(new Map([...two.rejected].sort())).toEqual(new Map([...one.rejected].sort()));
      }),
      { seed: 4 },
    );
  });

  it("serves or turns away each of them, and never an alias beside anything else", () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const it = content(records);
        for (const { metadata } of records) {
          expect(it.placed.has(metadata.uid ?? "")).not.toBe(it.rejected.has(metadata.uid ?? ""));
        }
        const names = Map.groupBy(it.rrsets, ({ name }) => name);
        for (const group of names.values()) {
          if (group.some(({ type }) => type === "CNAME")) expect(group).toHaveLength(1);
        }
        for (const { type, values } of it.rrsets) if (type === "CNAME") expect(values).toHaveLength(1);
      }),
      { seed: 5 },
    );
  });

  it("finds nothing to change in a server that has what was compiled, in whatever way it prints it", () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const it = content(records);
        const printed = it.rrsets.map(({ name, values, ...rest }) => {
          return { name: name.toUpperCase(), values: values.toReversed(), ...rest };
        });
        const soa = {
          name: "example.com.",
          type: "SOA",
          ttl: 3600,
          values: ["ns1.example.com. admin.example.com. 77 3600 600 604800 86400"],
        };
        const signed = { name: "example.com.", type: "RRSIG", ttl: 1, values: ["x"] };
        expect(changesTo(it, [soa, ...printed, signed])).toEqual([]);
      }),
      { seed: 6 },
    );
  });

  it("brings one content to any other by the changes between them", () => {
    fc.assert(
      fc.property(anyRecords, anyRecords, (before, after) => {
        const [old, next] = [content(before), content(after, { ttl: 7 })];
        const soa = {
          name: "example.com.",
          type: "SOA",
          ttl: 3600,
          values: ["ns1.example.com. admin.example.com. 77 3600 600 604800 86400"],
        };
        const have = new Map([soa, ...old.rrsets].map((it) => [`${it.name} ${it.type}`, it]));
        for (const change of changesTo(next, [...have.values()])) {
          if (change.values.length === 0) have.delete(`${change.name} ${change.type}`);
          else have.set(`${change.name} ${change.type}`, change);
        }
        expect(changesTo(next, [...have.values()])).toEqual([]);
      }),
      { seed: 7 },
    );
  });
});

describe("what is sent", () => {
  it("L-40 a new zone has all its records from the beginning", () => {
    const it = content([a("www"), record("MX", { name: "@", priority: 10, mailServer: "mail.example.net." })]);
    const body = primaryZone(it, {
      serial: 7,
      keyName: "k",
      alsoNotify: ["10.0.0.2:5353"],
      allowTransfer: ["10.0.0.2"],
    });
    expect(body).toMatchObject({ zoneName: "example.com", zoneType: "primary", updateKeyName: "k" });
    expect(body.zoneConfig).toMatchObject({
      soa: { serial: 7, refresh: 3600 },
      ttl: 3600,
      alsoNotify: ["10.0.0.2:5353"],
    });
    expect(body.zoneConfig.records).toEqual([
      { name: "@", type: "MX", ttl: 3600, value: "mail.example.net.", priority: 10 },
      { name: "@", type: "NS", ttl: 3600, value: "ns1.example.com." },
      { name: "ns1", type: "A", ttl: 3600, value: "192.0.2.1" },
      { name: "www", type: "A", ttl: 3600, value: "192.0.2.9" },
    ]);
  });

  it("A-125 a renamed record goes and comes in one transaction", () => {
    const soa = {
      name: "example.com.",
      type: "SOA",
      ttl: 3600,
      values: ["ns1.example.com. admin.example.com. 77 3600 600 604800 86400"],
    };
    const changes = changesTo(content([a("web")]), [soa, ...content([a("www")]).rrsets]);
    expect(changes.map(({ name, values }) => `${name} ${values.length}`)).toEqual([
      "www.example.com. 0",
      "web.example.com. 1",
    ]);
    expect(inSteps(changes)).toHaveLength(1);
  });

  it("A-129 a changed SOA is part of the transaction, with its serial", () => {
    const next = content([], { soaRecord: { ...zoneSpec.soaRecord, refresh: 99 } });
    const soa = {
      name: "example.com.",
      type: "SOA",
      ttl: 3600,
      values: ["ns1.example.com. admin.example.com. 77 3600 600 604800 86400"],
    };
    expect(withSerial(changesTo(next, [soa, ...next.rrsets]), 78)).toEqual([
      {
        name: "example.com.",
        type: "SOA",
        ttl: 3600,
        values: ["ns1.example.com. admin.example.com. 78 99 600 604800 86400"],
      },
    ]);
  });

  it("at most 500 changes go into one transaction", () => {
    const many = Array.from({ length: 1001 }, (_, i) => a(`h${i}`));
    expect(inSteps(changesTo(content(many), content([]).rrsets)).map((it) => it.length)).toEqual([500, 500, 2]);
  });
});
