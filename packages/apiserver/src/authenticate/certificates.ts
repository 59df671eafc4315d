// The server's own authority: a CA, its serving certificate, certificates for clients, and where they are kept.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { factsOf, type Issued, issuerFrom, newIssuer } from "@telltale/certificates";
import type { Clock, Random } from "@telltale/clock";

export interface Authority {
  /** The CA certificate, for clients. */
  readonly ca: string;
  readonly server: Issued;
  /** Signs ServiceAccount tokens. */
  readonly tokenKey: KeyObject;
  client(name: string, groups: readonly string[]): Issued;
}

const lasts = 10 * 365 * 24 * 3_600_000;
const names = [
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];
const addresses = ["127.0.0.1", "::1", "10.0.0.1"];

/** An authority, made anew or read from a folder where it was kept. */
export function authority(clock: Clock, random: Random, folder?: string): Authority {
  const kept = folder === undefined ? undefined : join(folder, "pki");
  const stored = kept === undefined ? undefined : read(kept, clock);
  const files = stored ?? make(clock, random);
  if (kept !== undefined && stored === undefined) write(kept, files);
  const issuer = issuerFrom({ clock, random }, { cert: files.ca, key: files.caKey });
  return {
    ca: files.ca,
    server: { cert: files.server, key: files.serverKey },
    tokenKey: createPrivateKey(files.tokenKey),
    client: (name, groups) => issuer.client({ name, groups, lasts }),
  };
}

interface Files {
  readonly ca: string;
  readonly caKey: string;
  readonly server: string;
  readonly serverKey: string;
  readonly tokenKey: string;
}

const fileNames = {
  ca: "ca.crt",
  caKey: "ca.key",
  server: "server.crt",
  serverKey: "server.key",
  tokenKey: "sa.key",
} as const;

function read(folder: string, clock: Clock): Files | undefined {
  const entries = Object.entries(fileNames).map(([field, name]) => [field, join(folder, name)] as const);
  if (!entries.every(([, path]) => existsSync(path))) return undefined;
  const files = Object.fromEntries(
    entries.map(([field, path]) => [field, readFileSync(path, "utf8")]),
  ) as unknown as Files;
  const until = factsOf(files.server)?.until ?? 0;
  return until - clock.now() > 30 * 24 * 3_600_000 ? files : undefined;
}

function write(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [field, name] of Object.entries(fileNames))
    writeFileSync(join(folder, name), files[field as keyof Files], { mode: 0o600 });
}

function make(clock: Clock, random: Random): Files {
  const issuer = newIssuer({ clock, random }, { name: "telltale-ca", lasts });
  const server = issuer.server({ name: "kube-apiserver", names, addresses, lasts });
  const token = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    ca: issuer.cert,
    caKey: issuer.key,
    server: server.cert,
    serverKey: server.key,
    tokenKey: token.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
