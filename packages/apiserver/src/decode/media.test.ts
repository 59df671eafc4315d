import { describe, expect, test } from "vitest";
import { StatusError } from "../status.ts";
import { checkConversion, isPretty, type NegotiateOptions, negotiate, negotiateStatus } from "./media.ts";

const list: NegotiateOptions = { builtin: true, list: true, watch: false, discovery: false, protobuf: true };
const custom: NegotiateOptions = { ...list, builtin: false };
const api: NegotiateOptions = { ...list, list: false, discovery: "aggregated" };

function outcome(accept: string | undefined, options: NegotiateOptions): string {
  try {
    const { mediaType, conversion } = negotiate(accept, options);
    return conversion === undefined ? mediaType : `${mediaType} as ${conversion.as} ${conversion.version}`;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const only = `406 only the following media types are accepted: ${types}`;
const available = `406 406: Not Acceptable\n\nAvailable representations: ${types}`;
const streams = ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

describe("Accept", () => {
  test.each([
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/*", available + streams],
    ["text/html", available + streams],
    ["text/html,application/json;q=0.5", "application/json"],
    ["application/json;q=0.1,application/yaml;q=0.9", "application/yaml"],
    ["*/*;q=0.1,application/yaml", "application/yaml"],
    ["application/json;q=0", "application/json"],
    ["application/json;unknown=1", "application/json"],
    ["application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf"],
    ["application/json ; as=Table;g=meta.k8s.io ; v=v1", "application/json as Table v1"],
    ["application/json;as=Table", only],
    ["application/json;as=Bogus;g=meta.k8s.io;v=v1", only],
    ["application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "application/json"],
    ["application/yaml;as=Table;g=meta.k8s.io;v=v1", "application/yaml as Table v1"],
    ["application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1", only],
    ["application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io", only],
  ])("D18, D19, R48, R49 a list of built-ins asked as %s", (accept, wanted) =>
    expect(outcome(accept, list)).toBe(wanted),
  );

  test.each([
    ["text/html", only],
    ["application/*", "application/json"],
    ["application/vnd.kubernetes.protobuf", only],
    ["application/vnd.kubernetes.protobuf,application/json", "application/json"],
    [
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      "application/vnd.kubernetes.protobuf as PartialObjectMetadataList v1",
    ],
  ])("D18, R49 custom resources asked as %s", (accept, wanted) => expect(outcome(accept, custom)).toBe(wanted));

  test("D07 discovery: aggregated only in v2, never as a Table", () => {
    expect(outcome("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", api)).toBe(
      "application/json as APIGroupDiscoveryList v2",
    );
    expect(outcome("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", api)).toBe(only);
    expect(outcome("application/json;as=Table;v=v1;g=meta.k8s.io", { ...api, discovery: "plain" })).toBe(only);
    expect(outcome("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,*/*", api)).toBe("application/json");
    expect(outcome("text/html", api)).toBe(available);
  });

  test("without protobuf the next clause counts", () => {
    expect(outcome("application/vnd.kubernetes.protobuf,application/json", { ...list, protobuf: false })).toBe(
      "application/json",
    );
    expect(outcome("application/vnd.kubernetes.protobuf", { ...list, protobuf: false })).toBe(only);
    expect(negotiateStatus("application/vnd.kubernetes.protobuf,application/yaml", false)).toBe("application/yaml");
    expect(negotiateStatus("text/html", true)).toBe("application/json");
  });

  test("R48 metadata of one object is not that of a list", () => {
    expect(() => checkConversion({ as: "PartialObjectMetadata", version: "v1" }, true, "*core.ConfigMapList")).toThrow(
      "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
    );
    expect(() => checkConversion({ as: "PartialObjectMetadataList", version: "v1" }, false, "*core.ConfigMap")).toThrow(
      "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
    );
    expect(() => checkConversion({ as: "PartialObjectMetadata", version: "v1" }, false, "")).not.toThrow();
  });
});

test("JSON is indented for who asks and for browsers", () => {
  expect(isPretty(new URLSearchParams("pretty=true"), undefined)).toBe(true);
  expect(isPretty(new URLSearchParams("pretty=0"), "curl/8")).toBe(false);
  expect(isPretty(new URLSearchParams(), "curl/8")).toBe(true);
  expect(isPretty(new URLSearchParams(), "kubectl/v1.36")).toBe(false);
});
