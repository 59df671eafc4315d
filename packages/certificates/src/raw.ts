// What Node does not tell of a certificate, read from its DER: the subject as it is written, and the name of its key.
import { contentOf, type Der, members, oid, tagOf } from "./der.ts";

/** The subject, byte for byte: an issuer's name must be the same in what it signs. */
export function subjectOf(certificate: Der): Der {
  const subject = fields(certificate)[4];
  if (subject === undefined) throw new RangeError("the certificate has no subject; it is not X.509");
  return subject;
}

/** The subject key identifier, if the certificate has one. */
export function keyIdOf(certificate: Der): Uint8Array | undefined {
  const extensions = fields(certificate).find((field) => tagOf(field) === 0xa3);
  if (extensions === undefined) return undefined;
  const wanted = Buffer.from(oid("2.5.29.14"));
  for (const extension of members(contentOf(extensions))) {
    const [id, ...rest] = members(extension);
    const value = rest.at(-1);
    if (id !== undefined && value !== undefined && wanted.equals(id)) return contentOf(contentOf(value));
  }
  return undefined;
}

/** Serial, algorithm, issuer, validity, subject, key, and what is optional. */
function fields(certificate: Der): Der[] {
  const [body = new Uint8Array(0)] = members(certificate);
  return members(body).filter((field) => tagOf(field) !== 0xa0); // the version
}
