import { describe, expect, it } from "vitest";
import { alternatives, callerOf, refusal } from "./callers.ts";

describe("the names of a certificate", () => {
  it("are its DNS and URI names and its common name", () => {
    const subjectaltname = "DNS:manager.vms.svc, IP Address:10.0.0.1, URI:spiffe://lab/manager, email:a@b.c";
    const certificate = { subject: { CN: "manager" }, subjectaltname };
    const socket = { authorized: true, getPeerCertificate: () => certificate } as never; // what of it is read
    expect(callerOf(socket)).toEqual({
      isVerified: true,
      names: ["manager.vms.svc", "spiffe://lab/manager", "manager"],
    });
  });

  it("cannot be made up within another one", () => {
    expect(alternatives('URI:"urn:a, DNS:evil.example", DNS:b')).toEqual(["urn:a, DNS:evil.example", "b"]);
    expect(alternatives('DNS:"a\\"", DNS:b')).toEqual(['a"', "b"]);
    expect(alternatives('othername:"x, DNS:evil", DNS:c')).toEqual(["c"]);
  });

  it("are none where there is no certificate", () => {
    const socket = { authorized: false, getPeerCertificate: () => undefined } as never;
    expect(callerOf(socket)).toEqual({ isVerified: false, names: [] });
  });
});

it("only who is verified, and is on the list where there is one, may call", () => {
  const names = ["manager.vms.svc", "manager"];
  expect(refusal({ isVerified: false, names }, [])?.code).toBe("UNAUTHENTICATED");
  expect(refusal({ isVerified: false, names }, names)?.code).toBe("UNAUTHENTICATED");
  expect(refusal({ isVerified: true, names }, [])).toBeUndefined();
  expect(refusal({ isVerified: true, names }, ["other", "manager"])).toBeUndefined();
  expect(refusal({ isVerified: true, names }, ["Manager", "manager.vms", "*"])?.code).toBe("PERMISSION_DENIED");
});
