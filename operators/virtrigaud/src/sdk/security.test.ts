import { expect, it } from "vitest";
import { securityFor } from "./security.ts";

const all = ["tls.crt", "tls.key", "ca.crt"];

it("three files mean mutual TLS, whatever the variable says", () => {
  const env = {
    VIRTRIGAUD_PROVIDER_INSECURE: "true",
    VIRTRIGAUD_PROVIDER_ALLOWED_SANS: " manager , ,spiffe://lab/manager",
  };
  expect(securityFor(env, "/tls", ["..data", ...all])).toEqual({
    is: "mtls",
    folder: "/tls",
    allowed: ["manager", "spiffe://lab/manager"],
  });
  expect(securityFor({}, "/tls", all)).toMatchObject({ is: "mtls", allowed: [] });
});

it("no file and the word true mean plaintext", () => {
  for (const word of ["true", "TRUE", "True"]) {
    expect(securityFor({ VIRTRIGAUD_PROVIDER_INSECURE: word }, "/tls", [])).toEqual({ is: "plaintext" });
  }
});

it("anything else is no decision, and nothing starts", () => {
  for (const word of [undefined, "", "1", "yes", "false"]) {
    expect(() => securityFor({ VIRTRIGAUD_PROVIDER_INSECURE: word }, "/tls", [])).toThrow(
      /no TLS in \/tls; put .* or set/,
    );
  }
  const insecure = { VIRTRIGAUD_PROVIDER_INSECURE: "true" };
  expect(() => securityFor(insecure, "/tls", ["tls.crt", "tls.key"])).toThrow(/^\/tls has no ca\.crt; put all of/);
});
