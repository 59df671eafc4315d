// Bindcar over a named that only writes down what reaches it: command lines, scripts and files. What stands in them is judged
// by grammars of their own, which know nothing of how they were made.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@telltale/clock";
import { bindcarApi } from "../src/bindcar-server/api.ts";
import { anybody } from "../src/bindcar-server/authenticate.ts";
import { namedServer } from "../src/bindcar-server/named/named.ts";
import { rndc } from "../src/bindcar-server/named/rndc.ts";
import type { Ran, Run } from "../src/bindcar-server/named/run.ts";
import { ZoneFolder } from "../src/bindcar-server/named/zone-folder.ts";
import { primary, secondary } from "./bindcar-conformance.ts";

export interface Recorder {
  ask(method: string, path: string, body?: unknown): Promise<number>;
  /** What reached a sink that is not as it may be. */
  misfits(): Promise<readonly string[]>;
  /** Commands that change something. */
  readonly changes: number;
  close(): Promise<void>;
}

export async function recorder(): Promise<Recorder> {
  const path = await mkdtemp(join(tmpdir(), "bindcar-hostile-"));
  const wrong: string[] = [];
  let changes = 0;
  const ok = (stdout: string): Ran => ({ code: 0, stdout, stderr: "" });
  const run: Run = async (program, args, input = "") => {
    if (program === "rndc") {
      const [, , command = "", zone, block, ...more] = args;
      if (!isRndc(command, zone, block, more)) wrong.push(`rndc ${JSON.stringify(args)}`);
      if (command === "zonestatus" && zone !== "there.example")
        return { code: 1, stdout: "", stderr: "rndc: 'zonestatus' failed: not found" };
      if (command === "showzone") return ok('zone "there.example" { type primary; file "/z"; };');
      if (command !== "zonestatus") changes += 1;
      return ok("");
    }
    if (program === "dig") {
      if (!args.every((word) => /^[A-Za-z0-9@+=._/:-]+$/.test(word))) wrong.push(`dig ${JSON.stringify(args)}`);
      return ok("there.example.\t60\tIN\tSOA\tns.a. m.a. 1 1 1 1 1\n");
    }
    changes += 1;
    const bad = input.split("\n").filter((line) => !isScriptLine(line));
    if (bad.length > 0) wrong.push(`nsupdate ${JSON.stringify(bad)}`);
    return ok("");
  };
  const clock = new VirtualClock();
  const folder = await ZoneFolder.open(join(path, "zones"));
  const nameserver = namedServer({
    rndc: rndc({ run, conf: "rndc.conf", clock }),
    update: { run, server: "127.0.0.1", port: 53, key: "key", tcp: false },
    folder,
    ownKey: "bindy-operator",
  });
  const api = bindcarApi({ nameserver, authenticate: anybody, clock, version: "1" });
  return {
    get changes() {
      return changes;
    },
    async ask(method, path, body) {
      const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
      const headers = { "content-type": "application/json" };
      return (await api({ method, path: `/api/v1${path}`, headers, peer: "", body: async () => bytes })).status;
    },
    async misfits() {
      const outside = (await readdir(path)).filter((name) => name !== "zones");
      const files = await readdir(join(path, "zones"));
      for (const file of files) {
        if (!/^[a-z0-9][a-z0-9._-]*\.zone$/.test(file)) wrong.push(`a file ${JSON.stringify(file)}`);
        const text = await readFile(join(path, "zones", file), "utf8");
        const lines = text.split("\n").slice(2, -1);
        wrong.push(...lines.filter((line) => !isZoneLine(line)).map((line) => `a line ${JSON.stringify(line)}`));
        if (!/^\$ORIGIN [a-z0-9._-]+\.\n\$TTL \d+\n/.test(text))
          wrong.push(`a head ${JSON.stringify(text.slice(0, 300))}`);
      }
      return [...wrong, ...outside.map((name) => `outside the folder: ${name}`)];
    },
    close: () => rm(path, { recursive: true }),
  };
}

const name = String.raw`(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.`;
const quoted = String.raw`"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]|\\[0-9]{3})*"`;
const word = `(?:${name}|\\.|[0-9]+|[0-9a-f:.]+|[a-z0-9]+|${quoted})`;
const types = "(?:A|AAAA|CNAME|MX|TXT|NS|PTR|SRV|CAA|SOA)";
const data = `${word}(?: ${word})*`;

const zoneLine = new RegExp(`^${name} [0-9]+ IN ${types} ${data}$`);
const isZoneLine = (line: string): boolean => zoneLine.test(line);

const scriptLines = [
  /^$/,
  /^send$/,
  /^server 127\.0\.0\.1 53$/,
  /^zone [a-z0-9][a-z0-9._-]*$/,
  new RegExp(`^update add ${name} [0-9]+ ${types} ${data}$`),
  new RegExp(`^update delete ${name} ${types}(?: ${data})?$`),
];
const isScriptLine = (line: string): boolean => scriptLines.some((form) => form.test(line));

const commands = [
  "status",
  "addzone",
  "delzone",
  "modzone",
  "showzone",
  "zonestatus",
  "reload",
  "freeze",
  "thaw",
  "notify",
  "retransfer",
];

