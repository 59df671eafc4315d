import { newIssuer } from "@telltale/certificates";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { beforeEach, describe, expect, it } from "vitest";
import type { CertificateFeed } from "./certificate-feed.ts";
import { mountedCertificates } from "./mounted-certificates.ts";

const lasts = 24 * 3_600_000;
const clock = new VirtualClock();
const issuer = newIssuer({ clock, random: seededRandom(1) }, { name: "ca", lasts });
const issued = () => issuer.server({ name: "s", names: ["a.b.svc"], lasts });

let files: Map<string, string>;
let feed: CertificateFeed;
beforeEach(() => {
  files = new Map();
});
const put = ({ cert, key }: { cert: string; key: string }) => {
  files.set("/certs/tls.crt", cert);
  files.set("/certs/tls.key", key);
};
function start(names?: { cert?: string; key?: string }): void {
  feed = mountedCertificates({
    clock,
    random: seededRandom(1),
    folder: "/certs",
    files: { read: async (path) => files.get(path) },
    ...(names === undefined ? {} : { names }),
  });
}

describe("mounted certificates", () => {
  it("are read, with the authority where it is there", async () => {
    const first = issued();
    put(first);
    start();
    await feed.check();
    expect(feed.current()).toEqual({ ...first, ca: "" });
    files.set("/certs/ca.crt", issuer.cert);
    await feed.check();
    expect(feed.current()).toEqual({ ...first, ca: issuer.cert });
  });

  it("are read again by the clock", async () => {
    put(issued());
    start();
    await feed.check();
    const second = issued();
    put(second);
    await clock.settle(12_000);
    expect(feed.current()?.cert).toBe(second.cert);
  });

  it("stay as they are while the files do not fit each other, and are looked at soon after", async () => {
    const first = issued();
    put(first);
    start();
    await feed.check();
    const second = issued();
    files.set("/certs/tls.crt", second.cert);
    await feed.check();
    expect([feed.current()?.cert, feed.trouble()]).toEqual([
      first.cert,
      "/certs/tls.key is not the key of /certs/tls.crt; put both there",
    ]);
    files.set("/certs/tls.key", second.key);
    await clock.settle(1_200);
    expect(feed.current()?.cert).toBe(second.cert);
  });

  it("say which file is missing, or no certificate", async () => {
    start({ cert: "server.pem", key: "server.key" });
    await feed.check();
    expect(feed.trouble()).toMatch(/^\/certs\/server\.pem is missing; mount the certificate there/);
    files.set("/certs/server.pem", "text");
    await feed.check();
    expect(feed.trouble()).toMatch(/^\/certs\/server\.key is missing/);
    files.set("/certs/server.key", "text");
    await feed.check();
    expect(feed.trouble()).toBe("/certs/server.pem holds no certificate; put one there, in PEM");
  });
});
