import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import {
  checkConversionResponse,
  conversionCallFailed,
  conversionRequest,
  conversionReview,
  convertNone,
} from "./convert.ts";

const widget = (version: string, meta: JsonObject = {}): JsonObject => ({
  apiVersion: `g.io/${version}`,
  kind: "Widget",
  metadata: { name: "a", namespace: "n", uid: "u", labels: { l: "1" }, ...meta },
});
const request = conversionRequest([widget("v1")], "g.io/v2", "call");
const answer = (convertedObjects: JsonObject[], more: JsonObject = {}): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  response: { uid: "call", result: { status: "Success" }, convertedObjects, ...more },
});
const failed = (response: JsonObject) => {
  try {
    checkConversionResponse(request, response);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};
const head = "conversion webhook for g.io/v1, Kind=Widget";

describe("V34b what a webhook may not answer", () => {
  test.each<[string, JsonObject, string]>([
    [
      "failure",
      answer([], { result: { status: "Failure", message: "cannot convert this" } }),
      `${head} failed: cannot convert this`,
    ],
    [
      "another name",
      answer([widget("v2", { name: "a-x" })]),
      `${head} returned invalid object: must have the same name: a != a-x`,
    ],
    ["nothing", answer([]), `${head} returned 0 objects, expected 1`],
    [
      "the same version",
      answer([widget("v1")]),
      `${head} returned invalid object at index 0: invalid groupVersion (expected g.io/v2, received g.io/v1)`,
    ],
    [
      "another call",
      answer([widget("v2")], { uid: "other" }),
      `${head} failed: expected response.uid="call", got "other"`,
    ],
    [
      "no review",
      {},
      `${head} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    ],
  ])("%s", (_, response, message) => {
    expect(failed(response)).toBe(message);
  });

  test("a call that fails is told the same way", () => {
    const error = conversionCallFailed(
      request,
      'an error on the server ("unknown") has prevented the request from succeeding',
    );
    expect(error.body()).toMatchObject({
      code: 500,
      message: `${head} failed: an error on the server ("unknown") has prevented the request from succeeding`,
    });
    expect(error.body()).not.toHaveProperty("reason");
  });
});

test("V34b labels and annotations may change, other metadata is restored", () => {
  const [converted] = checkConversionResponse(
    request,
    answer([widget("v2", { labels: { l: "1", converted: "v2" }, generation: 99, finalizers: ["x"] })]),
  );
  expect(converted?.["metadata"]).toEqual({ name: "a", namespace: "n", uid: "u", labels: { l: "1", converted: "v2" } });
});

test("only objects of another version are asked about", () => {
  const mixed = conversionRequest([widget("v2"), widget("v1")], "g.io/v2", "call");
  expect(conversionReview(mixed)).toEqual({
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: { uid: "call", desiredAPIVersion: "g.io/v2", objects: [widget("v1")] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
});

test("V33 strategy None changes the apiVersion and nothing else", () => {
  expect(convertNone(widget("v1"), "g.io/v2")).toEqual(widget("v2"));
});