const entry = `(?:key "[A-Za-z0-9._-]+"|[0-9a-f:.]+(?: port [0-9]+)?);`;
const statement = String.raw`(?:type (?:primary|secondary);|file "[^"\\{};]+";|inline-signing yes;|dnssec-policy "[A-Za-z0-9_-]+";|(?:allow-update|allow-transfer|also-notify|primaries) \{ (?:${entry} ?)*\};)`;
const block = new RegExp(`^\\{ (?:${statement} ?)+\\};$`);

function isRndc(command: string, zone: string | undefined, text: string | undefined, more: readonly string[]): boolean {
  if (!commands.includes(command) || more.length > 0) return false;
  if (zone !== undefined && !/^[a-z0-9][a-z0-9._-]{0,252}$/.test(zone)) return false;
  return text === undefined || block.test(text);
}

/** A request with one text in each of its fields in turn. */
export interface Field {
  readonly at: string;
  request(text: string): readonly [method: string, path: string, body?: unknown];
}

export const zone = "new.example";

const create = (at: string, change: (text: string) => object): Field => ({
  at: `POST /zones ${at}`,
  request: (text) => ["POST", "/zones", { ...primary(zone), ...change(text) }],
});

const config = (at: string, change: (text: string) => object): Field =>
  create(`zoneConfig.${at}`, (text) => ({ zoneConfig: { ...configOf(primary(zone)), ...change(text) } }));

const configOf = (body: object): object => ("zoneConfig" in body ? (body.zoneConfig as object) : {});

const soa = { primaryNs: "ns1.new.example.", adminEmail: "admin.new.example." };

const inPath = (method: string, rest: string, body?: unknown): Field => ({
  at: `${method} /zones/{z}${rest}`,
  request: (text) => [method, `/zones/${encodeURIComponent(text.toWellFormed())}${rest}`, body],
});

const inZone = (method: string, rest: string, at: string, body: (text: string) => object): Field => ({
  at: `${method} /zones/{z}${rest} ${at}`,
  request: (text) => [method, `/zones/there.example${rest}`, body(text)],
});

const record = { name: "a", type: "A", value: "192.0.2.1" };
const change = { name: "a.there.example.", type: "A", ttl: 60, values: ["192.0.2.1"] };
const types2 = ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "PTR", "SRV", "CAA"];

export const fields: readonly Field[] = [
  create("zoneName", (text) => ({ zoneName: text })),
  create("zoneType", (text) => ({ zoneType: text })),
  create("updateKeyName", (text) => ({ updateKeyName: text })),
  config("soa.primaryNs", (text) => ({ soa: { ...soa, primaryNs: text } })),
  config("soa.adminEmail", (text) => ({ soa: { ...soa, adminEmail: text } })),
  config("nameServers", (text) => ({ nameServers: [text] })),
  config("nameServerIps key", (text) => ({ nameServerIps: { [text]: "192.0.2.1" } })),
  config("nameServerIps value", (text) => ({ nameServerIps: { "ns1.new.example.": text } })),
  config("records.name", (text) => ({ records: [{ ...record, name: text }] })),
  config("records.type", (text) => ({ records: [{ ...record, type: text }] })),
  ...types2.map((type) =>
    config(`records.value of ${type}`, (text) => ({ records: [{ ...record, type, value: text }] })),
  ),
  config("alsoNotify", (text) => ({ alsoNotify: [text] })),
  config("allowTransfer", (text) => ({ allowTransfer: [text] })),
  config("primaries", (text) => ({ primaries: [text] })),
  config("dnssecPolicy", (text) => ({ dnssecPolicy: text })),
  { at: "POST /zones secondary primaries", request: (text) => ["POST", "/zones", secondary(zone, [text])] },
  inPath("GET", ""),
  inPath("GET", "/status"),
  inPath("GET", "/rrsets"),
  inPath("DELETE", ""),
  inPath("PATCH", "", { alsoNotify: ["10.0.0.1"] }),
  inPath("POST", "/reload"),
  inPath("POST", "/freeze"),
  inPath("POST", "/records", record),
  inPath("PUT", "/rrsets", { serial: 1, changes: [] }),
  ...["alsoNotify", "allowTransfer", "allowUpdate", "primaries"].map((list) =>
    inZone("PATCH", "", list, (text) => ({ [list]: [text] })),
  ),
  inZone("PATCH", "", "allowUpdate key", (text) => ({ allowUpdate: [`key ${text}`] })),
  inZone("POST", "/records", "name", (text) => ({ ...record, name: text })),
  inZone("POST", "/records", "type", (text) => ({ ...record, type: text })),
  ...types2.map((type) => inZone("POST", "/records", `value of ${type}`, (text) => ({ ...record, type, value: text }))),
  inZone("PUT", "/records", "currentValue", (text) => ({ ...record, currentValue: text, newValue: "192.0.2.2" })),
  inZone("PUT", "/records", "newValue", (text) => ({ ...record, currentValue: "192.0.2.2", newValue: text })),
  inZone("DELETE", "/records", "value", (text) => ({ ...record, value: text })),
  inZone("PUT", "/rrsets", "name", (text) => ({ serial: 1, changes: [{ ...change, name: text }] })),
  inZone("PUT", "/rrsets", "type", (text) => ({ serial: 1, changes: [{ ...change, type: text }] })),
  ...[...types2, "SOA"].map((type) =>
    inZone("PUT", "/rrsets", `values of ${type}`, (text) => ({
      serial: 1,
      changes: [{ ...change, type, values: [text] }],
    })),
  ),
];
