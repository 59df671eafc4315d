import { certificatesIn, factsOf, newIssuer } from "@telltale/certificates";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { beforeEach, describe, expect, it } from "vitest";
import { type Due, due, type Kept, renewed, type Terms } from "./rotation.ts";

const day = 24 * 3_600_000;
const terms: Terms = { hosts: ["hooks.ops.svc", "127.0.0.1"], lasts: 90 * day, caLasts: 3650 * day, overlap: day };
let clock: VirtualClock;
let means: { clock: VirtualClock; random: ReturnType<typeof seededRandom> };
let kept: Kept;
beforeEach(() => {
  clock = new VirtualClock();
  means = { clock, random: seededRandom(1) };
  kept = renewed(undefined, "everything", terms, means);
});

const now = (what: Kept = kept) => due(what, terms, clock.now());
function follow(step: Due): void {
  if (step.at !== "nothing") kept = renewed(kept, step.at, terms, means);
}
function signer(): number {
  const cert = factsOf(kept.cert);
  return certificatesIn(kept.bundle).findIndex((pem) => {
    const ca = factsOf(pem);
    return cert !== undefined && ca !== undefined && cert.signedBy(ca);
  });
}

describe("what is kept", () => {
  it("is good when it was just made, for every host", () => {
    expect(now()).toEqual({ at: "nothing" });
    const cert = factsOf(kept.cert);
    expect(terms.hosts.map((host) => cert?.names(host))).toEqual([true, true]);
    expect(Math.round(((cert?.until ?? 0) - clock.now()) / day)).toBe(90);
  });

  it("gets a new certificate when two thirds of its time are over, by the same CA", () => {
    clock.advance(59.9 * day);
    expect(now()).toEqual({ at: "nothing" });
    clock.advance(0.1 * day);
    expect(now()).toMatchObject({ at: "serving", why: "two thirds of the certificate's time are over" });
    const { bundle, caKey, cert } = kept;
    follow(now());
    expect([kept.bundle, kept.caKey]).toEqual([bundle, caKey]);
    expect(kept.cert).not.toBe(cert);
    expect(now()).toEqual({ at: "nothing" });
  });

  it("lives through a change of the CA without a moment in which clients do not know it", () => {
    const trace: string[] = [];
    for (let passed = 0; passed < 3650; ) {
      const step = certificatesIn(kept.bundle).length > 1 ? 0.5 : 5;
      passed += step;
      clock.advance(step * day);
      for (let next = now(); next.at !== "nothing"; next = now()) {
        const before = kept;
        follow(next);
        if (
          next.at === "serving" &&
          before.bundle === kept.bundle &&
          signer() === 0 &&
          certificatesIn(kept.bundle).length === 1
        )
          continue;
        trace.push(`${passed} ${next.at}: ${certificatesIn(kept.bundle).length} known, signed by ${signer()}`);
      }
      expect(signer()).toBeGreaterThanOrEqual(0);
      const cert = factsOf(kept.cert);
      expect(cert !== undefined && cert.until - clock.now() > 20 * day).toBe(true);
    }
    expect(trace).toEqual([
      "2435 authority: 2 known, signed by 1",
      "2436 serving: 2 known, signed by 0",
      "2437 bundle: 1 known, signed by 0",
    ]);
  });

  it("does not wait for the overlap where the certificate would end before", () => {
    clock.advance(89.5 * day);
    kept = renewed(kept, "authority", terms, means);
    expect(now()).toMatchObject({ at: "serving", why: "the new CA has been made known" });
  });

  it.for<[string, (good: Kept) => Partial<Kept>, Due["at"]]>([
    ["without a CA", () => ({ bundle: "" }), "everything"],
    ["with a CA that cannot be read", () => ({ bundle: "text" }), "everything"],
    ["without the CA's key", () => ({ caKey: "" }), "everything"],
    ["with another CA's key", (good) => ({ caKey: good.key }), "everything"],
    ["without a certificate", () => ({ cert: "" }), "serving"],
    ["with another certificate's key", (good) => ({ key: good.caKey }), "serving"],
    [
      "with somebody else's certificate",
      () => newIssuer(means, { name: "x", lasts: day }).server({ name: "x", names: ["hooks.ops.svc"], lasts: day }),
      "serving",
    ],
  ])("%s is made anew as far as needed", ([, change, at]) => {
    expect(now({ ...kept, ...change(kept) }).at).toBe(at);
    kept = { ...kept, ...change(kept) };
    follow(now());
    expect(now()).toEqual({ at: "nothing" });
  });

  it("follows when it is to be called by another name", () => {
    const other: Terms = { ...terms, hosts: ["other.ops.svc"] };
    expect(due(kept, other, clock.now())).toEqual({ at: "serving", why: "the certificate is not for other.ops.svc" });
    kept = renewed(kept, "serving", other, means);
    expect(due(kept, other, clock.now())).toEqual({ at: "nothing" });
  });

  it("is made anew after its end, and before its beginning: a clock that was wrong", () => {
    const start = clock.now();
    clock.advance(91 * day);
    expect(now()).toMatchObject({ at: "serving", why: "the certificate does not hold at this time" });
    clock.advance(3650 * day);
    expect(now()).toMatchObject({ at: "everything", why: "the CA does not hold at this time" });
    clock.jump(instant(start - day));
    expect(now()).toMatchObject({ at: "everything", why: "the CA does not hold at this time" });
  });
});
