import { describe, expect, test } from "vitest";
import { conditions, positive, yes } from "./conditions.ts";
import { defineKind } from "./kind.ts";
import { Fields, Int32, Optional, Text } from "./schema.ts";
import { convert, schemaIn, version } from "./versions.ts";

interface Hub {
  size: number;
}

const Widget = defineKind({
  group: "telltale.test",
  version: "v2",
  kind: "Widget",
  spec: Fields({ size: Int32() }),
  conditions: conditions({ Ready: positive({ means: "It works", reasons: { Fine: yes("It is fine") } }) }),
  versions: [
    version({
      name: "v1",
      spec: Fields({ bigness: Int32() }),
      toHub: (o) => ({ ...o, spec: { size: o.spec?.bigness ?? 0 } as Hub }),
      fromHub: (o) => ({
        ...o,
        metadata: { ...o.metadata, name: "other", annotations: { from: "hub" } },
        spec: { bigness: o.spec?.size ?? 0 },
      }),
    }),
    version({
      name: "v1beta1",
      spec: Fields({ large: Int32() }),
      status: Fields({ note: Optional(Text({ maxLength: 9 })) }),
      served: false,
      toHub: (o) => ({ ...o, spec: { size: o.spec?.large ?? 0 } as Hub }),
      fromHub: (o) => ({ ...o, spec: { large: o.spec?.size ?? 0 } }),
    }),
  ],
});

const metadata = { name: "a", uid: "1", labels: { a: "b" }, annotations: { c: "d" } };
const hub = {
  apiVersion: "telltale.test/v2",
  kind: "Widget",
  metadata,
  spec: { size: 3 },
  status: { observedGeneration: 1 },
};

describe("converting", () => {
  test("to the same version gives back the object itself", () => {
    expect(convert(Widget, hub, "v2")).toBe(hub);
  });

  test("from the hub uses the version's function, and keeps all metadata but labels and annotations", () => {
    expect(convert(Widget, hub, "v1")).toEqual({
      ...hub,
      apiVersion: "telltale.test/v1",
      metadata: { ...metadata, annotations: { from: "hub" } },
      spec: { bigness: 3 },
    });
  });

  test("to the hub gives back what came from it", () => {
    expect(convert(Widget, convert(Widget, hub, "v1beta1"), "v2")).toEqual(hub);
  });

  test("between two others goes through the hub", () => {
    const old = { apiVersion: "telltale.test/v1beta1", kind: "Widget", metadata: { name: "a" }, spec: { large: 4 } };
    expect(convert(Widget, old, "v1")).toMatchObject({ apiVersion: "telltale.test/v1", spec: { bigness: 4 } });
  });

  test("leaves labels and annotations out where the function does", () => {
    const bare = { apiVersion: "telltale.test/v1beta1", kind: "Widget", metadata: { name: "a" }, spec: { large: 4 } };
    expect(convert(Widget, bare, "v2").metadata).toEqual({ name: "a" });
  });

  test.each(["v3", "v1alpha1"])("to %s, which does not exist, names the versions that do", (to) => {
    expect(() => convert(Widget, hub, to)).toThrow(`Widget: there is no version "${to}"; known are v2, v1, v1beta1`);
  });
});

describe("the schemas of a version", () => {
  test("are the kind's own for the hub", () => {
    expect(schemaIn(Widget, "v2")).toBe(Widget.schema);
  });

  test("have the hub's status where the version declares none", () => {
    const { spec, status } = schemaIn(Widget, "v1");
    expect([Object.keys(spec.properties ?? {}), status]).toEqual([["bigness"], Widget.schema.status]);
  });

  test("have what every status has in a status of its own", () => {
    expect(Object.keys(schemaIn(Widget, "v1beta1").status?.properties ?? {})).toEqual([
      "observedGeneration",
      "note",
      "conditions",
    ]);
  });
});

test("a version is served where nothing else is said", () => {
  expect(Widget.versions.map(({ served }) => served)).toEqual([true, false]);
});
