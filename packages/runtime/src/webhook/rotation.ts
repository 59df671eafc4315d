// When a CA and its serving certificate are renewed, and by what. Deciding is pure; every date is read from the certificates
// themselves, so that a restart forgets nothing and all replicas agree.
import { isIP } from "node:net";
import { type CertificateFacts, certificatesIn, factsOf, issuerFrom, newIssuer } from "@telltale/certificates";
import type { Clock, Random } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";

/** Everything that is kept, PEM. */
export interface Kept {
  readonly cert: string;
  readonly key: string;
  /** The authorities that clients should believe, the newest first. */
  readonly bundle: string;
  /** The key of the newest. */
  readonly caKey: string;
}

export interface Terms {
  /** The names and addresses under which we are called, the first one first. */
  readonly hosts: readonly [string, ...string[]];
  readonly lasts: Ms;
  readonly caLasts: Ms;
  /** How long clients get to hear of a new CA before it signs what is served, and to forget the old one after. */
  readonly overlap: Ms;
}

/** What is to be done, and why. */
export type Due =
  | { readonly at: "nothing" }
  | { readonly at: "everything"; readonly why: string } // a new CA and certificate: there is nothing to build on
  | { readonly at: "authority"; readonly why: string } // a new CA beside the old one, which goes on being used
  | { readonly at: "serving"; readonly why: string } // a new certificate by the newest CA
  | { readonly at: "bundle"; readonly why: string }; // CAs leave that nothing is signed by any more

/** Renewed when so much of its time is over. */
const share = 2 / 3;

export function due(kept: Kept, terms: Terms, now: Instant): Due {
  const authorities = authoritiesOf(kept.bundle);
  const newest = authorities[0];
  if (newest === undefined || !newest.fits(kept.caKey)) {
    return { at: "everything", why: "there is no CA with its key" };
  }
  if (!holds(newest, now)) return { at: "everything", why: "the CA does not hold at this time" };

  const serving = factsOf(kept.cert);
  const signer = serving === undefined ? undefined : authorities.find((one) => serving.signedBy(one));
  if (serving === undefined || signer === undefined || !serving.fits(kept.key)) {
    return { at: "serving", why: "there is no certificate of ours with its key" };
  }
  if (!holds(serving, now)) return { at: "serving", why: "the certificate does not hold at this time" };
  const missing = terms.hosts.find((host) => !serving.names(host));
  if (missing !== undefined) return { at: "serving", why: `the certificate is not for ${missing}` };

  if (worn(newest, now)) return { at: "authority", why: "two thirds of the CA's time are over" };
  const known = now >= newest.from + terms.overlap;
  if (signer !== newest && (known || serving.until - now < terms.overlap)) {
    return { at: "serving", why: "the new CA has been made known" };
  }
  if (signer === newest && worn(serving, now)) {
    return { at: "serving", why: "two thirds of the certificate's time are over" };
  }
  const forgotten = authorities.some((one) => one !== newest && one !== signer);
  if (forgotten && now >= serving.from + terms.overlap) {
    return { at: "bundle", why: "nothing is signed by the old CA any more" };
  }
  return { at: "nothing" };
}

/** What to keep instead. */
export function renewed(
  kept: Kept | undefined,
  what: Exclude<Due["at"], "nothing">,
  terms: Terms,
  means: { readonly clock: Clock; readonly random: Random },
): Kept {
  const authorities = authoritiesOf(kept?.bundle ?? "");
  const newest = authorities[0];
  if (kept === undefined || newest === undefined || what === "everything") {
    const issuer = newIssuer(means, { name: caName, lasts: terms.caLasts });
    return { ...served(issuer, terms), bundle: issuer.cert, caKey: issuer.key };
  }
  switch (what) {
    case "authority": {
      const issuer = newIssuer(means, { name: caName, lasts: terms.caLasts });
      const old = authorities.filter((one) => holds(one, means.clock.now()));
      return { ...kept, bundle: [issuer.cert, ...old.map(({ pem }) => pem)].join(""), caKey: issuer.key };
    }
    case "serving":
      return { ...kept, ...served(issuerFrom(means, { cert: newest.pem, key: kept.caKey }), terms) };
    case "bundle": {
      const serving = factsOf(kept.cert);
      const used = authorities.filter((one) => one === newest || serving?.signedBy(one) === true);
      return { ...kept, bundle: used.map(({ pem }) => pem).join("") };
    }
  }
}

const caName = "telltale-webhook-ca";

function served(issuer: ReturnType<typeof newIssuer>, { hosts, lasts }: Terms): { cert: string; key: string } {
  return issuer.server({
    name: "telltale-webhook",
    names: hosts.filter((host) => isIP(host) === 0),
    addresses: hosts.filter((host) => isIP(host) !== 0),
    lasts,
  });
}

function authoritiesOf(bundle: string): CertificateFacts[] {
  return certificatesIn(bundle).flatMap((pem) => factsOf(pem) ?? []);
}

const holds = ({ from, until }: CertificateFacts, now: Instant): boolean => from <= now && now < until;
const worn = ({ from, until }: CertificateFacts, now: Instant): boolean => now >= from + share * (until - from);
