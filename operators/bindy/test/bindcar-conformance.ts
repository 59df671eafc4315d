// What every Bindcar has to do (11.3, A-136): the same requests and the same answers, whatever serves the zones. Each case gets
// a zone of its own, so that one server can be asked all of them.
import { expect } from "vitest";

export interface Subject {
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** `ip:port` that no DNS server listens on. */
  readonly nowhere: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Body;
}

export type Body = Readonly<Record<string, unknown>>;

export interface Case {
  readonly name: string;
  run(it: Subject, zone: string): Promise<void>;
}

export const key = "bindy-operator";

const soa = (zone: string) => ({
  primaryNs: `ns1.${zone}.`,
  adminEmail: `admin.${zone}.`,
  serial: 2025010101,
  refresh: 3600,
  retry: 600,
  expire: 604800,
  negativeTtl: 86400,
});

export const primary = (zone: string, more: object = {}): object => ({
  zoneName: zone,
  zoneType: "primary",
  zoneConfig: {
    ttl: 3600,
    soa: soa(zone),
    nameServers: [`ns1.${zone}.`],
    nameServerIps: { [`ns1.${zone}.`]: "192.0.2.1" },
    records: [{ name: "www", type: "A", value: "192.0.2.10", ttl: 300 }],
    ...more,
  },
  updateKeyName: key,
});

export const secondary = (zone: string, primaries: readonly string[]): object => ({
  zoneName: zone,
  zoneType: "secondary",
  zoneConfig: { soa: soa(zone), nameServers: [], nameServerIps: {}, primaries },
});

const rrset = (body: Body, name: string, type: string): Body | undefined =>
  (body["rrsets"] as readonly Body[]).find((it) => it["name"] === name && it["type"] === type);

const sorted = (found: Body | undefined): readonly unknown[] => [...((found?.["values"] ?? []) as string[])].sort();

async function made(it: Subject, zone: string, more: object = {}): Promise<void> {
  expect(await it.ask("POST", "/zones", primary(zone, more))).toMatchObject({ status: 201 });
}

const put = (it: Subject, zone: string, serial: number, ...changes: readonly object[]) =>
  it.ask("PUT", `/zones/${zone}/rrsets`, { serial, changes });

const change = (name: string, type: string, ttl: number, ...values: readonly string[]) => ({ name, type, ttl, values });

