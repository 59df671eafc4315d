export { type CertificateFacts, certificatesIn, factsOf } from "./facts.ts";
export { type ClientSubject, type Issued, type Issuer, issuerFrom, newIssuer, type ServerSubject } from "./issuer.ts";
