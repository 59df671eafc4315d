import type { StatefulSet } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { claimTemplate, revisions, setOf, template, updating } from "../../test/members.ts";
import { isWanted, ordinalOf, wantedOrdinals } from "./ordinals.ts";
import { memberPod } from "./pod.ts";

const imageOf = (set: StatefulSet, ordinal: number) =>
  memberPod(set, updating, ordinal).spec?.containers[0]?.image?.split(":")[1];

describe("a member", () => {
  it("has a name, a host name and labels of its own, and says of which revision it is", () => {
    expect(memberPod(setOf(), revisions, 2)).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "db-2",
        generateName: "db-",
        labels: {
          app: "db",
          "apps.kubernetes.io/pod-index": "2",
          "statefulset.kubernetes.io/pod-name": "db-2",
          "controller-revision-hash": revisions.update.metadata?.name,
        },
      },
      spec: { ...template(1).spec, hostname: "db-2", subdomain: "db" },
    });
    expect(memberPod(setOf({ serviceName: "" }), revisions, 0).spec).not.toHaveProperty("subdomain");
  });

  it("has a volume for each claim, and a volume of the template with such a name gives way", () => {
    const volumes = [
      { name: "scratch", emptyDir: {} },
      { name: "data", emptyDir: {} },
    ];
    const spec = { ...template(1).spec, volumes };
    const set = setOf({ volumeClaimTemplates: [claimTemplate], template: { ...template(1), spec } });
    const own = { ...revisions.update, data: { spec: { template: { ...template(1), spec } } } as never };
    expect(memberPod(set, { current: own, update: own }, 1).spec?.volumes).toEqual([
      { name: "data", persistentVolumeClaim: { claimName: "data-db-1" } },
      { name: "scratch", emptyDir: {} },
    ]);
  });

  it("that is missing comes back of the new template, but below the partition of the old one", () => {
    expect([0, 1, 2].map((it) => imageOf(setOf(), it))).toEqual(["2", "2", "2"]);
    const partition = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
    expect([0, 1, 2].map((it) => imageOf(setOf({ updateStrategy: partition }), it))).toEqual(["1", "1", "2"]);
    const from1 = setOf({ updateStrategy: partition, ordinals: { start: 1 } });
    expect([1, 2, 3].map((it) => imageOf(from1, it))).toEqual(["1", "1", "2"]);
    const byHand = setOf({ updateStrategy: { type: "OnDelete" } }, { replicas: 3, currentReplicas: 3 });
    expect(imageOf(byHand, 0)).toBe("2");
  });

  it("comes back as those that have not been reached, where the set says nothing of a partition", () => {
    const set = setOf({ updateStrategy: { type: "RollingUpdate" } }, { replicas: 3, currentReplicas: 1 });
    expect([0, 1].map((it) => imageOf(set, it))).toEqual(["1", "2"]);
  });

  it("is made of the set's own template where its revision cannot be read", () => {
    const { data: _data, ...bare } = revisions.update;
    expect(memberPod(setOf(), { current: bare, update: bare }, 0).spec?.containers).toEqual(
      template(1).spec.containers,
    );
  });
});

describe("a number", () => {
  const numberOf = (name: string) => ordinalOf(setOf(), { metadata: { name } });

  it("is what follows the set's name, written as numbers are", () => {
    expect([numberOf("db-0"), numberOf("db-12")]).toEqual([0, 12]);
    const others = ["db", "db-", "db-01", "db--1", "db-1x", "db-1-2", "other-1", "xdb-1", "db-2147483648", "db-1e3"];
    expect(others.map(numberOf)).toEqual(others.map(() => undefined));
  });

  it("is wanted from the first as many as there are replicas", () => {
    const set = setOf({ replicas: 2, ordinals: { start: 5 } });
    expect([...wantedOrdinals(set)]).toEqual([5, 6]);
    expect([4, 5, 6, 7].map((it) => isWanted(set, it))).toEqual([false, true, true, false]);
  });
});
