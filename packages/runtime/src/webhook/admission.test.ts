import { seededRandom, VirtualClock } from "@telltale/clock";
import { ConfigMap } from "@telltale/kinds/builtin";
import { beforeEach, describe, expect, it } from "vitest";
import { admissionReview, remembering, Widget, widget } from "../../test/webhook/widget.ts";
import type { Sample } from "../samples.ts";
import type { Denial, Verdict } from "./hooks.ts";
import type { Change, JsonObject } from "./json.ts";
import type { AdmissionRequest, Operation } from "./request.ts";
import { type Webhooks, webhooks } from "./webhooks.ts";

const path = "/validate-example-com-v2-widget";
let log: ReturnType<typeof remembering>;
let samples: Sample[];
let clock: VirtualClock;
let hooks: Webhooks;
beforeEach(() => {
  log = remembering();
  samples = [];
  clock = new VirtualClock();
  hooks = webhooks({ clock, log, sink: (sample) => samples.push(sample) });
});

async function ask(body: string, at = path): Promise<JsonObject> {
  const { status, body: answer } = await hooks.handle(at, body);
  expect([status, answer["apiVersion"], answer["kind"]]).toEqual([200, "admission.k8s.io/v1", "AdmissionReview"]);
  return answer["response"] as JsonObject;
}
const patchOf = (response: JsonObject): Change[] =>
  JSON.parse(Buffer.from(String(response["patch"]), "base64").toString("utf8")) as Change[];

describe("a validating handler", () => {
  it("allows by saying nothing", async () => {
    hooks.validate(Widget, () => undefined);
    expect(await ask(admissionReview({ object: widget({ size: 1 }) }))).toEqual({ uid: "r-1", allowed: true });
  });

  it("sees the typed object, who asks, and whether it is a dry run", async () => {
    const seen: AdmissionRequest<object, Operation>[] = [];
    hooks.validate(Widget, (request) => {
      const size: number = request.object.spec.size;
      seen.push(request);
      return size < 5 ? {} : { denied: "too large" };
    });
    const user = { username: "u", uid: "1", groups: ["a", "b"], extra: { scopes: ["x"] } };
    const object = widget({ size: 9 });
    const response = await ask(
      admissionReview({ operation: "UPDATE", object, oldObject: widget({ size: 1 }), userInfo: user, dryRun: true }),
    );
    expect(response).toEqual({
      uid: "r-1",
      allowed: false,
      status: { status: "Failure", message: "too large", reason: "Invalid", code: 422 },
    });
    expect(seen).toEqual([
      {
        uid: "r-1",
        name: "w",
        namespace: "web",
        subresource: "",
        user,
        dryRun: true,
        operation: "UPDATE",
        object,
        oldObject: widget({ size: 1 }),
      },
    ]);
  });

  it.for<[string, Denial, JsonObject]>([
    [
      "field by field",
      [
        { field: "spec.size", message: "too large" },
        { field: "metadata.name", message: "too long" },
      ],
      {
        status: "Failure",
        message: "spec.size: too large; metadata.name: too long",
        reason: "Invalid",
        code: 422,
        details: {
          name: "w",
          group: "example.com",
          kind: "Widget",
          causes: [
            { reason: "FieldValueInvalid", field: "spec.size", message: "too large" },
            { reason: "FieldValueInvalid", field: "metadata.name", message: "too long" },
          ],
        },
      },
    ],
    [
      "with a code and a reason of its own",
      { message: "not you", code: 403, reason: "Forbidden" },
      { status: "Failure", message: "not you", reason: "Forbidden", code: 403 },
    ],
    ["with a code alone", { message: "later", code: 429 }, { status: "Failure", message: "later", code: 429 }],
  ])("denies %s", async ([, denied, status]) => {
    hooks.validate(Widget, () => ({ denied }));
    expect((await ask(admissionReview({ object: widget({ size: 1 }) })))["status"]).toEqual(status);
  });

  it("denies nothing by an empty list", async () => {
    hooks.validate(Widget, () => ({ denied: [] }));
    expect((await ask(admissionReview({ object: widget({ size: 1 }) })))["allowed"]).toBe(true);
  });

  it.for<[boolean, Verdict]>([
    [true, {}],
    [false, { denied: "no" }],
  ])("warns when allowed is %s, in one line each", async ([allowed, verdict]) => {
    hooks.validate(Widget, () => ({ ...verdict, warnings: ["careful\nwith  that", "and this"] }));
    const response = await ask(admissionReview({ object: widget({ size: 1 }) }));
    expect([response["allowed"], response["warnings"]]).toEqual([allowed, ["careful with that", "and this"]]);
  });

  it("sees an object of another version in its own", async () => {
    hooks.validate(Widget, ({ object }) => ({ denied: `size is ${object.spec.size}` }));
    const old = widget({ bigness: 7 }, { apiVersion: "example.com/v1" });
    expect((await ask(admissionReview({ object: old })))["status"]).toMatchObject({ message: "size is 7" });
  });

  it("is asked about a deletion where it says so", async () => {
    hooks.validate(Widget, ({ oldObject }) => ({ denied: `${oldObject.metadata.name} stays` }), {
      operations: ["DELETE"],
    });
    const response = await ask(admissionReview({ operation: "DELETE", oldObject: widget({ size: 1 }) }));
    expect(response["status"]).toMatchObject({ message: "w stays" });
  });

  it("works for built-in kinds", async () => {
    hooks.validate(ConfigMap, ({ object }) => (object.data?.["a"] === "1" ? undefined : { denied: "a must be 1" }));
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "2" } };
    const response = await ask(admissionReview({ object }), "/validate--v1-configmap");
    expect(response["status"]).toMatchObject({ message: "a must be 1" });
  });
});