export const cases: readonly Case[] = [
  {
    name: "a zone is made with all that is in it, read, and removed",
    async run(it, zone) {
      const created = await it.ask("POST", "/zones", primary(zone));
      expect(created).toEqual({
        status: 201,
        body: { success: true, message: `Zone ${zone} created successfully` },
      });
      const { status, body } = await it.ask("GET", `/zones/${zone}/rrsets`);
      expect([status, body["serial"]]).toEqual([200, 2025010101]);
      expect(rrset(body, `www.${zone}.`, "A")).toEqual({
        name: `www.${zone}.`,
        type: "A",
        ttl: 300,
        values: ["192.0.2.10"],
      });
      expect(rrset(body, `${zone}.`, "NS")).toMatchObject({ values: [`ns1.${zone}.`], ttl: 3600 });
      expect(rrset(body, `${zone}.`, "SOA")).toMatchObject({
        values: [`ns1.${zone}. admin.${zone}. 2025010101 3600 600 604800 86400`],
      });
      expect((await it.ask("GET", "/zones")).body["zones"]).toContain(zone);
      expect(await it.ask("DELETE", `/zones/${zone}`)).toEqual({
        status: 200,
        body: { success: true, message: `Zone ${zone} deleted successfully` },
      });
      expect((await it.ask("GET", "/zones")).body["zones"]).not.toContain(zone);
    },
  },
  {
    name: "every way to a zone that is not there says 404",
    async run(it, zone) {
      const of = `/zones/${zone}`;
      for (const [method, path, body] of [
        ["GET", of],
        ["GET", `${of}/status`],
        ["GET", `${of}/rrsets`],
        ["PATCH", of, { alsoNotify: ["10.0.0.1"] }],
        ["DELETE", of],
        ["POST", `${of}/reload`],
        ["POST", `${of}/freeze`],
        ["POST", `${of}/thaw`],
        ["POST", `${of}/notify`],
        ["POST", `${of}/retransfer`],
        ["POST", `${of}/records`, { name: "a", type: "A", value: "192.0.2.1" }],
        ["DELETE", `${of}/records`, { name: "a", type: "A" }],
        ["PUT", `${of}/rrsets`, { serial: 1, changes: [] }],
      ] as const) {
        const { status, body: said } = await it.ask(method, path, body);
        expect([method, path, status, said["details"]]).toEqual([method, path, 404, null]);
      }
    },
  },
  {
    name: "a zone that is there already is 409",
    async run(it, zone) {
      await made(it, zone);
      expect(await it.ask("POST", "/zones", primary(zone))).toMatchObject({ status: 409 });
      expect(await it.ask("POST", "/zones", secondary(zone, [it.nowhere]))).toMatchObject({ status: 409 });
    },
  },
  {
    name: "a server of the zone without an address is a bad zone file, and nothing is left of it",
    async run(it, zone) {
      const refused = await it.ask("POST", "/zones", primary(zone, { nameServerIps: {} }));
      expect(refused).toEqual({
        status: 500,
        body: { error: "Internal server error", details: null, code: "ZONE_FILE" },
      });
      expect(await it.ask("GET", `/zones/${zone}/status`)).toMatchObject({ status: 404 });
      expect((await it.ask("GET", "/zones")).body["zones"]).not.toContain(zone);
      await made(it, zone);
    },
  },
  {
    name: "a CNAME beside other data is a bad zone file",
    async run(it, zone) {
      const records = [
        { name: "www", type: "A", value: "192.0.2.10" },
        { name: "www", type: "CNAME", value: `ns1.${zone}.` },
      ];
      const { status, body } = await it.ask("POST", "/zones", primary(zone, { records }));
      expect([status, body["code"]]).toEqual([500, "ZONE_FILE"]);
    },
  },
  {
    name: "a transaction changes, adds and deletes in one serial step",
    async run(it, zone) {
      await made(it, zone);
      const done = await put(
        it,
        zone,
        2025010102,
        change(`www.${zone}.`, "A", 60, "192.0.2.20", "192.0.2.21"),
        change(`mail.${zone}.`, "A", 300, "192.0.2.30"),
        change(`${zone}.`, "MX", 300, `10 mail.${zone}.`, "20 mx.example.org."),
        change(`_sip._tcp.${zone}.`, "SRV", 300, `10 60 5060 mail.${zone}.`),
        change(`${zone}.`, "CAA", 300, '0 issue "letsencrypt.org"'),
        change(`v6.${zone}.`, "AAAA", 300, "2001:DB8:0::1"),
        change(`*.wild.${zone}.`, "TXT", 300, '"a;b \\"q\\" \\\\ $x" "café"'),
        change(`alias.${zone}.`, "CNAME", 300, `www.${zone}.`),
      );
      expect(done).toEqual({ status: 200, body: { serial: 2025010102, applied: 8 } });
      const { body } = await it.ask("GET", `/zones/${zone}/rrsets`);
      expect(body["serial"]).toBe(2025010102);
      expect(sorted(rrset(body, `www.${zone}.`, "A"))).toEqual(["192.0.2.20", "192.0.2.21"]);
      expect(rrset(body, `www.${zone}.`, "A")?.["ttl"]).toBe(60);
      expect(rrset(body, `v6.${zone}.`, "AAAA")?.["values"]).toEqual(["2001:db8::1"]);
      expect(rrset(body, `*.wild.${zone}.`, "TXT")?.["values"]).toEqual(['"a;b \\"q\\" \\\\ $x" "caf\\195\\169"']);
      const gone = await put(it, zone, 2025010103, change(`www.${zone}.`, "A", 0), change(`none.${zone}.`, "A", 0));
      expect(gone).toEqual({ status: 200, body: { serial: 2025010103, applied: 2 } });
      expect(rrset((await it.ask("GET", `/zones/${zone}/rrsets`)).body, `www.${zone}.`, "A")).toBeUndefined();
    },
  },
  {
    name: "an empty transaction with a higher serial raises it, and one with a lower serial does not lower it",
    async run(it, zone) {
      await made(it, zone);
      expect((await put(it, zone, 2025010150)).body).toEqual({ serial: 2025010150, applied: 0 });
      expect((await put(it, zone, 2025010101)).body).toEqual({ serial: 2025010150, applied: 0 });
      const { body } = await put(it, zone, 5, change(`a.${zone}.`, "A", 60, "192.0.2.2"));
      expect(body).toEqual({ serial: 2025010151, applied: 1 });
      // A serial goes round: 1 follows 4294967295, by way of a step of half of all.
      for (const serial of [4172493748, 4294967295, 1])
        expect((await put(it, zone, serial)).body).toEqual({ serial, applied: 0 });
    },
  },
  {
    name: "the SOA is changed in the same transaction",
    async run(it, zone) {
      await made(it, zone);
      const value = `ns1.${zone}. admin.${zone}. 1 7200 900 604800 300`;
      expect((await put(it, zone, 2025010102, change(`${zone}.`, "SOA", 60, value))).status).toBe(200);
      const { body } = await it.ask("GET", `/zones/${zone}/rrsets`);
      expect(rrset(body, `${zone}.`, "SOA")).toEqual({
        name: `${zone}.`,
        type: "SOA",
        ttl: 60,
        values: [`ns1.${zone}. admin.${zone}. 2025010102 7200 900 604800 300`],
      });
    },
  },
  {
    name: "the servers of a zone are all replaced at once",
    async run(it, zone) {
      await made(it, zone);
      const done = await put(
        it,
        zone,
        2025010102,
        change(`${zone}.`, "NS", 120, "ns1.example.org.", "ns2.example.org."),
      );
      expect(done.body).toEqual({ serial: 2025010102, applied: 1 });
      const { body } = await it.ask("GET", `/zones/${zone}/rrsets`);
      const found = rrset(body, `${zone}.`, "NS");
      expect([found?.["ttl"], sorted(found)]).toEqual([120, ["ns1.example.org.", "ns2.example.org."]]);
    },
  },
  {
    name: "a CNAME clash is 409 in both directions, though BIND says NOERROR",
    async run(it, zone) {
      await made(it, zone);
      expect((await put(it, zone, 2025010102, change(`www.${zone}.`, "CNAME", 60, "x.example.org."))).status).toBe(409);
      await put(it, zone, 2025010103, change(`c.${zone}.`, "CNAME", 60, "x.example.org."));
      expect((await put(it, zone, 2025010104, change(`c.${zone}.`, "A", 60, "192.0.2.1"))).status).toBe(409);
      const { body } = await it.ask("GET", `/zones/${zone}/rrsets`);
      expect(rrset(body, `www.${zone}.`, "A")).toBeDefined();
      expect(rrset(body, `c.${zone}.`, "CNAME")).toBeDefined();
    },
  },
  {
    name: "a server or mail server of the zone without an address is 400, and nothing changes",
    async run(it, zone) {
      await made(it, zone);
      const before = (await it.ask("GET", `/zones/${zone}/rrsets`)).body;
      for (const wrong of [
        change(`${zone}.`, "NS", 60, `ns1.${zone}.`, `gone.${zone}.`),
        change(`${zone}.`, "MX", 60, `10 gone.${zone}.`),
      ]) {
        const { status, body } = await put(it, zone, 2025010102, wrong, change(`b.${zone}.`, "A", 60, "192.0.2.9"));
        expect([status, body["details"]]).toEqual([400, null]);
      }
      expect((await it.ask("GET", `/zones/${zone}/rrsets`)).body).toEqual(before);
      const mx = { name: "@", type: "MX", value: `gone.${zone}.`, priority: 10 };
      expect((await it.ask("POST", `/zones/${zone}/records`, mx)).status).toBe(400);
    },
  },
  {
    name: "records are added, replaced and removed one by one",
    async run(it, zone) {
      await made(it, zone);
      const of = `/zones/${zone}/records`;
      const added = await it.ask("POST", of, { name: "x", type: "A", value: "192.0.2.1", ttl: 60 });
      expect([added.status, added.body["message"]]).toEqual([201, `Record added to zone ${zone}`]);
      await it.ask("POST", of, { name: "x", type: "A", value: "192.0.2.2", ttl: 60 });
      const mail = { name: "@", type: "MX", value: "mx.example.org.", priority: 10 };
      expect((await it.ask("POST", of, mail)).status).toBe(201);
      const replaced = await it.ask("PUT", of, {
        name: "x",
        type: "A",
        currentValue: "192.0.2.1",
        newValue: "192.0.2.3",
        ttl: 60,
      });
      expect([replaced.status, replaced.body["message"]]).toEqual([200, `Record updated in zone ${zone}`]);
      const after = (await it.ask("GET", `/zones/${zone}/rrsets`)).body;
      expect(sorted(rrset(after, `x.${zone}.`, "A"))).toEqual(["192.0.2.2", "192.0.2.3"]);
      expect(rrset(after, `${zone}.`, "MX")?.["values"]).toEqual(["10 mx.example.org."]);
      expect((await it.ask("DELETE", of, { name: "x", type: "A", value: "192.0.2.2" })).status).toBe(200);
      const removed = await it.ask("DELETE", of, { name: "x", type: "A" });
      expect([removed.status, removed.body["message"]]).toEqual([200, `Record removed from zone ${zone}`]);
      expect(rrset((await it.ask("GET", `/zones/${zone}/rrsets`)).body, `x.${zone}.`, "A")).toBeUndefined();
    },
  },
  {
    name: "a frozen zone takes no updates until it is thawed, and can be frozen twice",
    async run(it, zone) {
      await made(it, zone);
      for (const _ of [1, 2])
        expect((await it.ask("POST", `/zones/${zone}/freeze`)).body["message"]).toBe(
          `Zone ${zone} frozen successfully`,
        );
      expect((await it.ask("GET", `/zones/${zone}`)).body).toMatchObject({ frozen: true, dynamic: true });
      const refused = await put(it, zone, 2025010102, change(`a.${zone}.`, "A", 60, "192.0.2.2"));
      expect([refused.status, refused.body["code"]]).toEqual([500, "NSUPDATE_FAILED"]);
      expect((await it.ask("POST", `/zones/${zone}/thaw`)).body["message"]).toBe(`Zone ${zone} thawed successfully`);
    },
  },
  {
    name: "a dynamic zone can be reloaded and notified, but not transferred anew",
    async run(it, zone) {
      await made(it, zone);
      expect((await it.ask("POST", `/zones/${zone}/reload`)).body["message"]).toBe(
        `Zone ${zone} reloaded successfully`,
      );
      expect((await it.ask("POST", `/zones/${zone}/notify`)).body["message"]).toBe(`Notify sent for zone ${zone}`);
      expect((await it.ask("POST", `/zones/${zone}/retransfer`)).status).toBe(400);
    },
  },
  {
    name: "what a zone is can be read, and changed statement by statement",
    async run(it, zone) {
      await made(it, zone, { alsoNotify: ["10.1.0.1:5353", "10.1.0.2"], allowTransfer: ["10.1.0.1", "2001:db8::1"] });
      const info = async () => (await it.ask("GET", `/zones/${zone}`)).body;
      expect(await info()).toMatchObject({
        name: zone,
        zoneType: "primary",
        serial: 2025010101,
        alsoNotify: ["10.1.0.1:5353", "10.1.0.2"],
        allowTransfer: ["10.1.0.1", "2001:db8::1"],
        primaries: [],
        dynamic: true,
        frozen: false,
      });
      const changed = await it.ask("PATCH", `/zones/${zone}`, {
        alsoNotify: ["[2001:db8::2]:5353"],
        allowTransfer: [],
      });
      expect(changed.body).toEqual({ success: true, message: `Zone ${zone} modified successfully` });
      expect(await info()).toMatchObject({ alsoNotify: ["[2001:db8::2]:5353"], allowTransfer: [], serial: 2025010101 });
      // Nothing else of the zone was lost: it can be read and written as before.
      expect((await put(it, zone, 2025010102, change(`a.${zone}.`, "A", 60, "192.0.2.2"))).status).toBe(200);
      expect((await it.ask("PATCH", `/zones/${zone}`, { primaries: ["10.0.0.1"] })).status).toBe(400);
      expect((await it.ask("PATCH", `/zones/${zone}`, {})).status).toBe(400);
    },
  },
  {
    name: "a secondary that has transferred nothing is there, without a serial",
    async run(it, zone) {
      expect((await it.ask("POST", "/zones", secondary(zone, [it.nowhere]))).status).toBe(201);
      const info = (await it.ask("GET", `/zones/${zone}`)).body;
      expect(info).toMatchObject({ zoneType: "secondary", primaries: [it.nowhere] });
      expect(info).not.toHaveProperty("serial");
      expect((await it.ask("GET", `/zones/${zone}/status`)).status).toBe(200);
      expect((await it.ask("GET", `/zones/${zone}/rrsets`)).status).toBe(500);
      expect((await it.ask("POST", `/zones/${zone}/freeze`)).status).toBe(400);
      expect((await it.ask("POST", `/zones/${zone}/retransfer`)).body["message"]).toBe(
        `Retransfer initiated for zone ${zone}`,
      );
      expect((await it.ask("PATCH", `/zones/${zone}`, { primaries: ["10.9.9.9:5353"] })).status).toBe(200);
      expect((await it.ask("GET", `/zones/${zone}`)).body["primaries"]).toEqual(["10.9.9.9:5353"]);
      expect((await it.ask("DELETE", `/zones/${zone}`)).status).toBe(200);
    },
  },
  {
    name: "a secondary names its primaries and takes no updates",
    async run(it, zone) {
      expect((await it.ask("POST", "/zones", secondary(zone, []))).status).toBe(400);
      const wrong = { ...secondary(zone, [it.nowhere]), updateKeyName: key };
      expect((await it.ask("POST", "/zones", wrong)).status).toBe(400);
    },
  },
  {
    name: "names out of the zone, types that nobody knows and data of another type are 400",
    async run(it, zone) {
      await made(it, zone);
      for (const wrong of [
        change("a.example.net.", "A", 60, "192.0.2.1"),
        change(`a.${zone}`, "A", 60, "192.0.2.1"),
        change(`a.${zone}.`, "A", 60, "999.1.1.1"),
        change(`a.${zone}.`, "A", 60, "2001:db8::1"),
        change(`a.${zone}.`, "AAAA", 60, "192.0.2.1"),
        change(`a_b.${zone}.`, "A", 60, "192.0.2.1"),
        change(`a.${zone}.`, "WKS", 60, "192.0.2.1"),
        change(`a.${zone}.`, "A", -1, "192.0.2.1"),
        change(`a.${zone}.`, "MX", 60, "70000 x.example.org."),
        change(`a.${zone}.`, "TXT", 60, "not quoted"),
        change(`a.${zone}.`, "TXT", 60, `"${"x".repeat(256)}"`),
      ])
        expect([wrong, (await put(it, zone, 2025010102, wrong)).status]).toEqual([wrong, 400]);
      expect((await put(it, zone, -1)).status).toBe(400);
      const many = Array.from({ length: 501 }, (_, i) => change(`h${i}.${zone}.`, "A", 60, "192.0.2.1"));
      expect((await put(it, zone, 2025010102, ...many)).status).toBe(400);
    },
  },
];
