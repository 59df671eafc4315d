import { seededRandom, VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import { type CertificateFacts, certificatesIn, factsOf } from "./facts.ts";
import { newIssuer } from "./issuer.ts";

const lasts = 24 * 3_600_000;
const means = { clock: new VirtualClock(), random: seededRandom(1) };
const issuer = newIssuer(means, { name: "ca", lasts });
const served = issuer.server({ name: "s", names: ["a.b.svc", "*.wild.svc"], addresses: ["10.0.0.1"], lasts });

function facts(text: string): CertificateFacts {
  const found = factsOf(text);
  if (found === undefined) throw new Error("it can be read");
  return found;
}

it("tells for which hosts a certificate is good", () => {
  const { names } = facts(served.cert);
  expect(["a.b.svc", "x.wild.svc", "b.svc", "s"].map(names)).toEqual([true, true, false, false]);
  expect(["10.0.0.1", "10.0.0.2", "::1"].map(names)).toEqual([true, false, false]);
});

it("tells who signed a certificate: by key, not by name", () => {
  const namesake = newIssuer(means, { name: "ca", lasts });
  expect(facts(served.cert).signedBy(facts(issuer.cert))).toBe(true);
  expect(facts(served.cert).signedBy(facts(namesake.cert))).toBe(false);
});

it("tells whether a key fits, whatever is given for one", () => {
  const { fits } = facts(served.cert);
  expect([served.key, issuer.key, "no key", ""].map(fits)).toEqual([true, false, false, false]);
});

it("finds every certificate of a bundle in its order, and nothing in other text", () => {
  expect(certificatesIn(`about\n${served.cert}\nbetween\n${issuer.cert}`)).toEqual([served.cert, issuer.cert]);
  expect(certificatesIn(served.key)).toEqual([]);
});

it("knows nothing of what is no certificate", () => {
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  expect([factsOf(""), factsOf("text"), factsOf(broken)]).toEqual([undefined, undefined, undefined]);
});
