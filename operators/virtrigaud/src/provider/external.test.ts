import { expect, test } from "vitest";
import { parseAllowed } from "../addresses.ts";
import { externalEndpoints } from "./external.ts";

const hosts: Record<string, readonly string[]> = {
  "box.example": ["10.0.0.7", "10.0.0.8"],
  "six.example": ["fd00::7"],
  "meta.example": ["10.0.0.7", "169.254.169.254"],
};
const lookup = async (host: string) => {
  const found = hosts[host];
  if (found === undefined) throw new Error("no such host");
  return found;
};

test("an endpoint outside becomes the address that was checked, and stays at it while the host has it", async () => {
  const { of } = externalEndpoints({}, lookup);
  const at = (endpoint: string, known: string | undefined) => of("box", endpoint, known);
  expect(await at("box.example:9443", undefined)).toEqual({ endpoint: "10.0.0.7:9443" });
  expect(await at("box.example:9443", "10.0.0.8:9443")).toEqual({ endpoint: "10.0.0.8:9443" });
  expect(await at("box.example:9443", "10.0.0.9:9443")).toEqual({ endpoint: "10.0.0.7:9443" });
  expect(await at("six.example:443", undefined)).toEqual({ endpoint: "[fd00::7]:443" });
  expect(await at("[fd00::9]:443", undefined)).toEqual({ endpoint: "[fd00::9]:443" });
});

test("one address that nobody may be sent to refuses the host, and so does what is no host:port", async () => {
  const { of } = externalEndpoints({}, lookup);
  const at = (endpoint: string, known: string | undefined) => of("box", endpoint, known);
  for (const endpoint of [
    "meta.example:80",
    "127.0.0.1:9443",
    "[::1]:1",
    "box.example",
    "box.example:0",
    "a b:1",
    "",
  ]) {
    expect(await at(endpoint, undefined)).toHaveProperty("refused");
  }
  const allowed = parseAllowed("10.9.0.0/16");
  if (allowed.is === "wrong") throw new Error("it is right");
  expect(await externalEndpoints(allowed.policy, lookup).of("box", "box.example:1", undefined)).toHaveProperty(
    "refused",
  );
});

test("a host that cannot be looked up for a moment is where it was; one that never could is refused", async () => {
  const { of } = externalEndpoints({}, lookup);
  const at = (endpoint: string, known: string | undefined) => of("box", endpoint, known);
  expect(await at("gone.example:1", "10.0.0.7:1")).toHaveProperty("refused");
  hosts["gone.example"] = ["10.0.0.5"];
  expect(await at("gone.example:1", undefined)).toEqual({ endpoint: "10.0.0.5:1" });
  delete hosts["gone.example"];
  expect(await at("gone.example:1", undefined)).toEqual({ endpoint: "10.0.0.5:1" });
});

test("what is known of a host goes with its Provider, and with the endpoint that named it", async () => {
  const { of, forget } = externalEndpoints({}, lookup);
  const resolved = async (uid: string, endpoint: string) => "endpoint" in (await of(uid, endpoint, undefined));
  const first = "first.example:1";
  hosts["first.example"] = ["10.0.0.5"];
  expect([await resolved("a", first), await resolved("b", first), await resolved("c", first)]).toEqual([
    true,
    true,
    true,
  ]);
  delete hosts["first.example"];
  forget("a");
  expect(await resolved("a", first)).toBe(false);
  expect(await resolved("b", first)).toBe(true);
  expect(await resolved("c", "box.example:1")).toBe(true);
  expect(await resolved("c", first)).toBe(false);
});
