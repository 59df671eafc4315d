import { describe, expect, it } from "vitest";
import { formatEndpoint, parseEndpoint, sameEndpoint, usableEndpoint, validEndpoint } from "./endpoint.ts";

describe("AS-29 CP-9 what an endpoint may look like", () => {
  it.each([
    ["https://abc.example.com", "abc.example.com", 443],
    ["https://abc.example.com:443/", "abc.example.com", 443],
    ["https://[fd00::1]:6443", "fd00::1", 6443],
    ["https://[fd00::1]", "fd00::1", 443],
    ["10.0.0.1:6443", "10.0.0.1", 6443],
    ["localhost:6443", "localhost", 6443],
    ["abc.example.com", "abc.example.com", 443],
    ["HTTPS://abc.example.com:6443", "abc.example.com", 6443],
  ] as const)("%s is %s at %i", (text, host, port) => {
    expect(parseEndpoint(text)).toEqual({ host, port });
  });

  it.each([
    ["", "nothing"],
    [" ", "white space"],
    ["https://a b.example.com", "white space inside"],
    ["http://abc.example.com", "another scheme"],
    ["ftp://abc.example.com", "another scheme"],
    ["10.0.0.1:0", "port 0"],
    ["10.0.0.1:65536", "a port that is too high"],
    ["https://abc.example.com/path", "a path"],
    ["https://abc.example.com//", "a path of its own"],
    ["abc.example.com/", "a path without a scheme"],
    ["https://me@abc.example.com", "user info"],
    ["https://abc.example.com?a=b", "a query"],
    ["https://abc.example.com/?a=b", "a query behind the path"],
    ["https://", "no host"],
    ["fd00::1", "an IPv6 address without brackets"],
  ])("%j is none: %s", (text) => {
    expect(parseEndpoint(text)).toBeUndefined();
  });
});

describe("an endpoint", () => {
  it("is shown with brackets around an IPv6 address only", () => {
    expect(formatEndpoint({ host: "10.0.0.1", port: 6443 })).toBe("10.0.0.1:6443");
    expect(formatEndpoint({ host: "fd00::1", port: 6443 })).toBe("[fd00::1]:6443");
  });

  it("needs a host and a port", () => {
    expect(validEndpoint({ host: "", port: 6443 })).toBeUndefined();
    expect(validEndpoint({ host: "a", port: 0 })).toBeUndefined();
    expect(validEndpoint(undefined)).toBeUndefined();
    expect(validEndpoint({ host: "a", port: 1 })).toEqual({ host: "a", port: 1 });
  });

  it.each([
    ["https://abc.example.com", 443, "a URL"],
    ["abc.example.com/path", 443, "a path"],
    ["a b", 443, "white space"],
    ["u:p@abc", 443, "user info"],
    ["a".repeat(513), 443, "too long"],
    ["abc", 65_536, "a port that is too high"],
    ["abc", -1, "a port below 1"],
  ])("%s:%i of a Cluster cannot be used: %s", (host, port) => {
    expect(usableEndpoint({ host, port })).toBeUndefined();
    expect(validEndpoint({ host, port })).toEqual({ host, port }); // and it is not ours to change
  });

  it.each(["abc.example.com", "10.0.0.1", "fd00::1", "a".repeat(512)])("%s of a Cluster is used", (host) => {
    expect(usableEndpoint({ host, port: 6443 })).toEqual({ host, port: 6443 });
  });

  it("is the same where host and port are", () => {
    expect(sameEndpoint({ host: "a", port: 1 }, { host: "a", port: 1 })).toBe(true);
    expect(sameEndpoint({ host: "a", port: 1 }, { host: "a", port: 2 })).toBe(false);
    expect(sameEndpoint(undefined, undefined)).toBe(true);
  });
});
