import { VirtualClock } from "@telltale/clock";
import { defineKind, Fields, Int32 } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Widget, widget } from "../../test/webhook/widget.ts";
import { webhooks } from "./webhooks.ts";

const table = () => webhooks({ clock: new VirtualClock() });
const single = defineKind({ group: "a.b", version: "v1", kind: "Single", spec: Fields({ n: Int32() }) });

describe("a table of handlers", () => {
  it("has paths and names that follow from the kinds", () => {
    const hooks = table()
      .validate(Widget, () => undefined)
      .mutate(Widget, ({ object }) => object)
      .statusRules(Widget)
      .validate(ConfigMap, () => undefined)
      .convert(Widget);
    expect(hooks.admission.map(({ path, name }) => `${path} ${name}`)).toEqual([
      "/validate-example-com-v2-widget validate-v2.widgets.example.com",
      "/mutate-example-com-v2-widget mutate-v2.widgets.example.com",
      "/validate-example-com-v2-widget-status validate-v2-status.widgets.example.com",
      "/validate--v1-configmap validate-v1.configmaps.core",
    ]);
    expect(hooks.conversion.map(({ path }) => path)).toEqual(["/convert"]);
  });

  it("takes paths and names that are given", () => {
    const hooks = table()
      .validate(Widget, () => undefined, { path: "/v", name: "vwidget-v2.kb.io" })
      .convert(Widget, { path: "/c" });
    expect([hooks.admission[0]?.path, hooks.admission[0]?.name, hooks.conversion[0]?.path]).toEqual([
      "/v",
      "vwidget-v2.kb.io",
      "/c",
    ]);
  });

  it.for<[string, () => unknown, string]>([
    [
      "two handlers at one path",
      () =>
        table()
          .validate(Widget, () => undefined)
          .validate(Widget, () => undefined),
      "Widget: path: /validate-example-com-v2-widget is taken by Widget; give another `path`",
    ],
    [
      "a handler where another kind converts",
      () =>
        table()
          .convert(Widget)
          .validate(ConfigMap, () => undefined, { path: "/convert" }),
      "ConfigMap: path: /convert is taken by Widget",
    ],
    [
      "a conversion where a handler is",
      () =>
        table()
          .validate(Widget, () => undefined, { path: "/convert" })
          .convert(Widget),
      "Widget: path: /convert is taken by Widget",
    ],
    [
      "no path",
      () => table().validate(Widget, () => undefined, { path: "v" }),
      '"v" is no path; begin it with a slash',
    ],
    [
      "a short name",
      () => table().validate(Widget, () => undefined, { name: "v.io" }),
      'name: "v.io" has fewer than three parts',
    ],
    [
      "one name twice",
      () =>
        table()
          .validate(Widget, () => undefined, { name: "a.b.c" })
          .validate(ConfigMap, () => undefined, { name: "a.b.c" }),
      'ConfigMap: name: "a.b.c" is taken',
    ],
    ["a conversion of one version", () => table().convert(single), "Single: versions: there is one only"],
  ])("refuses %s", ([, declare, message]) => {
    expect(declare).toThrow(message);
  });

  it("is typed by its kinds and operations", () => {
    table()
      .validate(Widget, (request) => {
        expectTypeOf(request.operation).toEqualTypeOf<"CREATE" | "UPDATE">();
        expectTypeOf(request.object.spec.size).toEqualTypeOf<number>();
        // @ts-expect-error: there is no such field
        void request.object.spec.missing;
        // @ts-expect-error: nothing was there before a creation
        if (request.operation === "CREATE") void request.oldObject;
        return undefined;
      })
      .validate(
        single,
        (request) => {
          expectTypeOf(request.operation).toEqualTypeOf<"DELETE">();
          expectTypeOf(request.oldObject.spec.n).toEqualTypeOf<number>();
          // @ts-expect-error: nothing is there after a deletion
          void request.object;
          return {};
        },
        { operations: ["DELETE"] },
      )
      // @ts-expect-error: a deletion cannot be changed
      .mutate(single, ({ object }) => object, { operations: ["DELETE"] });
    // @ts-expect-error: a handler gives back an object of its kind
    table().mutate(single, () => ({ spec: { n: "1" } }));
  });

  it("answers in this process without a socket, and throws what is no answer to a review", async () => {
    const hooks = table().validate(Widget, () => ({ denied: "no" }));
    const local = hooks.local("/validate-example-com-v2-widget");
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "1", operation: "CREATE", object: widget({ size: 1 }) },
    };
    expect(await local?.(review)).toMatchObject({ response: { uid: "1", allowed: false } });
    expect(hooks.local("/other")).toBeUndefined();
  });
});