describe("a mutating handler", () => {
  const mutating = "/mutate-example-com-v2-widget";

  it("gives back the object as it should be, and the patch is made of it", async () => {
    hooks.mutate(Widget, ({ object }) => ({
      ...object,
      metadata: { ...object.metadata, labels: { "a/b": "c" } },
      spec: { size: 5 },
    }));
    const response = await ask(admissionReview({ object: widget({ size: 1, note: "x" }) }), mutating);
    expect([response["allowed"], response["patchType"]]).toEqual([true, "JSONPatch"]);
    expect(patchOf(response)).toEqual([
      { op: "add", path: "/metadata/labels", value: { "a/b": "c" } },
      { op: "remove", path: "/spec/note" },
      { op: "replace", path: "/spec/size", value: 5 },
    ]);
  });

  it("may change the object that it was given", async () => {
    hooks.mutate(Widget, ({ object }) => {
      object.spec.size = 5;
      return object;
    });
    const response = await ask(admissionReview({ object: widget({ size: 1 }) }), mutating);
    expect(patchOf(response)).toEqual([{ op: "replace", path: "/spec/size", value: 5 }]);
  });

  it("that changes nothing sends no patch", async () => {
    hooks.mutate(Widget, ({ object }) => object);
    const response = await ask(admissionReview({ object: widget({ size: 1 }) }), mutating);
    expect(response).toEqual({ uid: "r-1", allowed: true });
  });

  it("changes an object of another version in that version", async () => {
    hooks.mutate(Widget, ({ object }) => ({ ...object, spec: { size: object.spec.size + 1 } }));
    const old = widget({ bigness: 7 }, { apiVersion: "example.com/v1" });
    expect(patchOf(await ask(admissionReview({ object: old }), mutating))).toEqual([
      { op: "add", path: "/metadata/labels", value: { from: "hub" } },
      { op: "replace", path: "/spec/bigness", value: 8 },
    ]);
  });

  it("cannot change what an object is", async () => {
    hooks.mutate(Widget, ({ object }) => ({ ...object, apiVersion: "other/v1", kind: "Other" }));
    const response = await ask(admissionReview({ object: widget({ size: 1 }) }), mutating);
    expect(response).toEqual({ uid: "r-1", allowed: true });
  });

  it("that gives nothing back has failed", async () => {
    hooks.mutate(Widget, () => undefined as never);
    const response = await ask(admissionReview({ object: widget({ size: 1 }) }), mutating);
    expect(response["status"]).toMatchObject({ code: 500, message: expect.stringContaining("gave no object back") });
  });
});

