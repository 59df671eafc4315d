import { describe, expect, test } from "vitest";
import { encodeProtobuf } from "../../test/protobuf-encode.ts";
import type { JsonObject } from "../json.ts";
import { decodeBody } from "./body.ts";
import { normalize } from "./normalize.ts";
import { decodeProtobuf } from "./protobuf.ts";

const there = (object: JsonObject) => {
  const bytes = encodeProtobuf(object);
  if (bytes === undefined) throw new Error("unknown kind");
  return decodeProtobuf(bytes);
};

describe("an object survives the way there and back", () => {
  test.each<[string, JsonObject]>([
    [
      "Pod",
      {
        kind: "Pod",
        apiVersion: "v1",
        metadata: {
          name: "a",
          labels: { a: "b" },
          creationTimestamp: "2020-01-01T00:00:00Z",
          generation: 9007199254740993n,
        },
        spec: {
          containers: [
            {
              name: "c",
              resources: { limits: { cpu: "100m" } },
              livenessProbe: { httpGet: { port: "web" }, timeoutSeconds: 1 },
              readinessProbe: { tcpSocket: { port: 80 } },
            },
          ],
          volumes: [{ name: "v", configMap: { name: "cm", optional: false } }],
          terminationGracePeriodSeconds: 0,
          priority: -5,
        },
        status: {},
      },
    ],
    ["Secret", { kind: "Secret", apiVersion: "v1", metadata: {}, data: { a: "eA==", b: "" }, type: "Opaque" }],
    [
      "Lease",
      {
        kind: "Lease",
        apiVersion: "coordination.k8s.io/v1",
        metadata: {},
        spec: { renewTime: "2020-01-01T00:00:00.123456Z" },
      },
    ],
    [
      "CustomResourceDefinition",
      {
        kind: "CustomResourceDefinition",
        apiVersion: "apiextensions.k8s.io/v1",
        metadata: {},
        spec: {
          group: "g.io",
          names: { plural: "ws", kind: "W" },
          scope: "Cluster",
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  maximum: 1.5,
                  default: { a: [1] },
                  enum: ["x", 1],
                  items: { type: "string" },
                  additionalProperties: true,
                  dependencies: { a: ["b"] },
                },
              },
            },
          ],
        },
        status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null },
      },
    ],
    [
      "SubjectAccessReview",
      {
        kind: "SubjectAccessReview",
        apiVersion: "authorization.k8s.io/v1",
        metadata: {},
        spec: { user: "u", extra: { k: ["a", "b"] } },
        status: { allowed: false },
      },
    ],
  ])("%s", (kind, object) => {
    const names: Record<string, string> = {
      Pod: "core.Pod",
      Secret: "core.Secret",
      Lease: "coordination.Lease",
      CustomResourceDefinition: "apiextensions.CustomResourceDefinition",
      SubjectAccessReview: "authorization.SubjectAccessReview",
    };
    expect(normalize(there(object) ?? {}, names[kind] ?? "")).toEqual(object);
  });
});

describe("bodies", () => {
  const post = (bytes: number[] | Uint8Array) =>
    decodeBody({
      contentType: "application/vnd.kubernetes.protobuf",
      bytes: Uint8Array.from(bytes),
      expect: { group: "", version: "v1", kind: "ConfigMap", builtin: true },
      fieldValidation: "Strict",
    });
  const head = [0x6b, 0x38, 0x73, 0];
  const failed = "the object provided is unrecognized (must be of type ConfigMap):";

  test("what is no envelope", async () => {
    await expect(post([])).rejects.toThrow(`${failed} empty data (<empty>)`);
    await expect(post(head)).rejects.toThrow(`${failed} empty body (6b387300)`);
    await expect(post([0x61])).rejects.toThrow(
      `${failed} provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (61)`,
    );
    await expect(post([...head, 0x0a, 0x7f])).rejects.toThrow(`${failed} unexpected EOF (6b3873000a7f)`);
  });

  test("the kind of the envelope counts, and a broken message in it is told so", async () => {
    const of = (kind: string, raw: number[]) => {
      const name = [...Buffer.from(kind)];
      return [
        ...head,
        0x0a,
        name.length + 6,
        0x0a,
        2,
        0x76,
        0x31,
        0x12,
        name.length,
        ...name,
        0x12,
        raw.length,
        ...raw,
      ];
    };
    await expect(post(of("Secret", []))).rejects.toThrow(
      "converting (v1.Secret) to (core.ConfigMap): unknown conversion",
    );
    await expect(post(of("ConfigMap", [0x0a, 9, 1]))).rejects.toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    );
    const bytes =
      encodeProtobuf({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v" } }) ?? [];
    expect((await post(bytes)).object).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a" },
      data: { k: "v" },
    });
  });
});
