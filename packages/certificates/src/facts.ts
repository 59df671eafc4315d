// What there is to know about a certificate before it is used: its names, its time, who signed it, whether a key fits it.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { type Instant, instant } from "@telltale/kinds";

export interface CertificateFacts {
  readonly pem: string;
  /** From when and until when it holds. */
  readonly from: Instant;
  readonly until: Instant;
  /** Whether this authority signed it. */
  signedBy(authority: CertificateFacts): boolean;
  /** Whether a client that asks for this host, by name or by address, believes it. */
  names(host: string): boolean;
  /** Whether this PEM is its private key. */
  fits(key: string): boolean;
  readonly x509: X509Certificate;
}

/** The facts of the first certificate in a PEM text, or undefined where there is none that can be read. */
export function factsOf(text: string): CertificateFacts | undefined {
  const pem = certificatesIn(text)[0];
  if (pem === undefined) return undefined;
  const x509 = read(pem);
  if (x509 === undefined) return undefined;
  return {
    pem,
    from: instant(Date.parse(x509.validFrom)),
    until: instant(Date.parse(x509.validTo)),
    signedBy: (authority) => x509.checkIssued(authority.x509) && x509.verify(authority.x509.publicKey),
    names: (host) => (isIP(host) === 0 ? x509.checkHost(host) : x509.checkIP(host)) !== undefined,
    fits(key) {
      try {
        return x509.checkPrivateKey(createPrivateKey(key));
      } catch {
        return false; // no key at all
      }
    },
    x509,
  };
}

/** Every certificate of a bundle, in its order. */
export function certificatesIn(text: string): readonly string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return found.map((pem) => `${pem}\n`);
}

function read(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
