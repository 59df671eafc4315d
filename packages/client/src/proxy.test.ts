import { describe, expect, it } from "vitest";
import { proxyFor } from "./proxy.ts";

describe("the proxy of the environment", () => {
  const proxy = "http://p:3128";
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ["none is set", "https://host", {}, undefined],
    ["for HTTPS", "https://host", { HTTPS_PROXY: proxy, HTTP_PROXY: "http://other" }, proxy],
    ["for HTTP", "http://host", { HTTP_PROXY: proxy }, proxy],
    ["in small letters", "https://host", { https_proxy: proxy }, proxy],
    ["without a scheme", "https://host", { HTTPS_PROXY: "p:3128" }, proxy],
    ["never for this machine", "https://127.0.0.1:6443", { HTTPS_PROXY: proxy }, undefined],
    ["never for localhost", "https://localhost:6443", { HTTPS_PROXY: proxy }, undefined],
    ["for a name that begins as this machine's address", "https://127.evil.com", { HTTPS_PROXY: proxy }, proxy],
    ["for a name that ends as this machine's", "https://notlocalhost", { HTTPS_PROXY: proxy }, proxy],
    ["never for an address of this machine in other digits", "https://127.1", { HTTPS_PROXY: proxy }, undefined],
  ])("%s", (_name, server, env, expected) => {
    expect(proxyFor(server, env)).toBe(expected);
  });

  it.each<[exception: string, server: string, passedBy: boolean]>([
    ["*", "https://host", true],
    ["example.com", "https://example.com", true],
    ["example.com", "https://api.example.com", true],
    ["example.com", "https://badexample.com", false],
    [".example.com", "https://example.com", false],
    [".example.com", "https://api.example.com", true],
    ["*.example.com", "https://api.example.com", true],
    ["example.com:6443", "https://example.com:6443", true],
    ["example.com:6443", "https://example.com", false],
    ["10.0.0.1", "https://10.0.0.1:443", true],
    ["10.0.0.0/8", "https://10.9.8.7", true],
    ["10.0.0.0/8", "https://11.0.0.1", false],
    ["10.0.0.0/8", "https://host", false],
    ["fd00::/8", "https://[fd00::1]:443", true],
    ["other, 10.0.0.0/8", "https://10.1.1.1", true],
  ])("NO_PROXY=%s and %s: passed by is %s", (exception, server, passedBy) => {
    expect(proxyFor(server, { HTTPS_PROXY: proxy, NO_PROXY: exception }) === undefined).toBe(passedBy);
  });
});
