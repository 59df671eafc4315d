// An authority, and the certificates that it issues to servers and clients. Written in DER here, because the libraries for it
// cost more start-up time than a whole API server may take. Where any of it is kept is the caller's business.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";
import type { Clock, Random } from "@telltale/clock";
import { type Instant, instant, type Ms } from "@telltale/kinds";
import { addressBytes } from "./address.ts";
import { bits, context, type Der, integer, octets, oid, pem, sequence, set, time, utf8, yes } from "./der.ts";
import { keyIdOf, subjectOf } from "./raw.ts";

/** A certificate and its private key, both PEM. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

/** An authority: its own certificate and key, and what it issues. Nothing that it issues outlives it. */
export interface Issuer extends Issued {
  server(subject: ServerSubject): Issued;
  client(subject: ClientSubject): Issued;
}

export interface ServerSubject {
  /** At most 64 characters; clients look at the names and addresses only. */
  readonly name: string;
  readonly names: readonly string[];
  readonly addresses?: readonly string[];
  readonly lasts: Ms;
}

/** A user of a Kubernetes API server, which reads both from the certificate. */
export interface ClientSubject {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly lasts: Ms;
}

interface Means {
  readonly clock: Clock;
  readonly random: Random;
}

/** A new authority, with a key that nobody has seen. */
export function newIssuer(means: Means, of: { readonly name: string; readonly lasts: Ms }): Issuer {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = subject(of.name, []);
  const until = instant(means.clock.now() + of.lasts);
  const self = { name, key: privateKey, until };
  const cert = certificate(means, self, name, publicKey, until, [
    extension("2.5.29.19", true, sequence(yes)), // it may sign
    extension("2.5.29.15", true, bits(Uint8Array.of(0x06), 1)), // certificates and revocation lists
    extension("2.5.29.14", false, octets(keyId(publicKey))),
  ]);
  const kept = { cert: pem("CERTIFICATE", cert), key: exported(privateKey) };
  return issuing(means, kept, () => ({ ...self, keyId: keyId(publicKey) }));
}

/** The authority that was kept: its certificate and key are read when it first issues something. */
export function issuerFrom(means: Means, kept: Issued): Issuer {
  let read: Authority | undefined;
  return issuing(means, kept, () => {
    if (read !== undefined) return read;
    const cert = new X509Certificate(kept.cert);
    const id = keyIdOf(cert.raw);
    read = {
      name: subjectOf(cert.raw),
      key: createPrivateKey(kept.key),
      until: instant(Date.parse(cert.validTo)),
      ...(id === undefined ? {} : { keyId: id }),
    };
    return read;
  });
}

interface Authority {
  readonly name: Der;
  readonly key: KeyObject;
  readonly until: Instant;
  /** How its certificate names its key. Two authorities of one name in a bundle are told apart by it. */
  readonly keyId?: Uint8Array;
}

function issuing(means: Means, kept: Issued, authority: () => Authority): Issuer {
  const issue = (name: Der, lasts: Ms, extensions: readonly Der[]): Issued => {
    const by = authority();
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const until = instant(Math.min(means.clock.now() + lasts, by.until));
    const der = certificate(means, by, name, publicKey, until, [
      extension("2.5.29.15", true, bits(Uint8Array.of(0x80), 7)), // it signs handshakes
      ...extensions,
      ...(by.keyId === undefined ? [] : [extension("2.5.29.35", false, sequence(context(0, false, by.keyId)))]),
    ]);
    return { cert: pem("CERTIFICATE", der), key: exported(privateKey) };
  };
  return {
    ...kept,
    server: ({ name, names, addresses = [], lasts }) =>
      issue(subject(name, []), lasts, [usage("1.3.6.1.5.5.7.3.1"), alternatives(names, addresses)]),
    client: ({ name, groups = [], lasts }) => issue(subject(name, groups), lasts, [usage("1.3.6.1.5.5.7.3.2")]),
  };
}

const exported = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const spki = (key: KeyObject): Uint8Array => key.export({ type: "spki", format: "der" });
const keyId = (key: KeyObject): Uint8Array => createHash("sha256").update(spki(key)).digest().subarray(0, 20);
const algorithm = sequence(oid("1.2.840.10045.4.3.2")); // ECDSA with SHA-256

/** How long before its making a certificate begins to hold: clocks of other machines may be behind. */
const slack: Ms = 3_600_000;

function certificate(
  { clock, random }: Means,
  by: Authority,
  name: Der,
  key: KeyObject,
  until: Instant,
  extensions: readonly Der[],
): Der {
  const serial = random.bytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    context(0, true, integer(Uint8Array.of(2))), // version 3
    integer(serial),
    algorithm,
    by.name,
    sequence(time(new Date(clock.now() - slack)), time(new Date(until))),
    name,
    spki(key),
    context(3, true, sequence(...extensions)),
  );
  return sequence(body, algorithm, bits(sign("sha256", body, by.key)));
}

/** CN is the user, each O a group. */
function subject(name: string, groups: readonly string[]): Der {
  const part = (type: string, text: string) => set(sequence(oid(type), utf8(text)));
  return sequence(...groups.map((group) => part("2.5.4.10", group)), part("2.5.4.3", name));
}

const extension = (id: string, critical: boolean, value: Der): Der =>
  sequence(oid(id), ...(critical ? [yes] : []), octets(value));
const usage = (purpose: string): Der => extension("2.5.29.37", false, sequence(oid(purpose)));

function alternatives(names: readonly string[], addresses: readonly string[]): Der {
  return extension(
    "2.5.29.17",
    false,
    sequence(
      ...names.map((name) => context(2, false, Buffer.from(name))),
      ...addresses.map((address) => context(7, false, addressBytes(address))),
    ),
  );
}