describe("a handler that fails", () => {
  it.for([
    [
      "throws",
      () => {
        throw new Error("no connection, token=abcdef\nat secret.ts");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no connection, token=abcdef\nat secret.ts"))],
  ] as [string, () => never][])(
    "because it %s, denies without its secrets, and the log says which",
    async ([, fail]) => {
      hooks.validate(Widget, fail);
      const response = await ask(admissionReview({ object: widget({ size: 1 }) }));
      expect(response).toEqual({
        uid: "r-1",
        allowed: false,
        status: {
          status: "Failure",
          message: `${path} failed: no connection, token=[redacted]; the operator's log has more`,
          reason: "InternalError",
          code: 500,
        },
      });
      expect(log.lines).toMatchObject([
        {
          level: "error",
          message: "a webhook's handler failed",
          fields: { path, kind: "Widget", namespace: "web", name: "w", operation: "CREATE" },
        },
      ]);
      expect(JSON.stringify(log.lines)).not.toContain("abcdef");
    },
  );

  it("does not trouble the next request", async () => {
    let n = 0;
    hooks.validate(Widget, () => {
      n += 1;
      if (n === 1) throw null;
      return undefined;
    });
    expect((await ask(admissionReview({ object: widget({ size: 1 }) })))["allowed"]).toBe(false);
    expect((await ask(admissionReview({ object: widget({ size: 1 }) })))["allowed"]).toBe(true);
  });
});

describe("a review that cannot be answered is told why:", () => {
  const good = JSON.parse(admissionReview({ object: widget({ size: 1 }) })) as { request: object };
  const request = (more: object) => JSON.stringify({ ...good, request: { ...good.request, ...more } });
  const asked: [string, string, string, string][] = [
    ["nothing at all", "", "", "the body is empty; send a review as JSON"],
    ["no JSON", "{", "", "the body is no JSON"],
    ["null", "null", "", "the body is no admission.k8s.io/v1 AdmissionReview, but null"],
    ["a list", "[]", "", "but a list"],
    [
      "an older review",
      JSON.stringify({ ...good, apiVersion: "admission.k8s.io/v1beta1" }),
      "r-1",
      "the body is admission.k8s.io/v1beta1 AdmissionReview, and admission.k8s.io/v1 AdmissionReview is understood here",
    ],
    [
      "another kind",
      JSON.stringify({ ...good, kind: "ConversionReview" }),
      "r-1",
      "the body is admission.k8s.io/v1 ConversionReview",
    ],
    ["no kind", "{}", "", "the body is no apiVersion without a kind"],
    ["no request", JSON.stringify({ ...good, request: undefined }), "", "request is missing in the review"],
    ["no uid", request({ uid: undefined }), "", "request.uid is missing in the review"],
    [
      "an operation that nobody knows",
      request({ operation: "CONNECT" }),
      "r-1",
      'request.operation is "CONNECT"; CREATE, UPDATE and DELETE are known here',
    ],
    ["no object", request({ object: null }), "r-1", "request.object is missing in a review of CREATE"],
    ["no old object", request({ operation: "UPDATE" }), "r-1", "request.oldObject is missing in a review of UPDATE"],
    [
      "an operation that it does not take",
      request({ operation: "DELETE", oldObject: widget({ size: 1 }) }),
      "r-1",
      "takes CREATE and UPDATE, not DELETE; correct the rules that send it here",
    ],
    ["a subresource", request({ subResource: "status" }), "r-1", "is about the object itself, not about its status"],
    [
      "another kind of object",
      request({ object: { apiVersion: "v1", kind: "Pod", metadata: {} } }),
      "r-1",
      "this webhook is for Widget of example.com, not for Pod of v1",
    ],
    ["an object of no kind", request({ object: {} }), "r-1", "not for an object without a kind of no group"],
  ];
  it.for(asked)("%s", async ([, body, uid, message]) => {
    hooks.validate(Widget, () => undefined);
    const response = await ask(body);
    expect(response).toMatchObject({
      uid,
      allowed: false,
      status: { status: "Failure", code: 400, reason: "BadRequest" },
    });
    expect((response["status"] as JsonObject)["message"]).toContain(`${path}: `);
    expect((response["status"] as JsonObject)["message"]).toContain(message);
    expect(log.lines).toEqual([]);
  });

  it("a version that the kind does not have", async () => {
    hooks.validate(Widget, () => undefined);
    const response = await ask(admissionReview({ object: widget({}, { apiVersion: "example.com/v9" }) }));
    expect(response["status"]).toMatchObject({
      code: 400,
      message: expect.stringContaining('Widget is known here in v2 and v1 only, not in "v9"'),
    });
  });

  it("another version of a kind that has one only", async () => {
    hooks.validate(ConfigMap, () => undefined);
    const object = { apiVersion: "v9", kind: "ConfigMap", metadata: {} };
    const response = await ask(admissionReview({ object }), "/validate--v1-configmap");
    expect(response["status"]).toMatchObject({
      code: 400,
      message: expect.stringContaining('ConfigMap is known here in v1 only, not in "v9"'),
    });
  });

  it("survives any bytes", async () => {
    hooks
      .validate(Widget, () => undefined)
      .mutate(Widget, ({ object }) => object)
      .convert(Widget);
    const random = seededRandom(5);
    const start = admissionReview({ object: widget({ size: 1 }) });
    for (let i = 0; i < 500; i += 1) {
      const bytes = Buffer.from(start);
      for (let n = 0; n < 1 + random.next() * 8; n += 1)
        bytes[Math.floor(random.next() * bytes.length)] = Math.floor(random.next() * 256);
      for (const at of [path, "/mutate-example-com-v2-widget", "/convert"]) {
        expect((await hooks.handle(at, bytes)).status).toBe(200);
      }
    }
  });
});

describe("each answer is counted", () => {
  it("by what it comes to, and how long it took", async () => {
    let verdict: () => Verdict | Promise<Verdict> = () => ({});
    hooks.validate(Widget, () => verdict());
    const body = admissionReview({ object: widget({ size: 1 }) });
    await ask(body);
    verdict = () => ({ denied: "no" });
    await ask(body);
    verdict = () => {
      clock.advance(30);
      throw new Error("oh");
    };
    await ask(body);
    await ask("{}");
    expect(samples).toEqual([
      { is: "webhook", path, code: 200, took: 0 },
      { is: "webhook", path, code: 422, took: 0 },
      { is: "webhook", path, code: 500, took: 30 },
      { is: "webhook", path, code: 400, took: 0 },
    ]);
  });

  it("and a path that somebody made up is no label", async () => {
    hooks.validate(Widget, () => undefined);
    const { status, body } = await hooks.handle("/x", "{}");
    expect([status, body]).toEqual([
      404,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `no webhook is at /x; there are ${path}`,
        reason: "NotFound",
        code: 404,
      },
    ]);
    expect(hooks.refuse("/y", 413, "too large").status).toBe(413);
    expect(samples).toEqual([
      { is: "webhook", path: "", code: 404, took: 0 },
      { is: "webhook", path: "", code: 413, took: 0 },
    ]);
  });
});
