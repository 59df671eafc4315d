import { instant, parseTime } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import type { Negotiated } from "../decode/media.ts";
import type { JsonObject } from "../json.ts";
import type { Listed } from "../registry/list.ts";
import type { Resource } from "../registry/resource.ts";
import { StatusError } from "../status.ts";
import { ParsedObjects, StoredRecord } from "../store/record.ts";
import { encodeList, encodeObject, framer } from "./encode.ts";

const parsed = new ParsedObjects();
const now = parseTime("2026-01-01T00:10:00Z") ?? instant(0);
const created = "2026-01-01T00:00:00Z";

/** As much of a resource as encoding looks at. */
function resource(more: Partial<Resource>): Resource {
  return {
    json: (record: StoredRecord) => record.json,
    read: (record: StoredRecord) => record.object(),
    verbs: ["list"],
    columns: undefined,
    ...more,
  } as Resource;
}

const configMaps = resource({
  group: "",
  version: "v1",
  apiVersion: "v1",
  kind: "ConfigMap",
  listKind: "ConfigMapList",
  builtin: true,
});
const widgets = resource({
  group: "example.com",
  version: "v1",
  apiVersion: "example.com/v1",
  kind: "Widget",
  listKind: "WidgetList",
  builtin: false,
});
const roles = resource({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  listKind: "RoleList",
  builtin: true,
});

function record(r: Resource, name: string, more: JsonObject = {}, revision = 7): StoredRecord {
  const object = { apiVersion: r.apiVersion, kind: r.kind, metadata: { name, creationTimestamp: created }, ...more };
  return StoredRecord.of({ key: `/x/${name}`, revision, created: revision }, object, parsed);
}

const list = (records: StoredRecord[], more: Partial<Listed> = {}): Listed => ({
  records,
  revision: 9,
  continueToken: "",
  remaining: undefined,
  ...more,
});

const json: Negotiated = { mediaType: "application/json", pretty: false };
const as = (
  form: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList",
  version: "v1" | "v1beta1" = "v1",
): Negotiated => ({
  ...json,
  conversion: { as: form, version },
});
const query = (text = "") => new URLSearchParams(text);
const listed = async (r: Resource, l: Listed, asked: Negotiated, q = query()) =>
  JSON.parse(await encodeList(r, l, asked, q, now));

function refusal(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("plain lists", () => {
  it("R04 items of built-in lists have neither apiVersion nor kind, wherever these stand", async () => {
    const a = record(configMaps, "a", { data: { k: "v" } });
    const late = StoredRecord.of(
      { key: "/x/b", revision: 8, created: 8 },
      { metadata: { name: "b" }, kind: "ConfigMap", apiVersion: "v1" },
      parsed,
    );
    expect(await listed(configMaps, list([a, late]), json)).toEqual({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "9" },
      items: [
        { metadata: { name: "a", creationTimestamp: created, resourceVersion: "7" }, data: { k: "v" } },
        { metadata: { name: "b", resourceVersion: "8" } },
      ],
    });
  });

  it("R04 items of custom lists have both, and the list says where to continue even at its end", async () => {
    const answer = await listed(widgets, list([record(widgets, "a")]), json);
    expect(answer.metadata).toEqual({ resourceVersion: "9", continue: "" });
    expect(answer.items[0]).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget" });
  });

  it("an empty list has items", async () => {
    expect((await listed(configMaps, list([]), json)).items).toEqual([]);
  });

  it("a page tells the token and what remains", async () => {
    const page = list([record(configMaps, "a")], { continueToken: "T", remaining: 3 });
    expect((await listed(configMaps, page, json)).metadata).toEqual({
      resourceVersion: "9",
      continue: "T",
      remainingItemCount: 3,
    });
  });

  it("objects that have to be converted are read, not copied", async () => {
    const converting = {
      ...widgets,
      json: () => undefined,
      read: async () => ({ kind: "Widget", converted: true }),
    } as Resource;
    expect((await listed(converting, list([record(widgets, "a")]), json)).items).toEqual([
      { kind: "Widget", converted: true },
    ]);
  });

  it("D26 pretty lists are indented, and integers keep all their digits", async () => {
    const big = record(widgets, "a", { spec: { n: 9007199254740993n } });
    const text = await encodeList(widgets, list([big]), { ...json, pretty: true }, query(), now);
    expect(text).toMatch(/^\{\n {2}"kind"/);
    expect(text).toContain("9007199254740993");
  });
});

describe("objects", () => {
  it("D26 built-in kinds are written kind first", () => {
    const object = record(configMaps, "a").object();
    expect(Object.keys(encodeObject(configMaps, object, json, query(), now))).toEqual([
      "kind",
      "apiVersion",
      "metadata",
    ]);
  });

  it("R47 only the metadata is left of a PartialObjectMetadata", () => {
    const object = record(configMaps, "a", { data: {} }).object();
    expect(encodeObject(configMaps, object, as("PartialObjectMetadata", "v1beta1"), query(), now)).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1beta1",
      metadata: { name: "a", creationTimestamp: created, resourceVersion: "7" },
    });
  });

  it("R47 a Status is never converted", () => {
    const status = { kind: "Status", apiVersion: "v1", status: "Success" };
    for (const asked of [as("Table"), as("PartialObjectMetadata")]) {
      expect(encodeObject(configMaps, status, asked, query(), now)).toEqual(status);
    }
  });

  it("R48 one is not a list, and a list is not one", async () => {
    const object = record(configMaps, "a").object();
    const one = refusal(() => encodeObject(configMaps, object, as("PartialObjectMetadataList"), query(), now));
    expect(one.code).toBe(406);
    expect(one.message).toBe(
      "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
    );
    const many = (r: Resource) => encodeList(r, list([]), as("PartialObjectMetadata"), query(), now);
    const start = "you requested PartialObjectMetadata, but the requested object is a list";
    await expect(many(configMaps)).rejects.toThrow(`${start} (*core.ConfigMapList)`);
    await expect(many(roles)).rejects.toThrow(`${start} (*rbac.RoleList)`);
    await expect(many(widgets)).rejects.toThrow(`${start} (*unstructured.UnstructuredList)`);
  });
});

