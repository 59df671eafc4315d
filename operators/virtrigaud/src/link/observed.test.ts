import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addresses, observedOf, powerOf, providerMap } from "./observed.ts";

const answer = (more: object) =>
  ({ exists: true, powerState: "On", ips: [], consoleUrl: "", providerRawJson: "", ...more }) as never;

describe("power states", () => {
  it.each([
    ["On", "On"],
    ["poweredOn", "On"],
    ["RUNNING", "On"],
    ["off", "Off"],
    ["poweredOff", "Off"],
    ["stopped", "Off"],
    ["shutoff", "Off"],
    ["shut off", "Off"],
    ["notfound", "Off"],
    ["suspended", "Suspended"],
    ["Paused", "Suspended"],
    ["crashed", "Unknown"],
    ["", "Unknown"],
    ["constructor", "Unknown"],
  ])("%s is %s", (word, power) => {
    expect(powerOf(word)).toBe(power);
  });

  it("a suspended machine is On for the status, and its own word is kept", () => {
    const seen = observedOf(answer({ powerState: "Paused" }));
    expect(seen).toMatchObject({ power: "Suspended", powerState: "On", provider: { power_state_raw: "Paused" } });
  });

  it("a word that nobody knows leaves the state as it was", () => {
    expect(observedOf(answer({ powerState: "crashed" }), { powerState: "Off" }).powerState).toBe("Off");
    expect(observedOf(answer({ powerState: "crashed" }))).not.toHaveProperty("powerState");
  });
});

it("addresses: none that leads nowhere, each once, IPv4 first, otherwise in their order", () => {
  const given = [
    "fe80::1%eth0",
    "2001:db8::5",
    "127.0.0.1",
    "::1",
    "10.0.0.2/24",
    "169.254.3.4",
    "10.0.0.1",
    "10.0.0.2",
    "x",
  ];
  expect(addresses(given)).toEqual(["10.0.0.2", "10.0.0.1", "2001:db8::5"]);
});

it("addresses: as many as a status may have", () => {
  expect(addresses(Array.from({ length: 300 }, (_, i) => `10.0.${i >> 8}.${i & 255}`))).toHaveLength(256);
});

describe("the provider's own data", () => {
  it("is flat pairs, with everything else as JSON", () => {
    expect(providerMap('{"cpu":2,"host":"h1","on":true,"nic":{"mac":"a"},"none":null}')).toEqual({
      cpu: "2",
      host: "h1",
      on: "true",
      nic: '{"mac":"a"}',
    });
  });

  it("has no secrets", () => {
    const raw = {
      rootPassword: "x",
      apiToken: "x",
      sshKey: "x",
      Credentials: "x",
      note: "password=canary",
      host: "h1",
    };
    const map = providerMap(JSON.stringify(raw));
    expect(Object.keys(map)).toEqual(["note", "host"]);
    expect(JSON.stringify(map)).not.toContain("canary");
  });

  it("has at most 64 pairs of at most 1 KiB, with room for two of ours", () => {
    const raw = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`n${i}`, "v ".repeat(2_000)]));
    const map = providerMap(JSON.stringify(raw));
    expect(Object.keys(map)).toHaveLength(62);
    expect(Math.max(...Object.values(map).map((value) => value.length))).toBe(1_024);
  });

  it.each(["{broken", "[1]", '"text"', "null"])("%s is said to be none", (raw) => {
    expect(Object.keys(providerMap(raw))).toEqual(["parseError"]);
  });

  it("any text gives pairs of texts", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (raw) => {
        for (const value of Object.values(providerMap(raw))) expect(typeof value).toBe("string");
      }),
      { numRuns: 200 },
    );
  });
});

it("a console address loses what would let anybody in, and keeps what finds the machine", () => {
  const of = (consoleUrl: string) => observedOf(answer({ consoleUrl })).consoleURL;
  expect(of("https://u:p@vc.example/ui/webconsole.html?vmId=vm-4")).toBe(
    "https://vc.example/ui/webconsole.html?vmId=vm-4",
  );
  expect(of("https://vc.example/console?ticket=canary")).toBe("https://vc.example/console");
  expect(of("vnc")).toBeUndefined();
});
