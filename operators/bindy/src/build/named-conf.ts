// The configuration of named and rndc (8.4). What goes in was validated before; what could end a statement is refused here once
// more, since nothing in these files is escaped.
import { patterns } from "../kinds/index.ts";
import { isSigning, type Nameserver, signingSecret } from "./nameserver.ts";

export const paths = {
  conf: "/etc/bind/named.conf",
  options: "/etc/bind/named.conf.options",
  zones: "/etc/bind/named.conf.zones",
  rndcConf: "/etc/bind/rndc.conf",
  keys: "/etc/bind/keys",
  moreKeys: "/etc/bind/more-keys",
  zoneFiles: "/etc/bind/zones",
  cache: "/var/cache/bind",
  /** Keys for signing, as a Secret has them. */
  givenKeys: "/etc/bind/signing-keys",
  /** Where named uses them: it writes there how far each of them is. */
  signingKeys: "/var/cache/bind/keys",
} as const;

export const dnsPort = 5353;
export const rndcPort = 9530;

const categories = [
  "default",
  "general",
  "config",
  "network",
  "queries",
  "security",
  "dnssec",
  "xfer-in",
  "xfer-out",
  "notify",
  "update",
  "update-security",
];

export function namedConf(server: Nameserver, keyName: string): string {
  const includes = [
    paths.options,
    ...(server.configMapRefs.namedConfZones === undefined ? [] : [paths.zones]),
    `${paths.keys}/rndc.key`,
    ...server.moreKeys.map(({ name }) => `${paths.moreKeys}/${lawful(name, objectName)}/rndc.key`),
  ];
  const acls = Object.entries(server.acls).sort(([a], [b]) => (a < b ? -1 : 1));
  return lines([
    ...includes.map((path) => `include "${path}";`),
    ...acls.map(([name, entries]) => `acl "${lawful(name, aclName)}" ${list(entries)};`),
    "controls {",
    `  inet 127.0.0.1 port ${rndcPort} allow { localhost; } keys { "${lawful(keyName, keyNames)}"; };`,
    "};",
    "logging {",
    "  channel stderr { stderr; severity info; print-time yes; print-category yes; print-severity yes; };",
    ...categories.map((category) => `  category ${category} { stderr; };`),
    "};",
  ]);
}

export function namedOptions(server: Nameserver, keyName: string): string {
  const { config, allowTransfer } = server;
  const { forwarders = [], allowQuery, dnssec } = config;
  return lines([
    "options {",
    `  directory "${paths.cache}";`,
    `  pid-file "${paths.cache}/named.pid";`,
    `  session-keyfile "${paths.cache}/session.key";`,
    `  dump-file "${paths.cache}/cache_dump.db";`,
    `  statistics-file "${paths.cache}/named_stats.txt";`,
    `  memstatistics-file "${paths.cache}/named_mem_stats.txt";`,
    // Without it they are beside the zones, on the claim that holds them.
    ...(signingSecret(server) === undefined ? [] : [`  key-directory "${paths.signingKeys}";`]),
    `  listen-on port ${dnsPort} ${list(config.listenOn ?? ["any"])};`,
    `  listen-on-v6 port ${dnsPort} ${list(config.listenOnV6 ?? ["any"])};`,
    "  allow-new-zones yes;",
    `  recursion ${config.recursion === true ? "yes" : "no"};`,
    ...(forwarders.length === 0
      ? []
      : [`  forwarders { ${forwarders.map((it) => `${lawful(it, address)};`).join(" ")} };`]),
    // Whoever may change a zone may ask what is in it: named looks at it before it updates.
    ...(allowQuery === undefined
      ? []
      : [`  allow-query ${list([`key ${lawful(keyName, keyNames)}`, ...allowQuery.filter((it) => it !== "none")])};`]),
    `  allow-transfer ${list(allowTransfer)};`,
    ...(dnssec?.validation === undefined ? [] : [`  dnssec-validation ${dnssec.validation ? "yes" : "no"};`]),
    "};",
    ...signingPolicy(server),
  ]);
}

export const rndcConf = (keyName: string): string =>
  lines([
    `include "${paths.keys}/rndc.key";`,
    "options {",
    "  default-server 127.0.0.1;",
    `  default-port ${rndcPort};`,
    `  default-key "${lawful(keyName, keyNames)}";`,
    "};",
  ]);

/** Built into named, which does not start where one of them is defined again. */
const builtIn = ["default", "none", "insecure"];
export const isBuiltInPolicy = (name: string): boolean => builtIn.includes(name);

function signingPolicy(server: Nameserver): readonly string[] {
  const signing = isSigning(server) ? server.config.dnssec?.signing : undefined;
  const { policy: name = "default" } = signing ?? {};
  if (signing === undefined || isBuiltInPolicy(name)) return [];
  const { algorithm = "ECDSAP256SHA256", kskLifetime = "unlimited", zskLifetime = "unlimited" } = signing;
  const key = (role: string, lifetime: string) =>
    `    ${role} lifetime ${lawful(lifetime, token)} algorithm ${lawful(algorithm, token).toLowerCase()};`;
  return [
    `dnssec-policy "${lawful(name, policyName)}" {`,
    "  keys {",
    key("ksk", kskLifetime),
    key("zsk", zskLifetime),
    "  };",
    ...(signing.nsec3 === true
      ? [`  nsec3param iterations ${count(signing.nsec3Iterations ?? 0)} optout no salt-length 16;`]
      : []),
    "  signatures-refresh 5d;",
    "  signatures-validity 30d;",
    "  signatures-validity-dnskey 30d;",
    "  zone-propagation-delay 300;",
    "  parent-propagation-delay 3600;",
    "  max-zone-ttl 86400;",
    "};",
  ];
}

/** An empty list is `none`: an empty pair of braces would be too, but does not read so. */
const list = (entries: readonly string[]): string =>
  `{ ${(entries.length === 0 ? ["none"] : entries).map((entry) => `${aclEntry(entry)};`).join(" ")} }`;

const aclEntry = (entry: string): string => lawful(entry, acl).replace(/\bkey ([A-Za-z0-9._-]+)$/, 'key "$1"');

const acl = new RegExp(patterns.acl);
const aclName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const address = new RegExp(patterns.address);
const keyNames = new RegExp(patterns.keyName);
const objectName = new RegExp(patterns.objectName);
const policyName = new RegExp(patterns.policy);
const token = new RegExp(patterns.token);

function lawful(value: string, pattern: RegExp): string {
  if (pattern.test(value)) return value;
  throw new TypeError(`named's configuration takes no ${JSON.stringify(value.slice(0, 64))}; it was not validated`);
}

function count(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`named's configuration takes no ${value}; it was not validated`);
}

const lines = (all: readonly string[]): string => `${all.join("\n")}\n`;