describe("Tables", () => {
  const a = record(configMaps, "a", { data: { x: "1" } });
  const rowsOf = async (q: string) => (await listed(configMaps, list([a]), as("Table"), query(q))).rows;

  it("R45 includeObject decides how much of the object is there", async () => {
    const metadata = { name: "a", creationTimestamp: created, resourceVersion: "7" };
    const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
    expect(await rowsOf("")).toEqual([{ cells: ["a", 1, "10m"], object: partial }]);
    expect(await rowsOf("includeObject=Metadata")).toEqual(await rowsOf("includeObject="));
    expect(await rowsOf("includeObject=None")).toEqual([{ cells: ["a", 1, "10m"], object: null }]);
    const [full] = await rowsOf("includeObject=Object");
    expect(full.object).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { x: "1" } });
  });

  it("R45 anything else is refused, but only for a Table", async () => {
    const message =
      "Unable to convert to Table as requested: includeObject: Invalid value: \"Bogus\": must be 'Metadata', 'Object', 'None', or empty";
    await expect(rowsOf("includeObject=Bogus")).rejects.toThrow(message);
    expect((await listed(configMaps, list([a]), json, query("includeObject=Bogus"))).kind).toBe("ConfigMapList");
  });

  it("R43 a kind without columns shows when it was made, and no rows as null", async () => {
    const empty = await listed(roles, list([]), as("Table"));
    expect(empty.columnDefinitions.map((c: JsonObject) => [c["name"], c["type"], c["format"]])).toEqual([
      ["Name", "string", "name"],
      ["Created At", "date", ""],
    ]);
    expect(empty.rows).toBeNull();
    expect((await listed(configMaps, list([]), as("Table"))).rows).toEqual([]);
    expect((await listed(roles, list([record(roles, "r")]), as("Table"))).rows[0].cells).toEqual(["r", created]);
  });

  it("R43 the Table of one object has its version", () => {
    const answer = encodeObject(configMaps, a.object(), as("Table"), query("includeObject=None"), now);
    expect(answer["metadata"]).toEqual({ resourceVersion: "7" });
    expect(answer["rows"]).toEqual([{ cells: ["a", 1, "10m"], object: null }]);
  });

  it("S09 a scale has columns of its own, and custom ones others than built-in ones", () => {
    const scale = {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "a", creationTimestamp: created },
      spec: { replicas: 2 },
      status: { replicas: 1 },
    };
    const shown = (r: Resource) => {
      const answer = encodeObject(r, scale, as("Table"), query("includeObject=None"), now);
      const columns = answer["columnDefinitions"] as JsonObject[];
      return [columns.map((c) => `${c["name"]}:${c["type"]}/${c["format"]}`).join(), answer["rows"]];
    };
    const rows = [{ cells: ["a", 2, 1, "10m"], object: null }];
    expect(shown(widgets)).toEqual(["Name:string/name,Desired:integer/,Available:integer/,Age:date/", rows]);
    expect(shown(configMaps)).toEqual(["Name:string/,Desired:integer/,Available:integer/,Age:string/", rows]);
  });
});

