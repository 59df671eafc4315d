// A kubeconfig for one user of this server.
import type { Issued } from "@telltale/certificates";

export interface KubeconfigParts {
  readonly server: string;
  /** Undefined over plain HTTP. */
  readonly ca: string | undefined;
  readonly user: string;
  readonly certificate?: Issued;
  readonly token?: string;
}

export function kubeconfig(p: KubeconfigParts): string {
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  const credentials = [
    ...(p.certificate === undefined
      ? []
      : [
          `    client-certificate-data: ${base64(p.certificate.cert)}`,
          `    client-key-data: ${base64(p.certificate.key)}`,
        ]),
    ...(p.token === undefined ? [] : [`    token: ${JSON.stringify(p.token)}`]),
  ];
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    "- name: embedded",
    "  cluster:",
    `    server: ${p.server}`,
    ...(p.ca === undefined ? [] : [`    certificate-authority-data: ${base64(p.ca)}`]),
    "contexts:",
    "- name: embedded",
    "  context:",
    "    cluster: embedded",
    "    namespace: default",
    `    user: ${JSON.stringify(p.user)}`,
    "current-context: embedded",
    "users:",
    `- name: ${JSON.stringify(p.user)}`,
    "  user:",
    ...credentials,
    "",
  ].join("\n");
}
