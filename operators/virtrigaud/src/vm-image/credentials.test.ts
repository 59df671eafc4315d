// What is read from Secrets for whoever fetches an image.
import type { Secret } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import type { VMImageSpec } from "../kinds/index.ts";
import { readCredentials, secretsOf } from "./credentials.ts";

const encoded = (value: string): string => Buffer.from(value).toString("base64");
const secret = (data: Record<string, string>): Secret => ({
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encoded(value)])),
});
const url = "https://a.example/a";
const ref = { secretRef: { name: "s" } };
const of = (authentication: NonNullable<VMImageSpec["source"]["http"]>["authentication"]): VMImageSpec => ({
  source: { http: { url, ...(authentication === undefined ? {} : { authentication }) } },
});

describe("by the names of the contract", () => {
  it("a name and a password, from the keys that the spec names", () => {
    const spec = of({ basicAuth: { ...ref, usernameKey: "u" } });
    const found = readCredentials(spec, new Map([["s", secret({ u: "ann", password: "p" })]]));
    expect(found).toEqual({ is: "complete", credentials: { username: "ann", password: "p" } });
    expect(secretsOf(spec)).toEqual(["s"]);
  });

  it("a token, and a certificate", () => {
    const all = secret({ token: "t", "tls.crt": "c", "tls.key": "k" });
    expect(readCredentials(of({ bearer: ref, clientCert: ref }), new Map([["s", all]]))).toEqual({
      is: "complete",
      credentials: { token: "t", "tls.crt": "c", "tls.key": "k" },
    });
  });
});

it("what is missing is named, and nothing else of the Secret", () => {
  const spec = of({ basicAuth: ref });
  expect(readCredentials(spec, new Map())).toMatchObject({ why: "Secret s not found" });
  const half = new Map([["s", secret({ username: "ann", other: "canary" })]]);
  expect(readCredentials(spec, half)).toEqual({ is: "incomplete", why: "Secret s has no key password" });
});

describe("for a registry", () => {
  const spec = (image: string): VMImageSpec => ({ source: { registry: { image, pullSecretRef: { name: "s" } } } });
  const config = (auths: object) => new Map([["s", secret({ ".dockerconfigjson": JSON.stringify({ auths }) })]]);

  it("as kubelets take it: the log-in of the image's host", () => {
    const auths = config({
      "https://other.example": { username: "x", password: "y" },
      "a.example": { auth: encoded("ann:p:w") },
      "https://index.docker.io/v1/": { username: "hub", password: "h" },
    });
    expect(readCredentials(spec("a.example/os/tiny:1"), auths)).toMatchObject({
      credentials: { username: "ann", password: "p:w" },
    });
    expect(readCredentials(spec("library/tiny:1"), auths)).toMatchObject({ credentials: { username: "hub" } });
  });

  it("or by its plain keys; and rubbish is none", () => {
    const plain = new Map([["s", secret({ username: "ann", password: "p" })]]);
    expect(readCredentials(spec("a.example/tiny:1"), plain)).toMatchObject({ is: "complete" });
    for (const auths of ["", "null", '{"auths":7}', '{"auths":{"a.example":null}}']) {
      const broken = new Map([["s", secret({ ".dockerconfigjson": auths })]]);
      expect(readCredentials(spec("a.example/tiny:1"), broken)).toMatchObject({ is: "incomplete" });
    }
  });
});
