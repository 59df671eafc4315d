import { createPrivateKey, generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { seededRandom, systemClock, systemRandom, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { bits, integer, oid, pem, sequence, set, time, utf8 } from "./der.ts";
import { factsOf } from "./facts.ts";
import { type Issued, issuerFrom, newIssuer } from "./issuer.ts";

const day = 24 * 3_600_000;
const means = { clock: systemClock, random: systemRandom }; // a handshake looks at the system's time
const ca = (name = "ca") => newIssuer(means, { name, lasts: 100 * day });
const localhost = { name: "server", names: ["localhost"], lasts: day };

/** What each side of a handshake makes of the other. */
async function handshake(server: TlsOptions, client: { ca: string; servername?: string } & Partial<Issued>) {
  const listener = createServer({ requestCert: true, rejectUnauthorized: false, ...server });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const port = (listener.address() as AddressInfo).port;
  const accepted = once(listener, "secureConnection") as Promise<[TLSSocket]>;
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false, ...client });
  await once(socket, "secureConnect");
  const [peer] = await accepted;
  const seen = {
    server: socket.authorized ? "trusted" : String(socket.authorizationError),
    client: peer.authorized ? peer.getPeerCertificate().subject : undefined,
  };
  socket.destroy();
  peer.destroy();
  listener.close();
  return seen;
}

describe("an issuer", () => {
  it("issues to servers what clients believe for its names only", async () => {
    const issuer = ca();
    const served = issuer.server(localhost);
    expect((await handshake(served, { ca: issuer.cert })).server).toBe("trusted");
    expect((await handshake(served, { ca: issuer.cert, servername: "other" })).server).toMatch(/ALTNAME/);
    expect((await handshake(served, { ca: ca().cert })).server).not.toBe("trusted");
  });

  it("issues to clients their name and groups, in order", async () => {
    const issuer = ca();
    const client = issuer.client({ name: "jane", groups: ["b", "a"], lasts: day });
    const seen = await handshake({ ...issuer.server(localhost), ca: issuer.cert }, { ca: issuer.cert, ...client });
    expect(seen.client).toEqual({ CN: "jane", O: ["b", "a"] });
  });

  it("does not let a client's certificate speak for a server", async () => {
    const issuer = ca();
    const client = issuer.client({ name: "localhost", lasts: day });
    expect((await handshake(client, { ca: issuer.cert })).server).toBe("INVALID_PURPOSE");
  });

  it("goes on issuing after it was kept", async () => {
    const first = ca();
    const kept = issuerFrom(means, { cert: first.cert, key: first.key });
    expect((await handshake(kept.server(localhost), { ca: first.cert })).server).toBe("trusted");
    expect(new X509Certificate(kept.server(localhost).cert).issuer).toBe("CN=ca");
  });

  it("can stand in one bundle with another of its name", async () => {
    const [old, young] = [ca("same"), ca("same")];
    for (const bundle of [old.cert + young.cert, young.cert + old.cert]) {
      expect((await handshake(old.server(localhost), { ca: bundle })).server).toBe("trusted");
      expect((await handshake(young.server(localhost), { ca: bundle })).server).toBe("trusted");
    }
  });

  it("issues nothing that outlives it", () => {
    const clock = new VirtualClock(instant(Date.UTC(2030, 0, 1)));
    const issuer = newIssuer({ clock, random: seededRandom(1) }, { name: "ca", lasts: 10 * day });
    const until = (issued: Issued) => factsOf(issued.cert)?.until;
    expect(until(issuer.server({ ...localhost, lasts: 5 * day }))).toBe(Date.UTC(2030, 0, 6));
    expect(until(issuer.server({ ...localhost, lasts: 50 * day }))).toBe(Date.UTC(2030, 0, 11));
    clock.advance(8 * day);
    expect(until(issuerFrom({ clock, random: seededRandom(2) }, issuer).client({ name: "a", lasts: 5 * day }))).toBe(
      Date.UTC(2030, 0, 11),
    );
  });

  it("dates back by an hour, and writes years after 2049", () => {
    const clock = new VirtualClock(instant(Date.UTC(2049, 11, 31, 23, 30)));
    const issuer = newIssuer({ clock, random: seededRandom(1) }, { name: "ca", lasts: 10 * day });
    expect(factsOf(issuer.cert)).toMatchObject({
      from: Date.UTC(2049, 11, 31, 22, 30),
      until: Date.UTC(2050, 0, 10, 23, 30),
    });
  });

  it("gives each certificate a key and a serial number of its own", () => {
    const issuer = ca();
    const made = Array.from({ length: 3 }, () => issuer.server(localhost));
    expect(new Set(made.map(({ key }) => key)).size).toBe(3);
    expect(new Set(made.map(({ cert }) => new X509Certificate(cert).serialNumber)).size).toBe(3);
    for (const { cert, key } of made)
      expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  it("takes serial numbers from the chance that it is given", () => {
    const serial = (seed: number) => {
      const issuer = newIssuer({ clock: new VirtualClock(), random: seededRandom(seed) }, { name: "ca", lasts: day });
      return new X509Certificate(issuer.cert).serialNumber;
    };
    expect(serial(1)).toBe(serial(1));
    expect(serial(1)).not.toBe(serial(2));
  });
});

it("a kept issuer whose certificate does not name its key still issues", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(oid("2.5.4.3"), utf8("old-ca"))));
  const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
  const body = sequence(
    integer(Uint8Array.of(1)),
    algorithm,
    name,
    sequence(time(new Date(Date.UTC(2026, 0, 1))), time(new Date(Date.UTC(2036, 0, 1)))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const cert = pem("CERTIFICATE", sequence(body, algorithm, bits(sign("sha256", body, privateKey))));
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const issuer = issuerFrom({ clock: new VirtualClock(), random: seededRandom(1) }, { cert, key });
  const issued = new X509Certificate(issuer.server(localhost).cert);
  expect([issued.issuer, issued.verify(publicKey)]).toEqual(["CN=old-ca", true]);
});