describe("watch frames", () => {
  const store = {};
  const a = record(configMaps, "a");
  const events = (text: string) => JSON.parse(text);

  it("plain frames are the stored text, made once for all who watch", () => {
    const one = framer(store, configMaps, json, query(), () => now);
    const two = framer(store, configMaps, json, query(), () => now);
    expect(one.frame("ADDED", a)).toBe(`{"type":"ADDED","object":${a.json}}\n`);
    expect(one.frame("MODIFIED", a)).toBe(`{"type":"MODIFIED","object":${a.json}}\n`);
    let made = 0;
    const counting = {
      ...configMaps,
      json: (r: StoredRecord) => {
        made += 1;
        return r.json;
      },
    } as Resource;
    for (let i = 0; i < 3; i++) framer(store, counting, json, query(), () => now).frame("ADDED", a);
    expect(made).toBe(1);
    framer({}, counting, json, query(), () => now).frame("ADDED", a);
    expect(made, "another server's").toBe(2);
    expect(two.frame("DELETED", a)).toContain('"DELETED"');
  });

  it("a conversion that failed is tried again, one that worked is not", async () => {
    let calls = 0;
    const flaky = {
      ...widgets,
      json: () => undefined,
      read: async () => {
        calls += 1;
        if (calls === 1) throw new Error("no webhook");
        return { kind: "Widget" };
      },
    } as Resource;
    const f = framer(store, flaky, json, query(), () => now);
    await expect(Promise.resolve(f.frame("ADDED", a))).rejects.toThrow("no webhook");
    expect(await f.frame("ADDED", a)).toBe('{"type":"ADDED","object":{"kind":"Widget"}}\n');
    await f.frame("ADDED", a);
    expect(calls).toBe(2);
  });

  it("R46 a Table watch sends its columns once, and rows for bookmarks", async () => {
    const f = framer(store, widgets, as("Table"), query("includeObject=None"), () => now);
    const first = events(await f.frame("ADDED", record(widgets, "a")));
    expect(first.object.columnDefinitions).toHaveLength(2);
    expect(first.object.metadata).toEqual({ resourceVersion: "7" });
    const mark = events(
      f.bookmark({ kind: "Widget", apiVersion: "example.com/v1", metadata: { resourceVersion: "8" } }),
    );
    expect(mark).toMatchObject({
      type: "BOOKMARK",
      object: { columnDefinitions: null, rows: [{ cells: ["", null] }] },
    });
    const again = framer(store, widgets, as("Table"), query(), () => now);
    expect(events(await again.frame("ADDED", record(widgets, "a"))).object.columnDefinitions).toHaveLength(2);
  });

  it("R50 metadata watches, their bookmarks, and errors, which are the same in each form", () => {
    const f = framer(store, configMaps, as("PartialObjectMetadata"), query(), () => now);
    expect(events(f.frame("MODIFIED", a) as string)).toMatchObject({
      type: "MODIFIED",
      object: { kind: "PartialObjectMetadata" },
    });
    const end = { "k8s.io/initial-events-end": "true" };
    const mark = events(f.bookmark({ kind: "ConfigMap", metadata: { resourceVersion: "9", annotations: end } }));
    expect(mark.object).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9", annotations: end },
    });
    const status = { kind: "Status", code: 410 };
    for (const asked of [json, as("Table"), as("PartialObjectMetadata")]) {
      expect(events(framer(store, configMaps, asked, query(), () => now).error(status))).toEqual({
        type: "ERROR",
        object: status,
      });
    }
  });
});
