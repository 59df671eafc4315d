import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { factsOf } from "@telltale/certificates";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { authority } from "./certificates.ts";

const day = 24 * 3_600_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-pki-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the server's authority", () => {
  it("serves under every name that a client in or outside a cluster may use", () => {
    const pki = authority(new VirtualClock(), seededRandom(1));
    const cert = factsOf(pki.server.cert);
    const hosts = ["localhost", "kubernetes.default.svc", "127.0.0.1", "::1", "10.0.0.1"];
    expect(hosts.filter((host) => cert?.names(host))).toEqual(hosts);
  });

  it("is kept in its folder, for its owner only, and read again", () => {
    const clock = new VirtualClock();
    const first = authority(clock, seededRandom(1), folder);
    const second = authority(clock, seededRandom(2), folder);
    expect([second.ca, second.server]).toEqual([first.ca, first.server]);
    expect(statSync(join(folder, "pki", "ca.key")).mode & 0o777).toBe(0o600);
    const [client, ca] = [factsOf(second.client("jane", ["dev"]).cert), factsOf(first.ca)];
    expect(client !== undefined && ca !== undefined && client.signedBy(ca)).toBe(true);
  });

  it("is made anew in the last month of its time", () => {
    const clock = new VirtualClock();
    const first = authority(clock, seededRandom(1), folder);
    clock.advance(3650 * day - 31 * day);
    expect(authority(clock, seededRandom(2), folder).ca).toBe(first.ca);
    clock.advance(2 * day);
    expect(authority(clock, seededRandom(3), folder).ca).not.toBe(first.ca);
  });
});
