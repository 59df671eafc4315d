import { Secret } from "@telltale/status";
import { describe, expect, it } from "vitest";
import { safeFields } from "./log-fields.ts";

const safe = (fields: Record<string, unknown>) => safeFields(fields, new Set(["msg"]));
const only = (value: unknown) => safe({ value })["value"];

it("plain values stay as they are", () => {
  const fields = { name: "web", count: 3, ok: true, none: null };
  expect(safe(fields)).toEqual(fields);
  expect(safe({ big: 2n ** 70n, call: () => 1 })).toEqual({ big: "1180591620717411303424", call: undefined });
});

it("a field with a name of the line's own does not replace it", () => {
  expect(safe({ msg: "x" })).toEqual({ msg_: "x" });
});

describe("secrets", () => {
  it.each<[string, Record<string, unknown>]>([
    ["a Secret", { value: new Secret("hunter2") }],
    ["a text with a password", { value: "login failed: password=hunter2" }],
    ["a text with a bearer token", { value: "Authorization: Bearer hunter2" }],
    ["a field of that name", { password: "hunter2" }],
    ["a field of such a name", { clientSecret: "hunter2" }],
    ["a nested field", { value: { auth: { apiKey: "hunter2" } } }],
    ["a list", { value: ["--token hunter2"] }],
    ["an error", { err: new Error("token: hunter2") }],
    ["an error's cause", { err: new Error("no", { cause: new Error("token: hunter2") }) }],
    ["a Kubernetes object", { value: { kind: "Secret", metadata: { name: "web" }, data: { a: "hunter2" } } }],
  ])("%s is not shown", (_what, fields) => {
    const text = JSON.stringify(safe(fields));
    expect(text).not.toContain("hunter2");
    expect(text.length).toBeGreaterThan(10);
  });

  it("the name of a Secret is none", () => {
    expect(safe({ secret: "web-tls" })).toEqual({ secret: "web-tls" });
  });
});

describe("errors", () => {
  it("say what they are, their code, and where they came from", () => {
    const error = Object.assign(new TypeError("no such file"), { code: "ENOENT" });
    const value = only(error) as { stack: string[] };
    expect(value).toMatchObject({ type: "TypeError", message: "no such file", code: "ENOENT" });
    expect(value.stack[0]).toMatch(/^at .*log-fields\.test\.ts:\d+:\d+\)?$/);
  });

  it("a message that looks like a stack is not taken for one", () => {
    const value = only(new Error("boom\n    at hunter2 (secret:1:1)")) as { stack: string[] };
    expect(value.stack.join()).not.toContain("hunter2");
  });

  it("a stack that is missing or strange does no harm", () => {
    const none = Object.assign(new Error("x"), { stack: undefined });
    expect(only(none)).toMatchObject({ message: "x", stack: [] });
  });
});

describe("size", () => {
  it("an object of Kubernetes is named, not shown", () => {
    const pod = { kind: "Pod", metadata: { name: "p", namespace: "n", uid: "u" }, spec: { containers: [] } };
    expect(only(pod)).toEqual({ kind: "Pod", namespace: "n", name: "p", uid: "u" });
  });

  it("texts, lists, objects and depths have an end", () => {
    expect(only("x y ".repeat(10_000))).toHaveLength(4_096);
    expect(only(Array.from({ length: 40 }, (_, i) => i))).toHaveLength(33);
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i]));
    expect(only(wide)).toMatchObject({ k31: 31, "…": "8 more" });
    const round: { self?: unknown } = {};
    round.self = round;
    expect(only(round)).toEqual({ self: { self: { self: "[object]" } } });
  });
});
