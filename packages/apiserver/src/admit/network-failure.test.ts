import { expect, test } from "vitest";
import { networkFailure } from "./network-failure.ts";

const verify = "tls: failed to verify certificate: x509: ";

test.for<[string, object, string]>([
  ["https://h/x", { code: "ENOTFOUND" }, "dial tcp: lookup h: no such host"],
  [
    "https://h:8443/x",
    { code: "ECONNREFUSED", address: "::1", port: 8443 },
    "dial tcp [::1]:8443: connect: connection refused",
  ],
  ["https://10.1.2.3/x", { code: "EHOSTUNREACH" }, "dial tcp 10.1.2.3:443: connect: no route to host"],
  [
    "https://localhost:1/x",
    {
      errors: [
        { code: "ECONNREFUSED", address: "127.0.0.1", port: 1 },
        { code: "ECONNREFUSED", address: "::1", port: 1 },
      ],
    },
    "dial tcp 127.0.0.1:1: connect: connection refused",
  ],
  ["https://h/x", { code: "UND_ERR_SOCKET", message: "other side closed" }, "EOF"],
  ["https://h/x", { code: "CERT_HAS_EXPIRED" }, `${verify}certificate has expired or is not yet valid`],
  [
    "https://10.1.2.3/x",
    { code: "ERR_TLS_CERT_ALTNAME_INVALID", cert: { subjectaltname: "DNS:a.example.com" } },
    `${verify}cannot validate certificate for 10.1.2.3 because it doesn't contain any IP SANs`,
  ],
  [
    "https://h/x",
    { code: "ERR_TLS_CERT_ALTNAME_INVALID", cert: {} },
    `${verify}certificate is not valid for any names, but wanted to match h`,
  ],
  ["https://h/x", { code: "OTHER", message: "something else" }, "something else"],
])("%s with %j", ([url, error, told]) => {
  expect(networkFailure(error, new URL(url))).toBe(told);
});
