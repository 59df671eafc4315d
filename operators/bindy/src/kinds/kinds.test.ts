import { toCrd } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, DNSZone, recordKinds } from "./index.ts";

const all = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ...recordKinds];

describe("the twelve kinds", () => {
  it("have the plurals, short names, scopes and finalizers of 3.0", () => {
    expect(all.map((k) => [k.kind, k.plural, k.shortNames.join(), k.scope, k.finalizer])).toEqual([
      [
        "Bind9GlobalCluster",
        "bind9globalclusters",
        "b9gc,b9gcs",
        "Cluster",
        "bindy.firestoned.io/bind9cluster-finalizer",
      ],
      ["Bind9Cluster", "bind9clusters", "b9c,b9cs", "Namespaced", "bindy.firestoned.io/bind9cluster-finalizer"],
      ["Bind9Instance", "bind9instances", "b9,b9s", "Namespaced", "bindy.firestoned.io/bind9instance-finalizer"],
      ["DNSZone", "dnszones", "zone,zones,dz,dzs", "Namespaced", "bindy.firestoned.io/dnszone-finalizer"],
      ["ARecord", "arecords", "a", "Namespaced", "bindy.firestoned.io/arecord-finalizer"],
      ["AAAARecord", "aaaarecords", "aaaa", "Namespaced", "bindy.firestoned.io/aaaarecord-finalizer"],
      ["TXTRecord", "txtrecords", "txt", "Namespaced", "bindy.firestoned.io/txtrecord-finalizer"],
      ["CNAMERecord", "cnamerecords", "cname", "Namespaced", "bindy.firestoned.io/cnamerecord-finalizer"],
      ["MXRecord", "mxrecords", "mx", "Namespaced", "bindy.firestoned.io/mxrecord-finalizer"],
      ["NSRecord", "nsrecords", "nsr", "Namespaced", "bindy.firestoned.io/nsrecord-finalizer"],
      ["SRVRecord", "srvrecords", "srv", "Namespaced", "bindy.firestoned.io/srvrecord-finalizer"],
      ["CAARecord", "caarecords", "caa", "Namespaced", "bindy.firestoned.io/caarecord-finalizer"],
    ]);
  });

  it("are of one group and version, and have conditions in five fields keyed by type", () => {
    for (const kind of all) {
      expect(kind.apiVersion).toBe("bindy.firestoned.io/v1beta1");
      expect(kind.conditions).toMatchObject({ shape: "plain", max: 512, maxMessage: 1024, default: [] });
    }
  });

  it("have CRDs small enough for client-side apply", () => {
    for (const kind of all) expect(JSON.stringify(toCrd(kind)).length, kind.kind).toBeLessThan(256 * 1024);
  });
});
