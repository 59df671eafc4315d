import { VirtualClock } from "@telltale/clock";
import { defineKind, Fields, Int32, version } from "@telltale/kinds";
import { beforeEach, describe, expect, it } from "vitest";
import { remembering, Widget, widget } from "../../test/webhook/widget.ts";
import type { JsonObject } from "./json.ts";
import { type Webhooks, webhooks } from "./webhooks.ts";

const Gadget = defineKind({
  group: "example.com",
  version: "v2",
  kind: "Gadget",
  scope: "Cluster",
  spec: Fields({ n: Int32() }),
  versions: [version({ name: "v1", spec: Fields({ m: Int32() }), toHub: (o) => o, fromHub: (o) => o as never })],
});

let hooks: Webhooks;
let log: ReturnType<typeof remembering>;
beforeEach(() => {
  log = remembering();
  hooks = webhooks({ clock: new VirtualClock(), log }).convert(Widget).convert(Gadget);
});

const review = (desiredAPIVersion: string, objects: unknown) =>
  JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "c-1", desiredAPIVersion, objects },
  });

async function ask(body: string): Promise<JsonObject> {
  const { status, body: answer } = await hooks.handle("/convert", body);
  expect([status, answer["apiVersion"], answer["kind"]]).toEqual([200, "apiextensions.k8s.io/v1", "ConversionReview"]);
  return answer["response"] as JsonObject;
}

const v1 = (name: string, spec: object = { bigness: 3 }) =>
  widget(spec, { apiVersion: "example.com/v1", metadata: { name } });
const v2 = (name: string, spec: object = { size: 3 }) => widget(spec, { metadata: { name } });

describe("a conversion", () => {
  it("of a list keeps its order, and mixed versions come out as one", async () => {
    expect(await ask(review("example.com/v2", [v1("a"), v2("b", { size: 4 }), v1("c", { bigness: 5 })]))).toEqual({
      uid: "c-1",
      result: { status: "Success" },
      convertedObjects: [v2("a"), v2("b", { size: 4 }), v2("c", { size: 5 })],
    });
  });

  it("may change labels and annotations, and no other metadata", async () => {
    const metadata = {
      name: "a",
      uid: "u-1",
      resourceVersion: "7",
      generation: 2,
      labels: { mine: "yes" },
      managedFields: [{ manager: "m" }],
    };
    const { convertedObjects } = await ask(review("example.com/v1", [widget({ size: 3 }, { metadata })]));
    expect(convertedObjects).toEqual([
      widget(
        { bigness: 3 },
        {
          apiVersion: "example.com/v1",
          metadata: { ...metadata, labels: { mine: "yes", from: "hub" } },
        },
      ),
    ]);
  });

  it("of several kinds shares a path", async () => {
    const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" }, spec: { m: 1 } };
    const { convertedObjects } = await ask(review("example.com/v2", [v1("a"), gadget]));
    expect(convertedObjects).toEqual([v2("a"), { ...gadget, apiVersion: "example.com/v2" }]);
  });

  it("of nothing is nothing", async () => {
    expect(await ask(review("example.com/v2", []))).toMatchObject({ convertedObjects: [] });
  });

  it("of ten thousand objects is one answer", async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => v1(`w-${i}`));
    const { convertedObjects } = await ask(review("example.com/v2", many));
    expect(convertedObjects).toHaveLength(10_000);
  });
});

describe("a conversion fails as a whole, and says of which object and why:", () => {
  const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" }, spec: { m: 1 } };
  it.for<[string, string, unknown, string]>([
    [
      "the function throws",
      "example.com/v2",
      [v1("a"), v1("b", { bigness: 1, note: "odd" })],
      "Widget web/b: an odd note has no place in v2, password=[redacted]",
    ],
    [
      "a version that is not there",
      "example.com/v3",
      [gadget],
      'Gadget g: Gadget: there is no version "v3"; known are v2, v1',
    ],
    [
      "the version it comes in is not there",
      "example.com/v2",
      [{ ...gadget, apiVersion: "example.com/v0" }],
      'Gadget g: Gadget: there is no version "v0"; known are v2, v1',
    ],
    ["another group", "other.com/v2", [gadget], 'Gadget g: "other.com/v2" is no version of example.com'],
    ["no version", "", [gadget], 'Gadget g: "" is no version of example.com'],
    [
      "another kind",
      "example.com/v2",
      [{ ...gadget, kind: "Thing" }],
      "Thing g: nothing converts Thing of example.com; known are Widget of example.com, Gadget of example.com",
    ],
    ["no metadata", "example.com/v2", [{ ...gadget, metadata: undefined }], "Gadget 0: it is no object with metadata"],
    ["no object", "example.com/v2", [null], "object 0: it is no object with metadata"],
    ["no list", "example.com/v2", undefined, "request.objects is missing in the review"],
  ])("%s", async ([, to, objects, message]) => {
    expect(await ask(review(to, objects))).toEqual({ uid: "c-1", result: { status: "Failure", message } });
    expect(JSON.stringify(log.lines)).not.toContain("hunter2");
  });

  it("a review that is none", async () => {
    expect(await ask("{}")).toMatchObject({ uid: "", result: { status: "Failure" } });
    expect(await ask("[")).toMatchObject({ result: { message: expect.stringContaining("the body is no JSON") } });
  });
});
