import { describe, expect, it } from "vitest";
import { typeTable } from "./type-table.ts";
import { type Field, type FieldType, type Message, message, messages, parseTypeTable } from "./type-table-parser.ts";

function field(of: string, name: string): Field {
  const found = message(of)?.fields.find((f) => f.name === name);
  if (found === undefined) throw new Error(`${of} has no field ${name}`);
  return found;
}

/** The message at the bottom of a type, if there is one. */
function inner(type: FieldType): string | undefined {
  if (type.of === "message") return type.message;
  if (type.of === "list") return inner(type.item);
  return type.of === "map" ? inner(type.value) : undefined;
}

/** A field in the notation of the table again. */
function print(f: Field): string {
  const letters = { string: "s", int32: "i", int64: "l", bool: "b", bytes: "y", double: "d", uint32: "u", uint64: "U" };
  const type = (t: FieldType): string => {
    if (t.of === "scalar") return letters[t.scalar];
    if (t.of === "message") return `@${t.message}`;
    return t.of === "list" ? `[${type(t.item)}]` : `{${type(t.value)}}`;
  };
  const presence = f.pointer ? "*" : f.always ? "!" : f.wireOnly ? "?" : "";
  const patch =
    (f.mergeKey === undefined ? "" : `~${f.mergeKey}`) + (f.mergeList ? "~" : "") + (f.retainKeys ? "~R" : "");
  const keys = f.listMapKeys === undefined ? "" : `^(${f.listMapKeys})`;
  const apply = f.set ? "^s" : f.atomic && f.type.of !== "list" ? "^a" : keys;
  const standard = f.default === undefined ? "" : `=${JSON.stringify(f.default)}`;
  return `${f.number}${f.inline ? "+" : ""}${f.name}:${type(f.type)}${presence}${patch}${apply}${standard}`;
}
const printMessage = (m: Message) => [`${m.name}${m.atomic ? "^a" : ""}`, ...m.fields.map(print)].join(" ");

describe("the type table", () => {
  const lines = typeTable.split("\n").filter((line) => line !== "");

  it("reads without loss: printed again, every line is the same", () => {
    expect([...messages().values()].map(printMessage)).toEqual(lines.map((line) => line.trim()));
  });

  it("has every message that a field names", () => {
    const named = [...messages().values()].flatMap((m) => m.fields.map((f) => inner(f.type)));
    expect(named.filter((name) => name !== undefined && !messages().has(name))).toEqual([]);
  });

  it("has every key by which the items of a list are told apart", () => {
    const lost: string[] = [];
    for (const m of messages().values()) {
      for (const f of m.fields) {
        const item = message(inner(f.type) ?? "");
        const names = item?.fields.flatMap((own) =>
          own.inline ? (message(inner(own.type) ?? "")?.fields ?? []) : [own],
        );
        for (const key of [...(f.listMapKeys ?? []), ...(f.mergeKey === undefined ? [] : [f.mergeKey])]) {
          if (!names?.some((own) => own.name === key)) lost.push(`${m.name}.${f.name} ${key}`);
        }
      }
    }
    expect(lost).toEqual([]);
  });

  it("is read once", () => {
    expect(messages()).toBe(messages());
  });
});

describe("a field of the type table", () => {
  it("has a number, a name, a type and a presence", () => {
    expect(field("core.ContainerPort", "containerPort")).toEqual({
      number: 3,
      name: "containerPort",
      type: { of: "scalar", scalar: "int32" },
      pointer: false,
      always: true,
      inline: false,
      wireOnly: false,
    });
    expect(field("core.GRPCAction", "service")).toMatchObject({ pointer: true, always: false });
  });

  it("may be a list-map with a merge key and retained keys", () => {
    expect(field("core.PodSpec", "volumes")).toMatchObject({
      mergeKey: "name",
      retainKeys: true,
      listMapKeys: ["name"],
    });
    expect(field("core.Container", "ports")).toMatchObject({
      type: { of: "list", item: { of: "message", message: "core.ContainerPort" } },
      mergeKey: "containerPort",
      listMapKeys: ["containerPort", "protocol"],
    });
  });

  it("may be a set that a patch adds to", () => {
    const finalizers = field("meta.ObjectMeta", "finalizers");
    expect(finalizers).toMatchObject({ mergeList: true, set: true });
    expect(finalizers.mergeKey).toBeUndefined();
  });

  it("is atomic as a list without a rule, and as a map that says so", () => {
    expect(field("core.Container", "args").atomic).toBe(true);
    expect(field("core.PodSpec", "nodeSelector")).toMatchObject({ type: { of: "map" }, atomic: true });
    expect(field("core.ConfigMap", "data").atomic).toBeUndefined();
    expect(field("core.PodSpec", "containers").atomic).toBeUndefined();
  });

  it("may retain keys without being a list", () => {
    expect(field("apps.DeploymentSpec", "strategy")).toMatchObject({ retainKeys: true });
    expect(field("apps.DeploymentSpec", "strategy").mergeKey).toBeUndefined();
  });

  it("may stand in its parent, or be the parent's bytes, or be there for protobuf only", () => {
    expect(field("core.Volume", "volumeSource").inline).toBe(true);
    expect(field("runtime.RawExtension", "-").type).toEqual({ of: "scalar", scalar: "bytes" });
    expect(field("meta.Time", "seconds")).toMatchObject({ wireOnly: true, always: false, pointer: false });
  });

  it("may have a default, of its own type", () => {
    expect(field("core.ServicePort", "protocol").default).toBe("TCP");
    expect(field("core.ReplicationControllerSpec", "replicas")).toMatchObject({ default: 1, pointer: true });
  });
});

describe("a message of the type table", () => {
  it("may be atomic wherever it stands", () => {
    expect(message("meta.LabelSelector")?.atomic).toBe(true);
    expect(message("core.Pod")?.atomic).toBe(false);
  });

  it("may have no fields", () => {
    expect(message("apiextensions.CustomResourceSubresourceStatus")?.fields).toEqual([]);
  });

  it("does not exist under any other name", () => {
    expect(message("core.Nothing")).toBeUndefined();
  });
});

describe("a line that is wrong is refused with its number", () => {
  it.each([
    ["core.A 1a:s\ncore.A 1a:s", /line 2.*there twice/],
    ["core.A 1a:s 1b:s", /field number twice/],
    ["core.A 1a:s 2a:s", /field name twice/],
    ["a 1a:s", /no name of a message/],
    ["core.A a:s", /no field/],
    ["core.A 1a:q", /unknown type q/],
    ["core.A 1a:[s", /unknown type/],
    ["core.A 1a:s!*", /no field/],
    ["core.A 1a:[s]^x", /no field/],
    ["core.A 1a:[@core.A]~a~b", /several merge keys/],
    ["core.A 1a:s^s", /no list/],
    ["core.A 1a:@core.A~name", /no list/],
    ["core.A 1a:[s]^(a)", /list-map of scalars/],
    ["core.A 1a:s^a", /atomic anyway/],
    ["core.A 1+a:s", /inline but no message/],
    ["core.A 1-:s", /no bytes/],
    ['core.A 1a:i="1"', /default/],
    ["core.A 1a:s=x", /default/],
  ])("%j", (text, problem) => {
    expect(() => parseTypeTable(text)).toThrow(problem);
  });
});
