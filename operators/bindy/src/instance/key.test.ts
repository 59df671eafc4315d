// 8.4: when a key is made, kept, marked and replaced.
import { formatTime, instant, plus } from "@telltale/kinds";
import type { Secret } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { encoded, isComplete, type KeyChoice, keyData, keyFile } from "../build/index.ts";
import { annotations } from "../names.ts";
import { type KeyPlan, nextRotation, planKey } from "./key.ts";

const born = instant(Date.UTC(2025, 0, 1));
const hour = 3_600_000;
const key = { name: "bindy-operator", algorithm: "hmac-sha256", secret: "c2VjcmV0c2VjcmV0" };

const secret = (
  fields: Readonly<Record<string, string>> = keyData(key),
  notes: Record<string, string> = {},
): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "x-rndc-key", resourceVersion: "7", creationTimestamp: formatTime(born), annotations: notes },
  data: encoded(fields),
});
const aged = (rotateAfter: number, count = "0") =>
  secret(keyData(key), {
    [annotations.rndcCreatedAt]: formatTime(born),
    [annotations.rndcRotateAt]: formatTime(plus(born, rotateAfter)),
    [annotations.rndcRotationCount]: count,
  });

const generated = (more: object = {}): KeyChoice => ({
  is: "generated",
  secret: "x-rndc-key",
  algorithm: "hmac-sha256",
  ...more,
});
const planned = (choice: KeyChoice, held: Secret | undefined, now = born, rotatedAt?: string): KeyPlan =>
  planKey("x", choice, { secret: held, copy: undefined, rotatedAt }, now);

describe("8.4 a key that is made here", () => {
  test("none is there: it is made", () => {
    expect(planned(generated(), undefined)).toMatchObject({
      is: "make",
      secret: { name: "x-rndc-key", keyName: "bindy-operator", algorithm: "hmac-sha256" },
    });
  });

  test("A-90 one that is made again within the same second has another time", () => {
    const plan = planned(generated(), undefined, born, formatTime(born));
    expect(plan.is === "make" && plan.used.rotatedAt).toBe("2025-01-01T00:00:01Z");
  });

  test("it is there: it is kept", () => {
    expect(planned(generated(), secret()).is).toBe("keep");
  });

  test("malformed comes first, then another algorithm", () => {
    const broken = secret({ "key-name": "k" });
    const other = generated({ algorithm: "hmac-sha512" });
    expect(planned(other, broken)).toMatchObject({ is: "renew", why: "malformed" });
    expect(planned(other, secret())).toMatchObject({ is: "renew", why: "other algorithm" });
  });

  test("rotation that is switched on later marks the key and does not change it", () => {
    expect(planned(generated({ rotateAfter: 24 * hour }), secret())).toMatchObject({
      is: "mark",
      marks: { [annotations.rndcRotateAt]: "2025-01-02T00:00:00Z", [annotations.rndcRotationCount]: "0" },
    });
  });

  test("it is replaced when it is due, and not before", () => {
    const choice = generated({ rotateAfter: 24 * hour });
    expect(planned(choice, aged(24 * hour), plus(born, 24 * hour - 1)).is).toBe("keep");
    const due = planned(choice, aged(24 * hour, "4"), plus(born, 24 * hour));
    expect(due).toMatchObject({ is: "renew", why: "due" });
    expect(due.is === "renew" && due.secret.annotations[annotations.rndcRotationCount]).toBe("5");
    expect(nextRotation(choice, aged(24 * hour))).toBe(plus(born, 24 * hour));
  });

  test("no key lives for less than an hour", () => {
    const choice = generated({ rotateAfter: hour });
    expect(planned(choice, aged(1000), plus(born, 5000)).is).toBe("keep");
    expect(nextRotation(choice, aged(1000))).toBe(plus(born, hour));
  });
});

