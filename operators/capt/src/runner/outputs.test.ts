import { describe, expect, it } from "vitest";
import { connectionData, parseOutputs, shownOutputs } from "./outputs.ts";

const told = {
  vpc_id: { value: "vpc-1", type: "string", sensitive: false, unknown: 1 },
  azs: { value: ["b", "a"], sensitive: false },
  nothing: { value: null, sensitive: false },
  password: { value: "x", sensitive: true },
};
const outputs = parseOutputs(JSON.stringify(told)) ?? {};
const decoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([name, it]) => [name, Buffer.from(it, "base64").toString()]));

describe("12.6 outputs", () => {
  it("are read with their sensitivity, and one without a value is none", () => {
    expect(outputs).toEqual({
      azs: { value: ["b", "a"], isSensitive: false },
      password: { value: "x", isSensitive: true },
      vpc_id: { value: "vpc-1", isSensitive: false },
    });
  });

  it.each(["", "[]", "null", "{", "no JSON"])("are not to be found in %j", (text) => {
    expect(parseOutputs(text)).toBeUndefined();
  });

  it("all go into the Secret: strings as they are, everything else as compact JSON with sorted keys", () => {
    const more = {
      ...outputs,
      map: { value: { b: [1, true], a: null }, isSensitive: false },
      n: { value: 5, isSensitive: false },
    };
    expect(decoded(connectionData(more))).toEqual({
      azs: '["b","a"]',
      map: '{"a":null,"b":[1,true]}',
      n: "5",
      password: "x",
      vpc_id: "vpc-1",
    });
  });

  it("13.3 are shown only where nobody marked them and no name tells of a secret", () => {
    const names = [
      "db_password",
      "PASSWD",
      "my_secret",
      "token",
      "credentials",
      "private_ip",
      "kubeconfig",
      "ca_certificate",
      "key",
      "ssh_key",
      "key_id",
      "keyboard",
      "monkey",
      "vpc_id",
    ];
    const all = Object.fromEntries(names.map((name) => [name, { value: name, isSensitive: false }]));
    expect(Object.keys(shownOutputs(all))).toEqual(["keyboard", "monkey", "vpc_id"]);
    expect(shownOutputs(outputs)).toEqual({ azs: ["b", "a"], vpc_id: "vpc-1" });
  });

  it("13.3 are shown in bounds: 64 names, 4096 characters, else a hash", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`o${i}`, { value: i, isSensitive: false }]));
    expect(Object.keys(shownOutputs(many))).toHaveLength(64);
    const long = {
      a: { value: "x".repeat(4097), isSensitive: false },
      b: { value: "x".repeat(4096), isSensitive: false },
    };
    expect(shownOutputs(long)).toEqual({ a: expect.stringMatching(/^sha256:[0-9a-f]{16}$/), b: "x".repeat(4096) });
  });
});
