// The server's own authority: a CA, its serving certificate, and certificates for clients. Written in DER here, because the
// libraries for it cost more start-up time than the whole server may take.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Random } from "@telltale/clock";
import { bits, context, type Der, integer, octets, oid, pem, sequence, set, time, utf8, yes } from "./der.ts";

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** The CA certificate, for clients. */
  readonly ca: string;
  readonly server: Issued;
  /** Signs ServiceAccount tokens. */
  readonly tokenKey: KeyObject;
  client(name: string, groups: readonly string[]): Issued;
}

const years = 365 * 24 * 3_600_000;
const serverNames = [
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];
const serverAddresses = ["127.0.0.1", "::1", "10.0.0.1"];

/** An authority, made anew or read from a folder where it was kept. */
export function authority(clock: Clock, random: Random, folder?: string): Authority {
  const kept = folder === undefined ? undefined : join(folder, "pki");
  const stored = kept === undefined ? undefined : read(kept, clock);
  const files = stored ?? make(clock, random);
  if (kept !== undefined && stored === undefined) write(kept, files);
  const issuer = { name: subject("telltale-ca", []), key: createPrivateKey(files.caKey) };
  return {
    ca: files.ca,
    server: { cert: files.server, key: files.serverKey },
    tokenKey: createPrivateKey(files.tokenKey),
    client: (name, groups) => issue(clock, random, issuer, subject(name, groups), [usage("1.3.6.1.5.5.7.3.2")]),
  };
}

interface Files {
  readonly ca: string;
  readonly caKey: string;
  readonly server: string;
  readonly serverKey: string;
  readonly tokenKey: string;
}

const names = {
  ca: "ca.crt",
  caKey: "ca.key",
  server: "server.crt",
  serverKey: "server.key",
  tokenKey: "sa.key",
} as const;

function read(folder: string, clock: Clock): Files | undefined {
  const entries = Object.entries(names).map(([field, name]) => [field, join(folder, name)] as const);
  if (!entries.every(([, path]) => existsSync(path))) return undefined;
  const files = Object.fromEntries(
    entries.map(([field, path]) => [field, readFileSync(path, "utf8")]),
  ) as unknown as Files;
  const ends = Date.parse(new X509Certificate(files.server).validTo);
  return ends - clock.now() > 30 * 24 * 3_600_000 ? files : undefined;
}

function write(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [field, name] of Object.entries(names))
    writeFileSync(join(folder, name), files[field as keyof Files], { mode: 0o600 });
}

function make(clock: Clock, random: Random): Files {
  const ca = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = subject("telltale-ca", []);
  const issuer = { name, key: ca.privateKey };
  const caCert = certificate(clock, random, issuer, name, ca.publicKey, [
    extension("2.5.29.19", true, sequence(yes)), // it may sign
    extension("2.5.29.15", true, bits(Uint8Array.of(0x06), 1)), // certificates and revocation lists
  ]);
  const server = issue(clock, random, issuer, subject("kube-apiserver", []), [
    usage("1.3.6.1.5.5.7.3.1"),
    alternatives(),
  ]);
  const token = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    ca: pem("CERTIFICATE", caCert),
    caKey: exported(ca.privateKey),
    server: server.cert,
    serverKey: server.key,
    tokenKey: exported(token.privateKey),
  };
}

interface Issuer {
  readonly name: Der;
  readonly key: KeyObject;
}

function issue(clock: Clock, random: Random, issuer: Issuer, name: Der, extensions: readonly Der[]): Issued {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = certificate(clock, random, issuer, name, publicKey, [
    extension("2.5.29.15", true, bits(Uint8Array.of(0x80), 7)),
    ...extensions,
  ]);
  return { cert: pem("CERTIFICATE", der), key: exported(privateKey) };
}

const exported = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const algorithm = sequence(oid("1.2.840.10045.4.3.2")); // ECDSA with SHA-256

function certificate(
  clock: Clock,
  random: Random,
  issuer: Issuer,
  name: Der,
  key: KeyObject,
  extensions: readonly Der[],
): Der {
  const serial = random.bytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const now = clock.now();
  const body = sequence(
    context(0, true, integer(Uint8Array.of(2))), // version 3
    integer(serial),
    algorithm,
    issuer.name,
    sequence(time(new Date(now - 3_600_000)), time(new Date(now + 10 * years))),
    name,
    key.export({ type: "spki", format: "der" }),
    context(3, true, sequence(...extensions)),
  );
  return sequence(body, algorithm, bits(sign("sha256", body, issuer.key)));
}

/** CN is the user, each O a group. */
function subject(name: string, groups: readonly string[]): Der {
  const part = (type: string, text: string) => set(sequence(oid(type), utf8(text)));
  return sequence(...groups.map((group) => part("2.5.4.10", group)), part("2.5.4.3", name));
}

const extension = (id: string, critical: boolean, value: Der): Der =>
  sequence(oid(id), ...(critical ? [yes] : []), octets(value));
const usage = (purpose: string): Der => extension("2.5.29.37", false, sequence(oid(purpose)));

function alternatives(): Der {
  return extension(
    "2.5.29.17",
    false,
    sequence(
      ...serverNames.map((name) => context(2, false, Buffer.from(name))),
      ...serverAddresses.map((address) => context(7, false, addressBytes(address))),
    ),
  );
}

function addressBytes(address: string): Uint8Array {
  if (!address.includes(":")) return Uint8Array.from(address.split(".").map(Number));
  const bytes = new Uint8Array(16); // the only one here is ::1
  bytes[15] = 1;
  return bytes;
}