describe("8.4 a key that is somebody else's", () => {
  const choice: KeyChoice = { is: "referenced", ref: { name: "theirs" }, path: "spec.rndcSecretRef" };

  test("L-26 it is used under its own name, and another version of it makes other pods", () => {
    const theirs = secret(keyData({ ...key, name: "their-key" }));
    expect(planned(choice, theirs)).toMatchObject({
      is: "keep",
      used: { secret: "theirs", name: "their-key", version: "7" },
    });
  });

  test("one that is missing or unreadable is a wrong configuration", () => {
    expect(planned(choice, undefined)).toEqual({
      is: "invalid",
      problem: { path: "spec.rndcSecretRef", problem: "Secret theirs not found" },
    });
    expect(planned(choice, secret({ x: "y" })).is).toBe("invalid");
  });

  test("one without the file that named reads is copied into one with it", () => {
    const bare = secret({ "key-name": "k", secret: key.secret });
    expect(planned(choice, bare)).toMatchObject({ is: "make", secret: { name: "x-rndc-key", keyName: "k" } });
    const copy = secret(keyData({ ...key, name: "k" }));
    expect(planKey("x", choice, { secret: bare, copy, rotatedAt: undefined }, born).is).toBe("keep");
  });
});

test("L-27 a Secret in the spec is made with what it gives, and the rest of the key", () => {
  const choice: KeyChoice = {
    is: "inline",
    algorithm: "hmac-sha256",
    secret: { metadata: { name: "mine" }, stringData: { "key-name": "k" } },
  };
  expect(planned(choice, undefined)).toMatchObject({
    is: "make",
    secret: { name: "mine", fields: { "key-name": "k" } },
  });
  expect(planned(choice, secret(keyData({ ...key, name: "k" }))).is).toBe("keep");
  expect(planned(choice, secret(keyData(key)))).toMatchObject({ is: "renew", why: "other data" });
});

describe("12.5 what named includes as it is", () => {
  const body = `algorithm hmac-sha256; secret "${key.secret}";`;
  const files = {
    "a second statement": `key "k" { ${body} }; include "/etc/passwd";`,
    "another clause": `key "k" { ${body} include "/etc/passwd"; };`,
    "a comment": `key "k" { ${body} }; // };`,
    "no end": `key "k" { ${body} }`,
  };

  test.each(Object.entries(files))("a file with %s is no key", (_what, file) => {
    expect(keyFile(secret({ ...keyData(key), "rndc.key": file }))).toBeUndefined();
    const choice: KeyChoice = { is: "referenced", ref: { name: "theirs" }, path: "spec.rndcSecretRef" };
    expect(planned(choice, secret({ ...keyData(key), "rndc.key": file }))).toMatchObject({
      is: "make",
      secret: { name: "x-rndc-key" },
    });
  });

  test("a file with another key than that of the fields is not used", () => {
    const { "rndc.key": file = "" } = keyData({ ...key, name: "another" });
    expect(isComplete(secret({ ...keyData(key), "rndc.key": file }))).toBe(false);
  });

  test("a file in the spec is written anew, and what is no key is refused", () => {
    const choice = (stringData: Record<string, string>): KeyChoice => ({
      is: "inline",
      algorithm: "hmac-sha256",
      secret: { metadata: { name: "mine" }, stringData },
    });
    const { "rndc.key": file = "" } = keyData({ ...key, name: "given" });
    expect(planned(choice({ "rndc.key": file }), undefined)).toMatchObject({
      is: "make",
      secret: { keyName: "given", fields: { secret: key.secret } },
    });
    const hostile = planned(choice({ "rndc.key": `${file} include "/etc/passwd";` }), undefined);
    expect(hostile.is === "make" && hostile.secret.fields).toEqual({});
    expect(planned(choice({ "key-name": 'k"; };' }), undefined)).toMatchObject({
      is: "invalid",
      problem: { path: "spec.rndcKey.secret" },
    });
  });
});
