// The kinds of `certificates.k8s.io/v1`.
import type * as certificates from "kubernetes-types/certificates/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "certificates.k8s.io", version: "v1" };

export const CertificateSigningRequest = builtin<certificates.CertificateSigningRequest>()({
  ...v1,
  kind: "CertificateSigningRequest",
  scope: "Cluster",
  shortNames: ["csr"],
  status: true,
});
export type CertificateSigningRequest = certificates.CertificateSigningRequest;
